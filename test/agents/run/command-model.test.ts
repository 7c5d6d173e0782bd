import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readResultFile } from "../../../lib/agents/run/command-model.ts";
import { runModel } from "../../../lib/agents/run/run-model.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { makeFolder, plainEnv } from "../../process/arrange.ts";
import { fromReady, modelRun } from "../arrange.ts";

const shell = (script: string): string[] => ["sh", "-c", script];

test("a command model gets the prompt on standard input, and its output is its final text", async (t) => {
  const run = modelRun(t, { command: shell("cat; pwd; echo note >&2; exit 5") });
  const outcome = await runModel(run);
  assert.deepEqual(
    { ...outcome, durationMs: 0 },
    {
      end: { kind: "exited", exit_code: 5, signal: null, result_event: false, said: "note" },
      finalText: `do it${run.repo}\n`,
      costUsd: null,
      costSource: null,
      tokens: { input: null, output: null },
      turns: null,
      sessionId: null,
      error: null,
      durationMs: 0,
      ended: [],
      stdout: { bytes: 6 + run.repo.length, keptBytes: 6 + run.repo.length, cut: false },
      stderr: { bytes: 5, keptBytes: 5, cut: false },
      note: "it ended with exit code 5; its last output: note",
    },
  );
  assert.equal(readFileSync(run.stderrPath, "utf8"), "note\n");
});

test("the prompt comes as the last argument, or as a file only, if the configuration asks for it", async (t) => {
  const show = shell('for word; do echo "[$word]"; done; cat; echo "$TASK_PHASE_PROMPT_FILE"');
  const changes = { command: [...show, "x", "one"], args: ["two"] };
  const argument = modelRun(t, { ...changes, prompt: "argument" });
  assert.equal((await runModel(argument)).finalText, `[one]\n[two]\n[do it]\n${argument.promptFile}\n`);
  const file = modelRun(t, { ...changes, prompt: "file" });
  assert.equal((await runModel(file)).finalText, `[one]\n[two]\n${file.promptFile}\n`);
});

test("the environment holds what is named and what every model gets, and nothing else", async (t) => {
  const given = {
    ...plainEnv,
    HOME: "/home/me",
    LANG: "C",
    https_proxy: "http://proxy",
    NO_PROXY: "*",
    API_KEY: "value",
    OTHER_KEY: "hidden",
  };
  const run = modelRun(
    t,
    { command: ["env"], env: ["API_KEY", "NOT_SET", "TASK_PHASE_PASS"] },
    { env: { ...given, TASK_PHASE_PASS: "99" } },
  );
  const { OTHER_KEY: _, ...passed } = given;
  const expected = {
    ...passed,
    TASK_PHASE_MARK: run.mark.id,
    TASK_PHASE_PASS: "4",
    TASK_PHASE_PHASE: "implement",
    TASK_PHASE_PROMPT_FILE: run.promptFile,
    TASK_PHASE_REPO: run.repo,
    TASK_PHASE_RESULT_FILE: join(run.workFolder, "result.json"),
    TASK_PHASE_TASK_DIR: run.taskDir,
    TASK_PHASE_USAGE_FILE: join(run.workFolder, "usage.json"),
    GIT_REFLOG_ACTION: "task-phase model",
  };
  const lines = (await runModel(run)).finalText.trim().split("\n").sort();
  assert.deepEqual(
    lines,
    Object.entries(expected)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );
});

test("a command with a slash is relative to its configuration file, and runs in the repo", async (t) => {
  const run = modelRun(t, { command: ["./agent.sh"] });
  writeFileSync(join(run.model.folder, "agent.sh"), "#!/bin/sh\npwd\n");
  chmodSync(join(run.model.folder, "agent.sh"), 0o755);
  assert.equal((await runModel(run)).finalText, `${run.repo}\n`);
});

test("a usage file is read, and junk in it is reported", async (t) => {
  const wrote = async (text: string) => {
    const { costUsd, tokens, note } = await runModel(
      modelRun(t, { command: shell(`echo '${text}' > "$TASK_PHASE_USAGE_FILE"`) }),
    );
    return { costUsd, tokens, note };
  };
  assert.deepEqual(await wrote('{"cost_usd": 0.5, "output_tokens": 7}'), {
    costUsd: 0.5,
    tokens: { input: null, output: 7 },
    note: null,
  });
  assert.match((await wrote("junk")).note ?? "", /not a JSON object/);
});

test("a failure of the program is reported with the line that explains it; an end by the runner is not", async (t) => {
  const noteOf = async (script: string) => (await runModel(modelRun(t, { command: shell(script) }))).note;
  assert.equal(await noteOf("exit 3"), "it ended with exit code 3");
  assert.equal(
    await noteOf("echo 'error: no such key' >&2; echo bye >&2; kill -9 $$"),
    "it was killed by signal SIGKILL; its last output: error: no such key",
  );
  assert.equal(await noteOf("echo 'error: none' >&2"), null);
  const hangs = await runModel(modelRun(t, { command: shell("sleep 30") }, { timeoutMs: 100 }));
  assert.equal(hangs.note, null);
  const secret = { API_KEY: "correct-horse-battery" };
  const run = modelRun(
    t,
    { command: shell("echo key $API_KEY >&2; exit 1"), env: ["API_KEY"] },
    { env: { ...plainEnv, ...secret }, redactor: createRedactor(secret) },
  );
  assert.equal((await runModel(run)).note, "it ended with exit code 1; its last output: key [redacted:env]");
});

test("an exit without a word is no result", async (t) => {
  const { end } = await runModel(modelRun(t, { command: ["true"] }));
  assert.deepEqual(end, { kind: "exited", exit_code: 0, signal: null, result_event: false });
});

test("an end that is none of a work done has its last error: of standard error, else of standard output", async (t) => {
  const endOf = async (script: string) => (await runModel(modelRun(t, { command: shell(script) }))).end;
  const failed = { kind: "exited", exit_code: 3, signal: null, result_event: false };
  const trace = "throw new Error(x)\n    at f\nError: connection refused\n    at g\n";
  assert.deepEqual(await endOf(`echo working; printf '${trace}' >&2; exit 3`), {
    ...failed,
    said: "Error: connection refused",
  });
  assert.deepEqual(await endOf("echo 'fatal: no key'; exit 3"), { ...failed, said: "fatal: no key" });
  assert.deepEqual(await endOf("exit 3"), { ...failed, said: null });
  assert.deepEqual(await endOf("kill -9 $$"), { ...failed, exit_code: null, signal: "SIGKILL", said: null });
});

test("a model that hangs, is stopped or does not exist is reported as such", async (t) => {
  const hangs = await runModel(modelRun(t, { command: shell("sleep 30") }, { timeoutMs: 200 }));
  const timedOut = { kind: "timed_out", timeout_ms: 200 };
  assert.deepEqual([hangs.end, hangs.ended.length > 0], [{ ...timedOut, silent: true }, true]);
  const atWork = { command: shell("echo at work; : > ready; sleep 30") };
  const talks = await runModel(fromReady(modelRun(t, atWork, { timeoutMs: 200 })));
  assert.deepEqual(talks.end, timedOut);
  const abort = new AbortController();
  const stopped = await runModel(
    modelRun(t, { command: shell("sleep 30") }, { abort: abort.signal, onStart: () => abort.abort() }),
  );
  assert.deepEqual(stopped.end, { kind: "interrupted", reason: "the run was stopped", cause: "signal" });
  const absent = await runModel(modelRun(t, { command: ["no-such-agent"] }));
  assert.deepEqual([absent.end, absent.note], [{ kind: "not_started", reason: "no-such-agent was not found" }, null]);
});

test("secrets are redacted in the final text and in the log", async (t) => {
  const run = modelRun(
    t,
    { command: shell("echo $API_KEY"), env: ["API_KEY"] },
    {
      env: { ...plainEnv, API_KEY: "correct-horse-battery" },
      redactor: createRedactor({ API_KEY: "correct-horse-battery" }),
    },
  );
  assert.equal((await runModel(run)).finalText, "[redacted:env]\n");
  assert.equal(readFileSync(run.stdoutPath, "utf8"), "[redacted:env]\n");
});

test("a limit in its result file is one, whatever its exit code, and keeps its time", async (t) => {
  const write = (text: string) => `printf '%s' '${text}' > "$TASK_PHASE_RESULT_FILE"`;
  const run = (lines: string) =>
    runModel(
      modelRun(
        t,
        { command: shell(lines) },
        { timeoutMs: 5_000, redactor: createRedactor({ KEY_TOKEN: "hunter-two" }) },
      ),
    );
  const said = '{"limited": true, "until": "2026-12-01T09:00:00Z", "reason": "5-hour limit of hunter-two"}';
  for (const exit of ["echo done", "exit 1"]) {
    assert.deepEqual((await run(`${write(said)}; ${exit}`)).end, {
      ...{ kind: "limited", cause: "rate_limit", until: "2026-12-01T09:00:00.000Z" },
      reason: "mine: 5-hour limit of [redacted:env]",
    });
  }
  const broken = await run(`${write("{")}; echo done`);
  assert.deepEqual([broken.end.kind, broken.problems?.length], ["exited", 1]);
  assert.match(broken.note ?? "", /^the result file \(TASK_PHASE_RESULT_FILE\) is ignored: it is not JSON/);
});

test("rate_limit_patterns find a limit in the last lines of standard error of a failure, and nowhere else", async (t) => {
  const now = new Date("2026-11-22T04:00:00.000Z");
  const run = (lines: string) =>
    runModel(
      modelRun(
        t,
        { command: shell(lines), rateLimitPatterns: [/come back later/gi] },
        { timeoutMs: 5_000, now: () => now },
      ),
    );
  const limited = await run("echo 'Error: Come back later, try again in 2h' >&2; echo bye >&2; exit 7");
  assert.deepEqual(limited.end, {
    ...{ kind: "limited", cause: "rate_limit", until: "2026-11-22T06:00:00.000Z" },
    reason: "mine: Error: Come back later, try again in 2h",
  });
  const words = "come back later";
  const many = "i=0; while [ $i -lt 30 ]; do echo line >&2; i=$((i+1)); done";
  for (const lines of [
    `echo '${words}' >&2; echo done`,
    `echo '${words}'; exit 7`,
    `echo '${words}' >&2; ${many}; exit 7`,
    "echo 'rate limit' >&2; exit 7",
  ]) {
    assert.equal((await run(lines)).end.kind, "exited", lines);
  }
});

const now = Date.UTC(2026, 10, 22, 4, 0);

function readText(t: TestContext, text: string) {
  const path = join(makeFolder(t), "result.json");
  writeFileSync(path, text);
  return readResultFile(path, now);
}

test("a limit has a reason and a time, or one of them, or none", (t) => {
  const read = (value: object) => readText(t, JSON.stringify(value));
  const until = Date.UTC(2026, 11, 1, 9);
  for (const written of [
    "2026-12-01T09:00:00Z",
    "2026-12-01T10:00:00+01:00",
    until / 1_000,
    until,
    "Dec 1, 9am (UTC)",
  ]) {
    assert.deepEqual(read({ limited: true, until: written, reason: "plan" }), {
      limit: { reason: "plan", untilMs: until },
      problem: null,
    });
  }
  assert.deepEqual(read({ limited: true }), { limit: { reason: null, untilMs: null }, problem: null });
  assert.deepEqual(read({ limited: true, until: "in 2 hours", reason: null }).limit?.untilMs, now + 2 * 3_600_000);
  assert.deepEqual(read({ limited: false, until: "2026-12-01T09:00:00Z" }), { limit: null, problem: null });
});

test("no file says nothing", (t) => {
  assert.deepEqual(readResultFile(join(makeFolder(t), "none.json"), now), { limit: null, problem: null });
});

test("a file that is no such JSON counts for nothing, and the problem says what, where, and what is right", (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["{", /is ignored: it is not JSON; it should look like \{"limited": true, "until": "2026/],
    ["[]", /is ignored: limited: expected a value, found nothing/],
    ["null", /is ignored: expected Object, found null/],
    ['{"limited":"yes"}', /limited: expected boolean, found "yes"/],
    ['{"limited":true,"until":[]}', /until: expected/],
    [`{"limited":true,"reason":"${"x".repeat(70_000)}"}`, /is larger than 65536 bytes and was not read$/],
  ];
  for (const [text, expected] of cases) {
    const { limit, problem } = readText(t, text);
    assert.equal(limit, null, text);
    assert.match(problem ?? "", expected);
    assert.match(problem ?? "", /^the result file \(TASK_PHASE_RESULT_FILE\) /);
  }
});

test("a limit with an unreadable time is a limit without a time, and the problem names it", (t) => {
  const { limit, problem } = readText(t, '{"limited":true,"until":"some day"}');
  assert.deepEqual(limit, { reason: null, untilMs: null });
  assert.match(problem ?? "", /has an `until` that is not a time; write it as in/);
});

test("only regular files are read", (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "folder"));
  writeFileSync(join(folder, "file"), '{"limited":true}');
  symlinkSync(join(folder, "file"), join(folder, "link"));
  for (const name of ["folder", "link"]) {
    const { limit, problem } = readResultFile(join(folder, name), now);
    assert.equal(limit, null, name);
    assert.match(problem ?? "", /could not be read/);
  }
});
