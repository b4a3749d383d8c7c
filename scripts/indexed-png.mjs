// A screenshot as a PNG with a palette of 256 colours: less than half of the bytes, and no difference that one sees.
import { crc32, deflateSync } from 'node:zlib';

/** @param rgba four bytes a pixel */
export function indexedPng(rgba, width, height) {
  const counts = new Map();
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at++) {
    colours[at] = rgba.readUIntBE(at * 4, 3);
    counts.set(colours[at], (counts.get(colours[at]) ?? 0) + 1);
  }
  const palette = [...counts.keys()].toSorted((a, b) => counts.get(b) - counts.get(a)).slice(0, 256);
  const indices = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));

  // Each line begins with its filter: none.
  const lines = Buffer.alloc(height * (width + 1));
  for (const [at, colour] of colours.entries())
    lines[at + Math.floor(at / width) + 1] = indices.get(colour) ?? 0;

  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const bytes = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', bytes),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function nearest(palette, colour) {
  const distances = palette.map((other) =>
    [16, 8, 0].reduce((sum, bits) => sum + (((other >> bits) & 255) - ((colour >> bits) & 255)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
