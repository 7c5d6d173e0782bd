import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { openOutput, untilQuiet } from "../../lib/process/output.ts";
import { makeFolder } from "./arrange.ts";

function openPipe(t: TestContext) {
  const path = join(makeFolder(t), "pipe");
  execFileSync("mkfifo", [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { output: openOutput(reader), writer: openSync(path, constants.O_WRONLY) };
}

test("output from before the first read comes first, and the end is announced", async (t) => {
  const { output, writer } = openPipe(t);
  writeSync(writer, "one ");
  await turn();
  await turn();
  writeSync(writer, "two ");
  await turn();
  await turn();
  const said: string[] = [];
  const ended = output.read((piece) => said.push(Buffer.from(piece).toString()));
  writeSync(writer, "three");
  closeSync(writer);
  await ended;
  assert.equal(said.join(""), "one two three");
});

test("an output that is let go of has ended, though the pipe is still open", async (t) => {
  const { output, writer } = openPipe(t);
  const ended = output.read(() => {});
  output.destroy();
  await ended;
  closeSync(writer);
});

test("waits for as many turns as something comes in, and for one more", async () => {
  let turns = 0;
  let seen = 0;
  const come = (): void => {
    turns += 1;
    if (turns < 5) {
      seen += 1;
      setImmediate(come);
    }
  };
  setImmediate(come);
  await untilQuiet(() => seen);
  assert.equal(seen, 4);
});

test("does not wait where nothing comes", async () => {
  let looks = 0;
  await untilQuiet(() => {
    looks += 1;
    return 7;
  });
  assert.equal(looks, 3);
});

test("gives up on a writer that never ends", async () => {
  let seen = 0;
  await untilQuiet(() => seen++);
  assert.ok(seen >= 1_000);
});
