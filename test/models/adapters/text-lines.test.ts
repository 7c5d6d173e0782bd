import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readTextLines } from "../../../lib/models/adapters/text-lines.ts";

function linesOf(chunks: readonly Uint8Array[]): string[] {
  const lines: string[] = [];
  const write = readTextLines((line) => lines.push(line));
  for (const chunk of chunks) write(chunk);
  return lines;
}

test("lines are the same however the chunks cut them, also within a character", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("é", "a\n", "\n", "\u{1f600}", "word ")),
      fc.integer({ min: 1, max: 5 }),
      (parts, size) => {
        const text = parts.join("");
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        assert.deepEqual(linesOf(chunks), text.split("\n").slice(0, -1));
      },
    ),
  );
});

test("of a line without end only the beginning is kept", () => {
  const chunk = Buffer.from("x".repeat(50_000));
  const [line = "", next] = linesOf([chunk, chunk, chunk, Buffer.from("\nnext\n")]);
  assert.deepEqual([line.length, next], [64 * 1024, "next"]);
});
