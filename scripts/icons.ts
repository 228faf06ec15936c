// `npm run icons`: the PNGs of the app's icon in web/public, drawn from web/public/icon.svg. Phones and launchers take no SVG.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";
import { CHROMIUM_ARGS, unpackedChromium } from "../test/chromium-path.ts";

const FOLDER = new URL("../web/public/", import.meta.url);
const GROUND = "#2b6b57";
const SIGN = "#fbfaf7";

/** `sign` is the part of the side that the sign takes; a launcher may cut a maskable icon down to its middle 80 %. */
type Picture = { name: string; side: number; sign: number; corner: number };

const PICTURES: Picture[] = [
  { name: "icon-192.png", side: 192, sign: 0.68, corner: 0.22 },
  { name: "icon-512.png", side: 512, sign: 0.68, corner: 0.22 },
  { name: "icon-maskable-512.png", side: 512, sign: 0.5, corner: 0 },
  // iOS rounds the corners itself.
  { name: "apple-touch-icon.png", side: 180, sign: 0.64, corner: 0 },
];

const svg = await readFile(new URL("icon.svg", FOLDER), "utf8");
const browser = await chromium.launch({ executablePath: await unpackedChromium(), args: CHROMIUM_ARGS });
try {
  for (const picture of PICTURES) {
    const png = await draw(browser, picture);
    await writeFile(fileURLToPath(new URL(picture.name, FOLDER)), png);
    console.log(`web/public/${picture.name}  ${(png.length / 1024).toFixed(1)} KB`);
  }
} finally {
  await browser.close();
}

async function draw(browser: Browser, { side, sign, corner }: Picture): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: side, height: side } });
  const drawn = svg
    .replace(/stroke="#\w+"/, `stroke="${SIGN}"`)
    .replace("<svg ", `<svg width="${side * sign}" `);
  await page.setContent(`<body style="margin:0"><div style="display:grid;place-items:center;width:${side}px;height:${side}px;
    background:${GROUND};border-radius:${side * corner}px">${drawn}</div>`);
  const png = await page.screenshot({ omitBackground: true });
  await page.close();
  return png;
}
