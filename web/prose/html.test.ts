import { expect, test } from "vitest";
import { wholeBlocks } from "./blocks.ts";

const html = (text: string) =>
  wholeBlocks(text)
    .map((block) => block.html.trim())
    .join("");

test("raw HTML is shown as the text that it is", () => {
  expect(html("a <img src=x onerror=alert(1)> b")).toBe("<p>a &lt;img src=x onerror=alert(1)&gt; b</p>");
  expect(html("<div>\n<script>alert(1)</script>\n</div>")).toBe(
    '<p class="raw">&lt;div&gt;\n&lt;script&gt;alert(1)&lt;/script&gt;\n&lt;/div&gt;</p>',
  );
  expect(html("Use the <Foo> component")).toContain("&lt;Foo&gt;");
});

test("bare tags that only set text are kept, with an attribute they are text", () => {
  expect(html("<kbd>Ctrl</kbd> H<sub>2</sub>O<br>")).toBe("<p><kbd>Ctrl</kbd> H<sub>2</sub>O<br></p>");
  expect(html("<b onclick=x>no</b>")).toContain("&lt;b onclick=x&gt;");
});

test("text within a bare tag is escaped like all other", () => {
  expect(html('<code> <img src="x" ')).not.toContain("<img");
  expect(html("<kbd>\"<'")).toBe("<p><kbd>&quot;&lt;&#39;</p>");
});

test("an image is where it lies, and none yet", () => {
  expect(html('![alt "x"](https://example.org/a.png "t")')).toBe(
    '<p><span class="image" data-src="https://example.org/a.png">alt &quot;x&quot;</span></p>',
  );
});

test("no attribute can be left by what it contains", () => {
  for (const text of [
    '[a](<https://x/" onclick="y>)',
    '![a](<x" onerror="y>)',
    '```ts" onclick="y\n```',
    '[a](https://x "t\\" onclick=\\"y")',
  ])
    expect(html(text)).not.toMatch(/" on\w+=/);
});

test("character references mean what they say, in text, and stay as written in code", () => {
  expect(html("&copy; &lt;b&gt;")).toBe("<p>&copy; &lt;b&gt;</p>");
  expect(html("`&copy;`")).toBe("<p><code>&amp;copy;</code></p>");
});

test("headings of a message stand below the page's own", () => {
  expect(html("# a\n\n###### b")).toBe("<h3>a</h3><h6>b</h6>");
});
