import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { endRunner } from "../../lib/process/end-runner.ts";
import { identifyPid } from "../../lib/process/identity.ts";
import { hasProcTable, readRow } from "../../lib/process/proc-table.ts";
import { lives, plainEnv } from "./arrange.ts";

const noProc = hasProcTable() ? false : "no /proc";

test("a runner in a person's terminal is ended alone: the shell and what else runs there stay", {
  skip: noProc,
}, async (t) => {
  // A session as that of a terminal: a shell leads it, and the runner is one of its children.
  const runner = `sh -c 'trap "" TERM; sleep 60 & echo $!; while :; do wait; done'`;
  const shell = spawn("sh", ["-c", `sleep 60 & echo $!; ${runner} & echo $!; wait`], {
    detached: true,
    env: plainEnv,
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(() => process.kill(-(shell.pid ?? 0), "SIGKILL"));
  let said = "";
  shell.stdout.setEncoding("utf8");
  while (said.split("\n").length < 4) said += String((await once(shell.stdout, "data"))[0]);
  const numbers = said.trim().split("\n").map(Number);
  const [editor, ...rest] = numbers;
  assert(editor !== undefined && shell.pid !== undefined);
  // Which of the two wrote first is not told: the child of the runner is the one whose parent is no shell of ours.
  const [first, second] = rest;
  assert(first !== undefined && second !== undefined);
  const head = readRow(first)?.parent === shell.pid ? first : second;
  const child = head === first ? second : first;
  assert.equal(await endRunner(identifyPid(head, "sh"), null, [], 100), true);
  assert.deepEqual([head, child, editor, shell.pid].map(lives), [false, false, true, true]);
});
