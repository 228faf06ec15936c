// A screenshot in at most 256 colours: flat areas and thin strokes lose nothing that an eye finds, and the file is a third.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS_MAX = 256;

type Image = { width: number; height: number; rgb: Uint8Array };
type Colour = { rgb: number; count: number };

export function smallPng(png: Buffer): Buffer {
  const image = decode(png);
  const counted = countColours(image);
  const palette = paletteOf(counted);
  return encode(image, palette, nearestOf(counted, palette));
}

/** Eight bits of RGB or RGBA without interlacing, which is what browsers write; a screenshot is opaque. */
function decode(png: Buffer): Image {
  const data: Buffer[] = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = SIGNATURE.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (type === "IDAT") data.push(body);
    if (type !== "IHDR") continue;
    [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
    if (body[8] !== 8 || (body[9] !== 2 && body[9] !== 6) || body[12] !== 0)
      throw new Error("a screenshot has eight bits a channel, in RGB or RGBA, without interlacing");
  }
  const rows = unfilter(inflateSync(Buffer.concat(data)), width * channels, height, channels);
  const rgb = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let channel = 0; channel < 3; channel++)
      rgb[pixel * 3 + channel] = rows[pixel * channels + channel]!;
  return { width, height, rgb };
}

function unfilter(data: Buffer, stride: number, height: number, channels: number): Uint8Array {
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= channels ? rows[at - channels]! : 0;
      const up = y > 0 ? rows[at - stride]! : 0;
      const corner = x >= channels && y > 0 ? rows[at - stride - channels]! : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter ?? 0] ?? 0;
      rows[at] = data[y * (stride + 1) + 1 + x]! + guess;
    }
  }
  return rows;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(guess - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function countColours({ rgb }: Image): Colour[] {
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3) {
    const colour = (rgb[at]! << 16) | (rgb[at + 1]! << 8) | rgb[at + 2]!;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return Array.from(counts, ([colour, count]) => ({ rgb: colour, count }));
}

type Box = { colours: Colour[]; channel: number; low: number; high: number; weight: number };

/** Boxes of colours, the heaviest of them halved until there are enough; each gives its most frequent colour. */
function paletteOf(colours: Colour[]): number[] {
  const boxes = [boxOf(colours)];
  while (boxes.length < COLOURS_MAX) {
    const heaviest = boxes.reduce((best, box) => (box.weight > best.weight ? box : best));
    if (heaviest.weight === 0) break;
    boxes.splice(boxes.indexOf(heaviest), 1, ...halves(heaviest));
  }
  return boxes.map((box) => box.colours.reduce((most, each) => (each.count > most.count ? each : most)).rgb);
}

/** Along its longest side. A soft shadow weighs by its many pixels, the edge of a letter by how far its colours lie apart. */
function boxOf(colours: Colour[]): Box {
  const pixels = colours.reduce((sum, { count }) => sum + count, 0);
  return [0, 1, 2]
    .map((channel) => {
      let [low, high] = [255, 0];
      for (const { rgb } of colours) {
        low = Math.min(low, channelOf(rgb, channel));
        high = Math.max(high, channelOf(rgb, channel));
      }
      return { colours, channel, low, high, weight: (high - low) ** 2 * Math.sqrt(pixels) };
    })
    .reduce((most, each) => (each.weight > most.weight ? each : most));
}

function halves({ colours, channel, low, high }: Box): Box[] {
  const isLow = ({ rgb }: Colour) => channelOf(rgb, channel) <= (low + high) / 2;
  return [colours.filter((each) => isLow(each)), colours.filter((each) => !isLow(each))].map(boxOf);
}

function nearestOf(colours: Colour[], palette: number[]): Map<number, number> {
  const distance = (a: number, b: number) =>
    [0, 1, 2].reduce((sum, channel) => sum + (channelOf(a, channel) - channelOf(b, channel)) ** 2, 0);
  return new Map(
    colours.map(({ rgb }) => {
      let best = 0;
      for (let n = 1; n < palette.length; n++)
        if (distance(rgb, palette[n]!) < distance(rgb, palette[best]!)) best = n;
      return [rgb, best];
    }),
  );
}

function encode({ width, height, rgb }: Image, palette: number[], nearest: Map<number, number>): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // eight bits, by palette, nothing special
  const rows = Buffer.alloc((width + 1) * height); // each begins with its filter: none
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      const colour = (rgb[at]! << 16) | (rgb[at + 1]! << 8) | rgb[at + 2]!;
      rows[y * (width + 1) + 1 + x] = nearest.get(colour)!;
    }
  const colours = Buffer.from(
    palette.flatMap((colour) => [0, 1, 2].map((channel) => channelOf(colour, channel))),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const whole = Buffer.alloc(4 + named.length + 4);
  whole.writeUInt32BE(body.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), 4 + named.length);
  return whole;
}

function channelOf(rgb: number, channel: number): number {
  return (rgb >> (16 - 8 * channel)) & 0xff;
}
