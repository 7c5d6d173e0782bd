import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandResult } from "../../lib/cli/command.ts";
import { readWords } from "../../lib/cli/read-words.ts";
import { reportResult } from "../../lib/cli/report-result.ts";
import { errorFinding, warningFinding } from "../../lib/report/finding.ts";

const warning = warningFinding("TP_W", "odd");
const error = errorFinding("TP_E", "bad");
const base: CommandResult = {
  exitName: "ok",
  json: { tasks: 1 },
  story: ["story"],
  answer: ["answer"],
  findings: [warning],
};

test("the answer goes to stdout, findings and story to stderr", () => {
  assert.deepEqual(report(base), { stdout: "answer\n", stderr: "warning: odd [TP_W]\nstory\n" });
});

test("with --json stdout holds the object alone", () => {
  assert.deepEqual(report(base, "--json"), {
    stdout: `${JSON.stringify({ command: "status", exit_code: 0, exit_name: "ok", findings: [warning], tasks: 1 })}\n`,
    stderr: "warning: odd [TP_W]\nstory\n",
  });
});

test("a command's own keys never replace the exit", () => {
  const { stdout } = report(
    { ...base, exitName: "blocked", json: { exit_code: 0, findings: [] } },
    "--json",
    "--quiet",
  );
  assert.deepEqual(JSON.parse(stdout), { command: "status", exit_code: 21, exit_name: "blocked", findings: [warning] });
});

test("--quiet says nothing where the end is ok or locked", () => {
  assert.deepEqual(report(base, "--quiet"), { stdout: "", stderr: "" });
  assert.deepEqual(report({ ...base, exitName: "locked", findings: [error] }, "--quiet"), { stdout: "", stderr: "" });
});

test("--quiet shows errors, or the story of a bad end that has none", () => {
  const blocked = { ...base, exitName: "blocked" as const };
  assert.deepEqual(report({ ...blocked, findings: [warning, error] }, "--quiet"), {
    stdout: "",
    stderr: "error: bad [TP_E]\n",
  });
  assert.deepEqual(report(blocked, "--quiet"), { stdout: "", stderr: "story\n" });
});

function report(result: CommandResult, ...argv: string[]) {
  const out = { stdout: "", stderr: "" };
  const stream = (name: "stdout" | "stderr") => ({
    write(text: string) {
      out[name] += text;
    },
  });
  const io = {
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    env: {},
    cwd: "/",
    now: () => new Date(0),
    sleep: async () => {},
  };
  reportResult(result, readWords(["status", ...argv], null), io);
  return out;
}
