import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import {
  attributeResult,
  type CheckSetRequest,
  excerptOf,
  nameLogs,
  runChecks,
} from "../../../lib/checks/runs/run-checks.ts";
import type { ContractCheck } from "../../../lib/documents/contract.ts";
import { createMark } from "../../../lib/process/mark.ts";
import type { CheckResult, CheckStatus } from "../../../lib/rules/check-run.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { agentPath } from "../../fake-agents/agent-path.ts";
import { patienceMs } from "../../patience.ts";
import { lives, makeFolder, pidIn, plainEnv } from "../../process/arrange.ts";

function check(name: string, script: string, changes: Partial<ContractCheck> = {}): ContractCheck {
  const expect = { minTests: null, output: null };
  return { name, command: ["sh", "-c", script], timeoutMs: 10_000, required: true, expect, ...changes };
}

function arrange(t: TestContext, changes: Partial<CheckSetRequest>): CheckSetRequest {
  const folder = makeFolder(t);
  for (const name of ["repo", "logs", "private"]) mkdirSync(join(folder, name));
  return {
    validators: [],
    scenarios: [],
    repo: join(folder, "repo"),
    env: plainEnv,
    logFolder: join(folder, "logs"),
    logRelative: "artifacts/passes/0001/validators",
    redactor: createRedactor({}),
    mark: createMark(join(folder, "private")),
    abort: null,
    before: null,
    graceMs: 150,
    ...changes,
  };
}

const short = (result: CheckResult): unknown[] => [
  result.name,
  result.kind,
  result.status,
  result.exit_code,
  result.attribution,
];
const log = (request: CheckSetRequest, name: string): string => readFileSync(join(request.logFolder, name), "utf8");

test("each check becomes a fact, with its log", async (t) => {
  const request = arrange(t, {
    validators: [check("tests", "pwd; echo broken >&2; exit 2", { required: false })],
    before: new Map([["tests", "pass"]]),
  });
  const { results, ended, aborted } = await runChecks(request);
  assert.deepEqual(
    { results: results.map((one) => ({ ...one, duration_ms: 0 })), ended, aborted },
    {
      results: [
        {
          name: "tests",
          kind: "validator",
          required: false,
          command: ["sh", "-c", "pwd; echo broken >&2; exit 2"],
          status: "fail",
          exit_code: 2,
          signal: null,
          duration_ms: 0,
          attribution: "regressed",
          log: "artifacts/passes/0001/validators/tests.log",
          excerpt: `${request.repo}\nbroken`,
          failure: { by: "other", tests: [], said: "broken" },
        },
      ],
      ended: [],
      aborted: false,
    },
  );
  assert.equal(
    log(request, "tests.log"),
    `$ sh -c 'pwd; echo broken >&2; exit 2'\n\n${request.repo}\nbroken\n\n[task-phase: exit code 2]\n`,
  );
});

test("the tests in a check's output are counted, and none in its command line", async (t) => {
  const request = arrange(t, {
    validators: [
      check("counted", "echo '3 passed, 1 skipped in 0.10s'; echo '1 failed, 1 passed in 0.20s' >&2"),
      check("silent", "true; # \n3 passed in 0.10s"),
    ],
  });
  const { results } = await runChecks(request);
  assert.deepEqual(
    results.map((one) => one.tests),
    [{ ran: 5, failed: 1, skipped: 1 }, undefined],
  );
});

test("a check that ends well and misses what the brief expects of its output has failed", async (t) => {
  const expect = (minTests: number | null, output: string | null) => ({ expect: { minTests, output } });
  const request = arrange(t, {
    validators: [
      check("enough", "echo '12 passed in 0.1s'", expect(12, "12 passed")),
      check("few", "echo '3 passed in 0.1s'", expect(12, null)),
      check("none", "echo fine", expect(1, null)),
      check("words", "echo fine; # 12 passed", expect(null, "12 passed")),
      check("broken", "exit 3", expect(12, null)),
    ],
  });
  const { results } = await runChecks(request);
  assert.deepEqual(
    results.map((one) => [one.name, one.status, one.exit_code, one.unmet]),
    [
      ["enough", "pass", 0, undefined],
      ["few", "fail", 0, "the brief expects at least 12 tests, but its output shows 3 that ran"],
      ["none", "fail", 0, "the brief expects at least 1 test, but its output shows no count of tests"],
      ["words", "fail", 0, 'the brief expects "12 passed" in its output, but it is not there'],
      ["broken", "fail", 3, undefined],
    ],
  );
});

test("the end of one check does not end the others", async (t) => {
  const request = arrange(t, {
    validators: [check("quick", "exit 0"), check("slow", "sleep 0.5 & wait $!; echo whole"), check("bad", "exit 1")],
  });
  const { results, ended } = await runChecks(request);
  assert.deepEqual(results.map(short), [
    ["quick", "validator", "pass", 0, null],
    ["slow", "validator", "pass", 0, null],
    ["bad", "validator", "fail", 1, null],
  ]);
  assert.deepEqual([results[1]?.excerpt, ended], ["whole", []]);
});

test("validators run at the same time, scenarios after them", async (t) => {
  const meet = (mine: string, other: string): string => `touch ${mine}; until [ -e ${other} ]; do sleep 0.02; done`;
  const request = arrange(t, {
    validators: [
      check("a", meet("a", "b"), { timeoutMs: patienceMs }),
      check("b", meet("b", "a"), { timeoutMs: patienceMs }),
    ],
    scenarios: [check("c", "[ -e a ] && [ -e b ]")],
  });
  const { results } = await runChecks(request);
  assert.deepEqual(
    results.map((one) => [one.kind, one.status]),
    [
      ["validator", "pass"],
      ["validator", "pass"],
      ["scenario", "pass"],
    ],
  );
});

test("a check that takes too long, ends by a signal or cannot start is reported as such", async (t) => {
  const runWithin = async (timeoutMs: number) => {
    const request = arrange(t, {
      validators: [
        check("hangs", "sleep 30 & echo working; wait", { timeoutMs }),
        check("crashes", "kill -SEGV $$"),
        check("absent", "", { command: ["no-such-tool", "it's"] }),
      ],
    });
    return { request, timeoutMs, ...(await runChecks(request)) };
  };
  let ran = await runWithin(200);
  // A busy machine may not have come to its word by then.
  while (ran.results[0]?.excerpt === "" && ran.timeoutMs < patienceMs) ran = await runWithin(4 * ran.timeoutMs);
  const { request, timeoutMs, results, ended } = ran;
  assert.deepEqual(
    results.map((one) => [one.status, one.exit_code, one.signal, one.excerpt]),
    [
      ["timeout", null, "SIGTERM", "working"],
      ["fail", null, "SIGSEGV", ""],
      ["not_started", null, null, "not started: no-such-tool was not found"],
    ],
  );
  assert.equal(ended.length, 2, "the shell, and what it waits for");
  assert.ok(log(request, "hangs.log").endsWith(`\n[task-phase: ended at its timeout of ${timeoutMs} ms]\n`));
  assert.match(log(request, "crashes.log"), /\n\[task-phase: ended by SIGSEGV\]\n$/);
  assert.equal(
    log(request, "absent.log"),
    "$ no-such-tool 'it'\\''s'\n\n\n[task-phase: not started: no-such-tool was not found]\n",
  );
});

test("a check that passes and leaves a daemon passes, and the daemon is ended", async (t) => {
  const request = arrange(t, {
    validators: [check("serves", "", { command: [agentPath("leaves-a-daemon.sh"), "pid"] })],
  });
  const { results, ended } = await runChecks(request);
  // It may have been seen first before it was called sleep.
  assert.deepEqual([results[0]?.status, ended.length], ["pass", 1]);
  assert.equal(lives(pidIn(join(request.repo, "pid"))), false);
});

test("an abort cuts the set short", async (t) => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 250);
  const request = arrange(t, {
    abort: abort.signal,
    validators: [check("long", "sleep 30")],
    scenarios: [check("after", "touch ran")],
  });
  const { results, aborted } = await runChecks(request);
  assert.equal(aborted, true);
  assert.deepEqual(
    results.map((one) => one.status),
    ["fail", "fail"],
  );
  assert.match(log(request, "after.log"), /\[task-phase: aborted\]/);
});

test("an error of the disk is thrown only after every check has ended", async (t) => {
  const request = arrange(t, {
    validators: [check("one", "echo $$ > pid; sleep 0.3; touch done"), check("two", "exit 0")],
  });
  mkdirSync(join(request.logFolder, "two.log"));
  await assert.rejects(runChecks(request), { name: "TaskPhaseError", exitName: "failure" });
  assert.equal(lives(pidIn(join(request.repo, "pid"))), false);
});

test("secrets stand neither in the log nor in the result", async (t) => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  const request = arrange(t, { redactor, validators: [check("leaks", "echo correct-horse-battery; exit 1")] });
  const { results } = await runChecks(request);
  assert.equal(`${JSON.stringify(results)}${log(request, "leaks.log")}`.includes("correct-horse"), false);
});

test("a log is named after its check", () => {
  assert.deepEqual(nameLogs(["tests", "type check", "e2e/web: login", "v1.2"]), [
    "tests.log",
    "type-check.log",
    "e2e-web-login.log",
    "v1.2.log",
  ]);
});

test("names that would meet are numbered, also where only letter case tells them apart", () => {
  assert.deepEqual(nameLogs(["lint", "Lint", "lint!", "lint-2"]), [
    "lint.log",
    "Lint-2.log",
    "lint-3.log",
    "lint-2-2.log",
  ]);
});

test("any names give safe and different files", () => {
  assert.deepEqual(nameLogs(["../..", "проверка", "", "\0"]), [
    "check.log",
    "check-2.log",
    "check-3.log",
    "check-4.log",
  ]);
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (names) => {
      const files = nameLogs(names);
      assert.equal(new Set(files.map((file) => file.toLowerCase())).size, names.length);
      for (const file of files) assert.match(file, /^[A-Za-z0-9_][A-Za-z0-9._-]{0,70}\.log$/);
    }),
  );
});

const statuses: CheckStatus[] = ["pass", "fail", "timeout", "not_started"];
const against = (before: CheckStatus) => statuses.map((now) => attributeResult("a", now, new Map([["a", before]])));

test("a check that passed before the work is clean or regressed", () => {
  assert.deepEqual(against("pass"), ["clean", "regressed", "regressed", "regressed"]);
});

test("a check that did not pass before the work is fixed or was broken before", () => {
  const expected = ["fixed", "broken_before", "broken_before", "broken_before"];
  assert.deepEqual(statuses.slice(1).map(against), [expected, expected, expected]);
});

test("without results before the work, or where it does not know the check, nothing is attributed", () => {
  assert.deepEqual(
    [attributeResult("a", "pass", null), attributeResult("a", "fail", new Map([["b", "pass"]]))],
    [null, null],
  );
});

const plain = createRedactor({});

test("a short output is shown whole, without colours and empty ends", () => {
  assert.equal(excerptOf("\n\u001b[31m1 failing\u001b[0m\r\n  at a.js\n\n", plain), "1 failing\n  at a.js");
});

test("a long output is shown by its last whole lines, at most 2,000 characters", () => {
  const all = Array.from({ length: 500 }, (_, n) => `line ${n}`).join("\n");
  const excerpt = excerptOf(all, plain);
  assert.ok(excerpt.length <= 2_000 && excerpt.length > 1_900);
  assert.match(excerpt, /^line \d+\n/);
  assert.ok(all.endsWith(excerpt));
});

test("one long line is shown by its end", () => {
  assert.equal(excerptOf(`${"a".repeat(9_000)}z`, plain), `${"a".repeat(1_999)}z`);
  assert.equal(excerptOf(`x${"😀".repeat(1_000)}a`, plain), `${"😀".repeat(999)}a`);
});

test("control characters are written out", () => {
  assert.equal(excerptOf("a\u0007b\u202ec", plain), "a\\x07b\\u{202e}c");
});

test("a secret that was hidden by a colour in its middle is redacted", () => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  assert.equal(excerptOf("key correct-\u001b[1mhorse-battery.", redactor), "key [redacted:env].");
});

test("a check that fails because its disk is full ends the run instead", async (t) => {
  const request = arrange(t, { validators: [check("tests", "yes > filled")] });
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", request.repo]).status !== 0)
    return t.skip("a small file system can be mounted by root only");
  try {
    const message = `cannot run tests in ${request.repo}: the disk is full (ENOSPC)`;
    await assert.rejects(runChecks(request), { name: "TaskPhaseError", exitName: "failure", message });
  } finally {
    spawnSync("umount", [request.repo]);
  }
});
