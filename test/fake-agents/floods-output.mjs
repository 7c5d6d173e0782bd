#!/usr/bin/env node
// Writes as many bytes as the first argument says: lines, or with `one-line` a single one without its end.
const total = Number(process.argv[2]);
const text = process.argv[3] === "one-line" ? "x".repeat(65_536) : `${"0123456789abcdef ".repeat(5)}\n`.repeat(800);
const piece = Buffer.from(text);
let left = total;
const more = () => {
  while (left > 0) {
    const bytes = piece.subarray(0, Math.min(left, piece.length));
    left -= bytes.length;
    if (!process.stdout.write(bytes)) return process.stdout.once("drain", more);
  }
};
more();
