/** Makes PNG pictures small: at most 256 colours, which pages with text can do with. */

import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** A number for each pixel: 0xrrggbb. */
  readonly pixels: Uint32Array;
}

export function smaller(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const palette = choose(pixels);
  const nearest = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < pixels.length; at += 1) {
    const colour = pixels[at] ?? 0;
    let index = nearest.get(colour);
    if (index === undefined) {
      index = palette.reduce(
        (best, each, i) => (far(each, colour) < far(palette[best] ?? 0, colour) ? i : best),
        0,
      );
      nearest.set(colour, index);
    }
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Of what is smaller than this, a colour close to the right one will do. */
const LARGE_PIXELS = 600;

/** All colours of large things, and the most frequent of the others that can be told apart, until they are few enough. */
function choose(pixels: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort(([, a], [, b]) => b - a);
  for (let apart = 0; ; apart = apart * 1.5 + 8) {
    const palette: number[] = [];
    for (const [colour, count] of byCount) {
      if (palette.length > MOST_COLOURS) break;
      const isLarge = count > LARGE_PIXELS && palette.length < MOST_COLOURS / 2;
      if (isLarge || palette.every((each) => far(each, colour) > apart)) palette.push(colour);
    }
    if (palette.length <= MOST_COLOURS) return palette;
  }
}

function far(one: number, other: number): number {
  const red = (one >> 16) - (other >> 16);
  const green = ((one >> 8) & 255) - ((other >> 8) & 255);
  const blue = (one & 255) - (other & 255);
  return 2 * red * red + 4 * green * green + 3 * blue * blue;
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** Reads what the browser writes: eight bits for each of red, green, blue and perhaps alpha, which is full. */
function decode(png: Buffer): Picture {
  const data: Buffer[] = [];
  let [width, height, bytes] = [0, 0, 0];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const kind = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === "IHDR")
      [width, height, bytes] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
    if (kind === "IDAT") data.push(body);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * bytes;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    const row = Uint8Array.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; x += 1) {
      const left = row[x - bytes] ?? 0;
      const up = above[x] ?? 0;
      row[x] = (row[x] ?? 0) + predicted(filter, left, up, above[x - bytes] ?? 0);
    }
    for (let x = 0; x < width; x += 1) {
      const [red = 0, green = 0, blue = 0] = row.subarray(x * bytes, x * bytes + 3);
      pixels[y * width + x] = (red << 16) | (green << 8) | blue;
    }
    above = row;
  }
  return { width, height, pixels };
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const guess = left + up - corner;
      const [toLeft, toUp, toCorner] = [
        Math.abs(guess - left),
        Math.abs(guess - up),
        Math.abs(guess - corner),
      ];
      if (toLeft <= toUp && toLeft <= toCorner) return left;
      return toUp <= toCorner ? up : corner;
    }
    default:
      return 0;
  }
}
