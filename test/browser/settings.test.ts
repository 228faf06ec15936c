// The settings page on a real server: what is kept on this device, who has access, what was allowed.
import { expect, test } from "vitest";
import { useServer } from "./visit.ts";
import { expectNoFaults, newPerson, newTab, type WatchedPage } from "./watched-page.ts";

const visit = useServer({ config: '[profiles.default]\nsandbox = "none"\n' }); // in a sandbox nobody would be asked

test("a token is shown once, works, and no longer does when it is revoked", async () => {
  const page = await open();
  const tokens = page.getByRole("region", { name: "Tokens" });
  await tokens.getByLabel("Name of a new token").fill("backup script");
  await tokens.getByRole("button", { name: "Make a token" }).click();
  const token = await tokens.getByLabel("The token “backup script”").inputValue();
  expect((await me(token)).status).toBe(200);
  expect(await (await me(token)).json()).toMatchObject({ kind: "program" });
  await page.reload();
  await tokens.getByText("backup script").waitFor();
  expect(await page.getByText(token).count()).toBe(0);
  await tokens.getByRole("button", { name: "Revoke backup script" }).click();
  await tokens.getByRole("button", { name: "Keep" }).click();
  expect((await me(token)).status).toBe(200);
  await tokens.getByRole("button", { name: "Revoke backup script" }).click();
  await tokens.getByRole("button", { name: "Revoke backup script now" }).click();
  await expect.poll(() => tokens.getByText("backup script").count()).toBe(0);
  expect((await me(token)).status).toBe(401);
  expectNoFaults(page);
});

test("a token that could not be made leaves its name in the field, and says why", async () => {
  const page = await open();
  await page.route("**/api/tokens", (route) =>
    route.request().method() === "POST" ? route.fulfill(refusal) : route.continue(),
  );
  await page.getByLabel("Name of a new token").fill("kept name");
  await page.getByRole("button", { name: "Make a token" }).click();
  await page.getByRole("alert").filter({ hasText: "Not now." }).waitFor();
  expect(await page.getByLabel("Name of a new token").inputValue()).toBe("kept name");
});

test("a link made here logs another device in; it is listed apart from this one and can be logged out", async () => {
  const page = await open();
  const devices = page.getByRole("region", { name: "Devices" });
  await devices.getByRole("button", { name: "Log in on another device…" }).click();
  const link = await devices.getByLabel("Open this link on the other device").inputValue();
  const other = await newPerson(visit.browser);
  const elsewhere = await newTab(other, link);
  await elsewhere.getByText("No session yet.").waitFor();
  await page.reload();
  await expect.poll(() => devices.getByRole("listitem").count()).toBe(2);
  expect(await devices.getByRole("listitem").first().textContent()).toContain("this device");
  await devices.getByRole("button", { name: "Log out Chrome on Linux", exact: true }).click();
  await devices.getByRole("button", { name: "Log out Chrome on Linux now" }).click();
  await expect.poll(() => devices.getByRole("listitem").count()).toBe(1);
  await elsewhere.getByText("holdfast login").waitFor();
  await page.getByText("connected", { exact: true }).first().waitFor();
  await other.close();
});

test("what was allowed for good is listed as it was seen, with the pattern that decides, and can be taken back", async () => {
  const page = await open();
  await begin("show me an approval");
  const openAsks = () => visit.call<{ items: { id: string }[] }>("GET", "/api/asks?open=true");
  await expect.poll(async () => (await openAsks()).items.length).toBe(1);
  const { items } = await openAsks();
  await visit.call("POST", `/api/asks/${items[0]!.id}/answer`, { choice: "always" });
  await expect
    .poll(async () => (await visit.call<{ items: unknown[] }>("GET", "/api/rules")).items.length)
    .toBe(1);
  await page.reload();
  const rules = page.getByRole("region", { name: "Rules" });
  await rules.getByText("touch approved-by-you.txt && ls -l approved-by-you.txt").waitFor();
  expect(await rules.textContent()).toMatch(/sha256:[0-9a-f]{64}/);
  await rules.getByRole("button", { name: /^Take back/ }).click();
  await rules.getByRole("button", { name: /^Take back .* now$/ }).click();
  await rules.getByText("Nothing is allowed for good.").waitFor();
  expect(await visit.call("GET", "/api/rules")).toMatchObject({ items: [] });
});

test("the theme chosen here is there before the page's own script has run", async () => {
  const page = await open();
  await page.getByRole("radio", { name: "Dark" }).check();
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const other = await newTab(visit.person, `${visit.server.url}/settings`);
  await other.route("**/assets/*.js", () => {}); // never answered
  await other.reload({ waitUntil: "commit" });
  await expect
    .poll(() => other.evaluate(() => document.body && getComputedStyle(document.body).backgroundColor))
    .toBe(dark);
  expect(await other.getByRole("heading").count()).toBe(0);
});

test("notifications are turned on by a click and tested by another, and what is wanted of them stays chosen", async () => {
  const shown = await recordNotifications();
  const page = await open();
  expect(await page.getByRole("checkbox", { name: "A session failed" }).isEnabled()).toBe(false);
  await page.getByRole("button", { name: "Turn on notifications" }).click();
  await page.getByRole("button", { name: "Show a test" }).click();
  await expect.poll(() => shown.map(({ title }) => title)).toEqual(["A test from Holdfast"]);
  await page.getByRole("checkbox", { name: "Quiet hours" }).check();
  await page.getByRole("checkbox", { name: "A session failed" }).uncheck();
  await page.reload();
  expect(await page.getByRole("checkbox", { name: "A session failed" }).isChecked()).toBe(false);
  expect(await page.getByLabel("until").inputValue()).toBe("07:00");
  expectNoFaults(page);
});

test("of many tabs one tells, with a link to the exact place, and it goes when it is answered elsewhere", async () => {
  const shown = await recordNotifications("granted");
  const tabs = [
    await open(),
    await newTab(visit.person, `${visit.server.url}/new`),
    await newTab(visit.person, `${visit.server.url}/new`),
  ];
  const page = tabs[0]!;
  await begin("ask me something");
  await expect.poll(() => shown.length).toBe(1);
  const { items } = await visit.call<{ items: { id: string }[] }>("GET", "/api/asks?open=true");
  const ask = items[0]!.id;
  expect(shown[0]).toMatchObject({ tag: ask, isClosed: false });
  expect(shown[0]?.title).toMatch(/asks you something$/);
  await clickOn(tabs, ask);
  await expect.poll(() => tabs.map((tab) => new URL(tab.url()).pathname)).toContain(`/asks/${ask}`);
  await begin("ask me something else");
  await expect.poll(() => shown.length).toBe(2);
  await visit.call("POST", `/api/asks/${shown[1]!.tag}/answer`, { text: "from elsewhere" });
  await expect.poll(() => shown[1]?.isClosed).toBe(true);
  expectNoFaults(page);
});

test("nothing is shown of a session that is on screen in some tab, nor of a kind that is not wanted", async () => {
  const shown = await recordNotifications("granted");
  const page = await open();
  const looked = await begin("ask me something");
  await expect.poll(() => shown.length).toBe(1); // it is told where nobody looks
  const tab = await newTab(visit.person, `${visit.server.url}/sessions/${looked}`);
  await tab.getByRole("textbox", { name: "Message" }).waitFor();
  await visit.call("POST", `/api/asks/${shown[0]!.tag}/answer`, { text: "no matter" });
  await expect.poll(async () => (await row(looked)).status, { timeout: 30_000 }).toBe("idle");
  await page.getByRole("checkbox", { name: "An agent asks you something" }).uncheck();
  await begin("ask me something");
  await expect
    .poll(async () => (await visit.call<{ items: unknown[] }>("GET", "/api/asks?open=true")).items.length)
    .toBe(1);
  await page.getByRole("link", { name: /1 needs you/ }).waitFor(); // the tab knows of it
  await page.getByRole("button", { name: "Show a test" }).click();
  await expect.poll(() => shown.map(({ title }) => title).at(-1)).toBe("A test from Holdfast");
  expect(shown).toHaveLength(2);
});

test("the page says what this server is, and whether its agents are sandboxed", async () => {
  const page = await open();
  const about = page.getByRole("region", { name: "About" });
  await about.getByText("SQLite, embedded").waitFor();
  await about
    .getByText(/sandbox/)
    .first()
    .waitFor();
  expect(await about.textContent()).toContain("owner, on Chrome on Linux");
});

type Shown = { title: string; tag: string; isClosed: boolean };

/**
 * The headless shell refuses every permission and shows no notifications: a stand-in takes what the page would show,
 * in all tabs of this visit.person. What the system makes of it is not tested here.
 */
async function recordNotifications(permission: "default" | "granted" = "default"): Promise<Shown[]> {
  const shown: Shown[] = [];
  await visit.person.exposeFunction("noteShown", (title: string, tag: string) => {
    shown.push({ title, tag, isClosed: false });
  });
  await visit.person.exposeFunction("noteClosed", (tag: string) => {
    for (const each of shown) if (each.tag === tag) each.isClosed = true;
  });
  await visit.person.addInitScript((given) => {
    const noted = window as unknown as {
      noteShown(title: string, tag: string): Promise<void>;
      noteClosed(tag: string): Promise<void>;
      shownHere: Map<string, EventTarget>;
    };
    noted.shownHere = new Map();
    class StandIn extends EventTarget {
      static permission = sessionStorage.getItem("permission") ?? given;
      static requestPermission(): Promise<string> {
        sessionStorage.setItem("permission", "granted");
        StandIn.permission = "granted";
        return Promise.resolve("granted");
      }
      readonly tag: string;
      constructor(title: string, { tag }: { tag: string }) {
        super();
        this.tag = tag;
        noted.shownHere.set(tag, this);
        void noted.noteShown(title, tag);
      }
      close(): void {
        void noted.noteClosed(this.tag);
        this.dispatchEvent(new Event("close"));
      }
    }
    Object.assign(window, { Notification: StandIn });
  }, permission);
  return shown;
}

/** In whichever tab it was shown by. */
async function clickOn(tabs: WatchedPage[], tag: string): Promise<void> {
  for (const tab of tabs)
    await tab.evaluate((name) => {
      const { shownHere } = window as unknown as { shownHere: Map<string, EventTarget> };
      shownHere.get(name)?.dispatchEvent(new Event("click"));
    }, tag);
}

async function begin(text: string): Promise<string> {
  return (
    await visit.call<{ id: string }>("POST", "/api/sessions", {
      title: text,
      input: { kind: "prompt", text },
    })
  ).id;
}

function row(session: string): Promise<{ status: string }> {
  return visit.call("GET", `/api/sessions/${session}`);
}

const refusal = {
  status: 409,
  contentType: "application/problem+json",
  body: JSON.stringify({ type: "urn:x", title: "No", status: 409, code: "conflict", detail: "Not now." }),
};

async function open(): Promise<WatchedPage> {
  const page = await visit.open("/settings");
  await page.getByText("this device", { exact: true }).waitFor();
  return page;
}

function me(token: string): Promise<Response> {
  return fetch(`${visit.server.url}/api/me`, { headers: { authorization: `Bearer ${token}` } });
}
