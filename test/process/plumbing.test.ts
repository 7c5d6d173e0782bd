import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runBounded } from "../../lib/process/bounded.ts";
import { openPipes } from "../../lib/process/plumbing.ts";
import { boundedSpec, makeFolder } from "./arrange.ts";

test("where no FIFO can be made there is no pipe, and nothing is left", (t) => {
  const folder = makeFolder(t);
  assert.equal(openPipes(`${folder}/gone`, 2), null);
  assert.deepEqual(readdirSync(folder), []);
});

/** Replaces what was made ahead, as a model could. */
type Swap = (path: string) => void;

const swaps: Readonly<Record<string, Swap>> = {
  "a file": (path) => writeFileSync(path, "told\n"),
  "a folder": (path) => mkdirSync(path),
  "a link": (path) => symlinkSync("/etc/hostname", path),
  "another pipe": (path) => execFileSync("mkfifo", [path]),
  nothing: () => {},
};

for (const [what, swap] of Object.entries(swaps))
  test(`a pipe made ahead that became ${what} is not used, and a new one is made`, async (t) => {
    const folder = makeFolder(t);
    const run = () => runBounded(boundedSpec(folder, ["/bin/sh", "-c", "echo out; echo err >&2"]));
    assert.equal((await run()).stdoutTail, "out\n");
    const ahead = readdirSync(folder).filter((name) => name.startsWith("pipe-"));
    assert.equal(ahead.length, 6);
    for (const name of ahead) {
      unlinkSync(join(folder, name));
      swap(join(folder, name));
    }
    const end = await run();
    assert.deepEqual([end.stdoutTail, end.stderrTail], ["out\n", "err\n"]);
  });

test("without mkfifo the outputs come through Node's own pipes", async (t) => {
  const folder = makeFolder(t);
  const path = process.env.PATH;
  process.env.PATH = folder;
  t.after(() => {
    process.env.PATH = path;
  });
  const end = await runBounded(
    boundedSpec(folder, ["/bin/sh", "-c", "echo out; echo err >&2; read line; echo $line"], { stdin: "in\n" }),
  );
  assert.deepEqual([end.exitCode, end.stdoutTail, end.stderrTail], [0, "out\nin\n", "err\n"]);
  const log = `${folder}/both.log`;
  const both = await runBounded(
    boundedSpec(folder, ["/bin/sh", "-c", "echo out; echo err >&2"], { stdoutPath: log, stderrPath: log }),
  );
  assert.deepEqual([both.exitCode, both.stdout.bytes, both.stdoutTail.split("\n").sort()], [0, 8, ["", "err", "out"]]);
  const missing = await runBounded(boundedSpec(folder, ["no-such-program"]));
  assert.equal(missing.problem, "no-such-program was not found");
});
