import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { mayBeAhead } from "../../../lib/queue/views/may-be-ahead.ts";
import { makeFolder } from "../../process/arrange.ts";

function place(t: Parameters<typeof makeFolder>[0]) {
  const root = makeFolder(t);
  const tasks = join(root, "repo", "tasks");
  mkdirSync(tasks, { recursive: true });
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, "repo", name)), { recursive: true });
    writeFileSync(join(root, "repo", name), text);
  };
  const ask = () => mayBeAhead(tasks, { configFlag: null, env: {}, home: join(root, "home"), cwd: root });
  return { root, write, ask };
}

test("without a repository no task has a branch", (t) => {
  const { write, ask } = place(t);
  assert.equal(ask(), false);
  write(".git/refs/heads/main", "x");
  assert.equal(ask(), false);
});

test("a branch of a task is seen in its file and among the packed ones", (t) => {
  const { root, write, ask } = place(t);
  write(".git/refs/heads/task-phase/T-1", "x");
  assert.equal(ask(), true);
  rmSync(join(root, "repo/.git/refs/heads/task-phase"), { recursive: true });
  assert.equal(ask(), false);
  write(".git/packed-refs", "1111 refs/heads/task-phase/T-1\n");
  assert.equal(ask(), true);
});

test("other names of branches, a linked working tree and refs that are no files may have one", (t) => {
  const named = place(t);
  named.write(".git/refs/heads/main", "x");
  named.write("task-phase.yaml", "# ref: x\nfleet: {}\n");
  assert.equal(named.ask(), false);
  named.write("task-phase.yaml", "fleet: { ref: 'agents/{id}' }\n");
  assert.equal(named.ask(), true);
  const linked = place(t);
  linked.write(".git", "gitdir: ../other\n");
  assert.equal(linked.ask(), true);
  const other = place(t);
  other.write(".git/refs/heads/main", "x");
  other.write(".git/reftable/tables.list", "");
  assert.equal(other.ask(), true);
});

test("what is no file is not read, since that could last for ever", (t) => {
  for (const name of ["task-phase.yaml", ".git/packed-refs"]) {
    const { root, write, ask } = place(t);
    write(".git/refs/heads/main", "x");
    symlinkSync("/dev/zero", join(root, "repo", name));
    assert.equal(ask(), true);
  }
});
