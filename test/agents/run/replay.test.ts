import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ModelRun } from "../../../lib/agents/run/model-run.ts";
import { runModel } from "../../../lib/agents/run/run-model.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { modelRun } from "../arrange.ts";

function write(folder: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

function recorded(t: TestContext, files: Record<string, string | Buffer>, changes: Partial<ModelRun> = {}): ModelRun {
  const run = modelRun(t, { adapter: "replay", command: null }, changes);
  write(run.model.recordings ?? "", files);
  return run;
}

const read = (folder: string, name: string): string => readFileSync(join(folder, name), "latin1");

test("a recording gives its files, output, usage and exit code", async (t) => {
  const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x0d, 0x0a, 0xff]);
  const run = recorded(t, {
    "0001/task/STATE.md": bytes,
    "0001/task/artifacts/deep/proof.txt": "ok",
    "0001/repo/src/tool.sh": "#!/bin/sh\n",
    "0001/output.txt": "done\n",
    "0001/usage.json": '{"cost_usd": 0.2}',
    "0001/exit_code": "3\n",
  });
  chmodSync(join(run.model.recordings ?? "", "0001/repo/src/tool.sh"), 0o755);
  const outcome = await runModel(run);
  assert.deepEqual(
    { ...outcome, durationMs: 0 },
    {
      end: { kind: "exited", exit_code: 3, signal: null, result_event: false, said: "done" },
      finalText: "done\n",
      costUsd: 0.2,
      costSource: "reported",
      tokens: { input: null, output: null },
      turns: null,
      sessionId: null,
      error: null,
      durationMs: 0,
      ended: [],
      stdout: { bytes: 5, keptBytes: 5, cut: false },
      stderr: { bytes: 0, keptBytes: 0, cut: false },
      note: null,
    },
  );
  assert.deepEqual(readFileSync(join(run.taskDir, "STATE.md")), bytes);
  assert.equal(read(run.taskDir, "artifacts/deep/proof.txt"), "ok");
  assert.equal(statSync(join(run.repo, "src/tool.sh")).mode & 0o777, 0o755);
  assert.deepEqual([readFileSync(run.stdoutPath, "utf8"), readFileSync(run.stderrPath, "utf8")], ["done\n", ""]);
});

test("recordings are played in the order of their numbers, one a pass, and then there is none left", async (t) => {
  const files = { "0002/output.txt": "two", "0010/output.txt": "ten", "1/output.txt": "one", "notes/output.txt": "no" };
  const said = async (playedRecordings: number) => (await runModel(recorded(t, files, { playedRecordings }))).finalText;
  assert.deepEqual([await said(0), await said(1), await said(2)], ["one", "two", "ten"]);
  const { end, stdout } = await runModel(recorded(t, files, { playedRecordings: 3 }));
  assert.deepEqual(end, { kind: "not_started", reason: "no recording is left: 3 of 3 were played" });
  assert.equal(stdout.bytes, 0);
});

test("a recording of nothing but its folder exits with 0 and no result", async (t) => {
  const run = recorded(t, { "0001/output.txt": "" });
  assert.deepEqual((await runModel(run)).end, { kind: "exited", exit_code: 0, signal: null, result_event: false });
});

test("an empty NAME.delete deletes NAME; one with content is a file like any other", async (t) => {
  const run = recorded(t, {
    "0001/repo/old.js.delete": "",
    "0001/repo/gone.delete": "",
    "0001/repo/keep.delete": "text",
  });
  write(run.repo, { "old.js": "old", keep: "kept" });
  await runModel(run);
  assert.deepEqual(readdirSync(run.repo).sort(), ["keep", "keep.delete"]);
});

test("a file takes the place of a file, a link and a folder, and no link is followed", async (t) => {
  const run = recorded(t, { "0001/repo/a": "new a", "0001/repo/b": "new b", "0001/repo/c": "new c" });
  write(run.repo, { a: "old", "c/inner": "old" });
  write(run.workFolder, { outside: "precious" });
  symlinkSync(join(run.workFolder, "outside"), join(run.repo, "b"));
  await runModel(run);
  assert.deepEqual(
    ["a", "b", "c"].map((name) => read(run.repo, name)),
    ["new a", "new b", "new c"],
  );
  assert.equal(read(run.workFolder, "outside"), "precious");
  assert.deepEqual(readdirSync(run.repo), ["a", "b", "c"]);
});

test("a recording that cannot be played is refused before anything is written", async (t) => {
  const refused = async (run: ModelRun): Promise<string> => {
    const { end } = await runModel(run);
    assert.equal(existsSync(join(run.repo, "a")), false);
    return end.kind === "not_started" ? end.reason.replaceAll(dirname(run.repo), "") : end.kind;
  };
  const linked = recorded(t, { "0001/repo/a": "a" });
  symlinkSync("a", join(linked.model.recordings ?? "", "0001/repo/b"));
  assert.equal(
    await refused(linked),
    "recording 0001 cannot be played: /recordings/0001/repo/b is neither a file nor a folder: recordings cannot contain links",
  );

  const outside = recorded(t, { "0001/repo/a": "a", "0001/repo/sub/inner/c": "c" });
  symlinkSync(outside.workFolder, join(outside.repo, "sub"));
  assert.equal(
    await refused(outside),
    "recording 0001 cannot be played: /repo/sub is not a folder, so a recorded one cannot be copied over it",
  );
  assert.equal(existsSync(join(outside.workFolder, "inner")), false);

  assert.equal(
    await refused(recorded(t, { "0001/repo": "a" })),
    "recording 0001 cannot be played: /recordings/0001/repo should be a folder",
  );
  const numberless = recorded(t, { "0001/repo/a": "a", "0001/exit_code": "soon" });
  assert.equal(await refused(numberless), "recording 0001 cannot be played: exit_code should hold a number");
  const folder = recorded(t, { "0001/repo/a": "a", "0001/output.txt/x": "" });
  assert.equal(await refused(folder), "recording 0001 cannot be played: output.txt could not be read (folder)");
});

test("an abort before the start plays nothing", async (t) => {
  const run = recorded(t, { "0001/repo/a": "a" }, { abort: AbortSignal.abort() });
  assert.deepEqual((await runModel(run)).end, { kind: "interrupted", reason: "the run was stopped", cause: "signal" });
  assert.deepEqual(readdirSync(run.repo), []);
});

test("a disk that refuses is an error", async (t) => {
  const run = recorded(t, { "0001/task/long/x": "x" }, { taskDir: "/sys/task-phase-test" });
  await assert.rejects(runModel(run), { name: "TaskPhaseError", exitName: "failure" });
});

test("a target that cannot be looked at is refused", async (t) => {
  const run = recorded(t, { "0001/task/x": "x" }, { taskDir: `/tmp/${"a".repeat(300)}` });
  const { end } = await runModel(run);
  assert.match(end.kind === "not_started" ? end.reason : "", /^recording 0001 cannot be played: ENAMETOOLONG/);
});

test("recorded output is redacted", async (t) => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  const run = recorded(t, { "0001/output.txt": "correct-horse-battery" }, { redactor });
  assert.equal((await runModel(run)).finalText, "[redacted:env]");
  assert.equal(readFileSync(run.stdoutPath, "utf8"), "[redacted:env]");
});
