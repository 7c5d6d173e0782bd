import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { separateCells } from "../../lib/checks/cell-sandbox.ts";
import { findBwrap, trySandbox } from "../../lib/process/bwrap.ts";

const bwrap = findBwrap(process.env.PATH ?? "", []);
const skip = bwrap === null || trySandbox(bwrap) !== null ? { skip: "bubblewrap cannot be used here" } : {};

test("a check in a copy finds nothing that was left for it on the machine", skip, (t) => {
  const root = realpathSync(mkdtempSync("/var/tmp/task-phase-separate-"));
  const left = mkdtempSync("/dev/shm/task-phase-left-");
  t.after(() => [root, left].forEach((folder) => void rmSync(folder, { recursive: true })));
  for (const name of ["repo", "runner/copy", "home", "tasks"]) mkdirSync(path.join(root, name), { recursive: true });
  const at = (name: string): string => path.join(root, name);
  for (const file of [at("repo/answer"), path.join(left, "answer"), at("runner/copy/work")]) writeFileSync(file, "42");
  const since = Date.now();
  while (Date.now() <= since + 20);
  writeFileSync(at("parts"), "42");
  const { wrap, reason, isSeen } = separateCells(at("repo"), at("tasks"), [at("runner")], {
    env: { PATH: process.env.PATH ?? "" },
    home: at("home"),
    isNew: (birth: number) => birth > since,
  });
  assert.equal(reason, null);
  assert(wrap !== null);
  const run = (script: string): string => {
    const [program = "", ...words] = wrap(["sh", "-c", script], at("runner/copy"), [at("runner/copy")]);
    return execFileSync(program, words, { encoding: "utf8" }).trim();
  };
  assert.equal(run(`cat ${at("repo/answer")} ${left}/answer 2>/dev/null || echo none`), "none");
  // What came to be beside the repo since.
  assert.equal(run(`cat ${at("parts")} 2>/dev/null || echo none`), "none");
  assert.deepEqual(["parts", "repo/a", "home", "tasks"].map(at).map(isSeen), [true, false, true, true]);
  assert.equal(run("cat work; echo made > made; cat made"), "42made");
  assert.equal(run("cat /proc/sys/kernel/hostname"), "elsewhere");
  assert.equal(run("cat /proc/1/comm"), "bwrap");
  assert.equal(run("echo x > /dev/shm/x && cat /dev/shm/x"), "x");
});

test("what cannot be hidden is not, and without bubblewrap the reason is given", skip, () => {
  const home = realpathSync(process.env.HOME ?? "/");
  const { wrap } = separateCells(home, path.join(home, "tasks"), [], {
    env: { PATH: process.env.PATH ?? "" },
    home,
    isNew: (birth: number) => birth > 0,
  });
  assert(wrap !== null);
  assert(!wrap(["true"], "/", []).join(" ").includes(`--tmpfs ${home} `));
  const { reason, isSeen, ...none } = separateCells("/repo", "/tasks", [], {
    ...{ env: { PATH: "" }, home: "/home/x", isNew: (birth: number) => birth > 0 },
  });
  assert.deepEqual([none.wrap, reason, isSeen("/repo")], [null, "bubblewrap is not installed", true]);
});
