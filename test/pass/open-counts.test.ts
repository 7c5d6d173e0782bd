import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { makeTaskWorld } from "../cli/task-world.ts";

/**
 * A pass reads its task before the model works, and what the model left after it. Every read in between would be of
 * files that cannot have changed, or would show a third party at work where only the guard may look.
 */
const reasons = {
  // The pass; where it works; whom it pings at the end.
  "task-phase.yaml": { "task/open-task": 1, "cli/workspace": 1, "cli/pass-ports": 1 },
  "README.md": { "task/open-task": 1, "task/list-tasks": 1 },
  // Before the model; its proposal.
  "STATE.md": { "task/open-task": 1, "pass/read-proposal": 1 },
  "TASKS.md": { "task/open-task": 1, "pass/validate": 1 },
  // Before the model; what it asks; what is open when the verdict is written.
  "DECISIONS.md": { "task/open-task": 1, "pass/validate": 1, "pass/verdict/stop-task": 1 },
  // Before the model; the rows that the pass added; the agent's parts, which the runner's new parts go beside.
  "EVIDENCE.md": { "task/open-task": 1, "pass/validate": 1, "pass/verdict/write-evidence": 1 },
  "artifacts/journal.jsonl": { "task/open-task": 1 },
};

/** Reads that compare bytes on purpose: the guard's, and what stands in the journal before each append. */
const compares = ["store/snapshot", "task/guard/guard", "task/guard/state-file", "store/put-file", "task/commit-event"];

const hook = `
const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const open = fs.openSync;
let isLogging = false;
Error.stackTraceLimit = 60;
fs.openSync = function (path, flags, ...rest) {
  const isRunner = process.argv[2] === "task-phase-run";
  if (!isLogging && isRunner && typeof path === "string" && ((flags ?? 0) & 3) === 0) {
    isLogging = true;
    const files = new Error("opened").stack.matchAll(/dist\\/lib\\/([^:]+?)\\.js/g);
    const line = JSON.stringify({ path, by: [...files].map(([, file]) => file) });
    fs.writeFileSync(LOG, line + "\\n", { flag: "a" });
    isLogging = false;
  }
  return open.call(this, path, flags, ...rest);
};
syncBuiltinESMExports();
`;

// The bundle is one file, so its stacks name no file of lib/.
process.env.TASK_PHASE_TEST_SOURCES = "1";

test("a pass opens no file of its task more often than it has a reason to", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("opens", {
    state: { phase: "implement" },
    files: {
      "TASKS.md": "# Tasks\n\n- [ ] Export the answer\n",
      "DECISIONS.md": "# Decisions\n\nNone.\n",
      "EVIDENCE.md": "# Evidence\n",
    },
  });
  task.propose({ repo: { "answer.txt": "42\n" } });
  const log = world.write("opens.jsonl", "");
  const preload = world.write("hook.cjs", hook.replace("LOG", JSON.stringify(log)));
  // Files younger than this are read again under the lock, since they may change within one tick of the clock.
  await setTimeout(150);
  const end = await world.run("task-phase-run", ["--task-dir", task.taskDir], {
    env: { NODE_OPTIONS: `--require=${preload}` },
  });
  assert.equal(end.code, 0, end.stderr);
  assert.equal(task.calls(), 1);
  const opened = new Map<string, string[]>();
  for (const line of readFileSync(log, "utf8").trim().split("\n")) {
    const { path, by } = JSON.parse(line) as { path: string; by: string[] };
    const name = path.startsWith(`${task.taskDir}/`) ? relative(task.taskDir, path) : (path.split("/").at(-1) ?? "");
    if (!(name in reasons) || !path.startsWith(task.folder) || path.startsWith(`${task.folder}/repo/`)) continue;
    if (by.some((file) => compares.includes(file))) continue;
    opened.set(name, [...(opened.get(name) ?? []), by.join(" < ")]);
  }
  for (const [name, allowed] of Object.entries(reasons)) {
    const ways = opened.get(name) ?? [];
    const counted: Record<string, number> = {};
    for (const way of ways) {
      const reason = Object.keys(allowed).find((file) => way.split(" < ").includes(file)) ?? way;
      counted[reason] = (counted[reason] ?? 0) + 1;
    }
    // Not every pass has each reason: this one runs no check.
    const most: Readonly<Record<string, number>> = allowed;
    const more = Object.entries(counted).filter(([reason, count]) => count > (most[reason] ?? 0));
    assert.deepEqual(more, [], `${name}\n${ways.join("\n")}`);
    assert.equal(counted["task/open-task"], 1, name);
    assert.ok(ways.length <= 3, name);
  }
});
