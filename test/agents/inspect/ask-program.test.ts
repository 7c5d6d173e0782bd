import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { askProgram, inScratch, makeFolderIn, runAll } from "../../../lib/agents/inspect/ask-program.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { makeFolder, plainEnv } from "../../process/arrange.ts";

test("an answer that comes in pieces is kept whole, though each piece's memory is used again", async (t) => {
  const argv = ["/bin/sh", "-c", "for word in one two three; do echo $word; sleep 0.02; done; echo four >&2"];
  const asking = { scratch: makeFolder(t), redactor: createRedactor({}), abort: null };
  assert.deepEqual(await askProgram(asking, { argv, env: plainEnv, timeoutMs: 10_000 }), {
    kind: "exited",
    exitCode: 0,
    stdout: "one\ntwo\nthree\n",
    stderr: "four\n",
  });
});

test("the folder is empty, private, and gone afterwards with all that was put there", async () => {
  let path = "";
  const { value, findings } = await inScratch(async (folder) => {
    path = folder;
    const before = [readdirSync(folder).length, statSync(folder).mode & 0o777];
    mkdirSync(join(folder, "a"));
    writeFileSync(join(folder, "a", "b"), "c");
    chmodSync(join(folder, "a", "b"), 0o400);
    return before;
  });
  assert.deepEqual([value, findings, existsSync(path)], [[0, 0o700], [], false]);
});

test("it is gone where the work fails, too", async () => {
  let path = "";
  const work = inScratch(async (folder) => {
    path = folder;
    throw new Error("no");
  });
  await assert.rejects(work, /^Error: no$/);
  assert.equal(existsSync(path), false);
});

test("a temporary folder that cannot be removed is a warning beside the value", async (t) => {
  const { value, findings } = await inScratch(
    async (folder) => {
      t.after(() => rmSync(folder, { recursive: true }));
      return folder;
    },
    () => false,
  );
  assert.deepEqual(
    findings.map(({ severity, code, file }) => [severity, code, file]),
    [["warning", "TP_SCRATCH_LEFT", value]],
  );
});

test("a folder that cannot be made is an error of the disk", () => {
  assert.throws(
    () => makeFolderIn("/nowhere", "x-"),
    (error: unknown) => error instanceof TaskPhaseError && error.findings[0]?.code === "TP_DISK",
  );
});

test("an error is thrown when everything else has ended", async () => {
  const done: string[] = [];
  const slow = new Promise<string>((resolve) => setTimeout(() => resolve("slow"), 20)).then((word) => {
    done.push(word);
    return word;
  });
  await assert.rejects(runAll([Promise.reject(new Error("first")), slow]), /first/);
  assert.deepEqual(done, ["slow"]);
  assert.deepEqual(await runAll([slow, Promise.resolve("fast")]), ["slow", "fast"]);
});
