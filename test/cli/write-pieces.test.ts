import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { writePieces } from "../../lib/cli/write-pieces.ts";

const big = "x".repeat(64 * 1024);

/** A reader that takes one write and then nothing until the test says so. */
class SlowReader extends EventEmitter {
  readonly taken: string[] = [];
  write(text: string): boolean {
    this.taken.push(text);
    return false;
  }
}

function* countedPieces(count: number, made: { pieces: number; ended: boolean }) {
  try {
    for (let index = 0; index < count; index += 1) {
      made.pieces += 1;
      yield big;
    }
  } finally {
    made.ended = true;
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("no more pieces are made than the reader takes, and all of them come", async () => {
  const reader = new SlowReader();
  const made = { pieces: 0, ended: false };
  const end = writePieces(reader, countedPieces(3, made));
  for (const pieces of [1, 2, 3]) {
    await turn();
    assert.equal(made.pieces, pieces);
    reader.emit("drain");
  }
  await end;
  assert.equal(reader.taken.join("").length, 3 * big.length);
  assert.deepEqual(reader.eventNames(), []);
});

for (const event of ["error", "close"]) {
  test(`a reader that has gone (${event}) ends the making of pieces`, async () => {
    const reader = new SlowReader();
    const made = { pieces: 0, ended: false };
    const end = writePieces(reader, countedPieces(1_000, made));
    await turn();
    reader.emit(event, Object.assign(new Error("gone"), { code: "EPIPE" }));
    await end;
    assert.deepEqual([made, reader.taken.length, reader.eventNames()], [{ pieces: 1, ended: true }, 1, []]);
  });
}

test("small pieces are written together", async () => {
  const reader = new SlowReader();
  await writePieces(reader, ["a", "b", "", "c"]);
  assert.deepEqual(reader.taken, ["abc"]);
  await writePieces(reader, []);
  assert.deepEqual(reader.taken, ["abc"]);
});
