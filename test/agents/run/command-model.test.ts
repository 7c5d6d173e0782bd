import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runModel } from "../../../lib/agents/run/run-model.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { plainEnv } from "../../process/arrange.ts";
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
