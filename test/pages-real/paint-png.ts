import { crc32, deflateSync } from "node:zlib";

/** A picture as a test run might leave it: bands of two colours, so that one can see where it was cut. */
export function paintPng(width: number, height: number, colours: readonly [number[], number[]]): Buffer {
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Array.from({ length: width }, (_, x) => colours[(Math.floor(x / 40) + Math.floor(y / 40)) % 2] ?? []);
    return Buffer.from([0, ...row.flat()]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a colour, red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const body = [chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.concat(rows))), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([signature, ...body]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}
