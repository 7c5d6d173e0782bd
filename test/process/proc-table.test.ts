import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { identify, identifyPid } from "../../lib/process/identity.ts";
import { childMark, createMark, type ProcessMark } from "../../lib/process/mark.ts";
import { hasProcTable, listPids, ownLine, readRow, readRowOnce, readTable } from "../../lib/process/proc-table.ts";
import { findSurvivors } from "../../lib/process/survivors.ts";
import { makeFolder } from "./arrange.ts";

/** A made-up /proc. */
function fakeProc(folder: string, stats: Record<string, string>): string {
  for (const [pid, stat] of Object.entries(stats)) {
    mkdirSync(join(folder, pid));
    writeFileSync(join(folder, pid, "stat"), stat);
  }
  return folder;
}

const stat = (pid: number, name: string, state: string, parent: number, start: number): string =>
  `${pid} (${name}) ${state} ${parent} 10 11 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 ${start} 1000 10\n`;

test("a row is read whatever the program calls itself", (t) => {
  const root = fakeProc(makeFolder(t), { 42: stat(42, "a) S 1 (b", "S", 7, 555), self: "no number" });
  assert.deepEqual(
    [...readTable(root)],
    [[42, { pid: 42, parent: 7, group: 10, session: 11, startTime: "555", ended: false, name: "a) S 1 (b" }]],
  );
});

test("the parent and session of a process that is older than this one are not read", (t) => {
  const folder = makeFolder(t);
  const own = (start: number) => stat(process.pid, "node", "S", 1, start);
  const root = fakeProc(folder, {
    [process.pid]: own(100),
    5: stat(5, "old", "S", 7, 99),
    6: stat(6, "new", "S", 7, 100),
  });
  const row = (pid: number) => readRowOnce(pid, root, true);
  assert.deepEqual([row(5)?.parent, row(5)?.session, row(5)?.startTime], [0, 0, "99"]);
  assert.deepEqual([row(6)?.parent, row(6)?.session, row(6)?.startTime], [7, 11, "100"]);
  // Its file is not read again, nor is it remembered when another process has its number.
  writeFileSync(join(folder, "5", "stat"), stat(5, "old", "S", 8, 99));
  assert.equal(row(5), row(5));
  renameSync(join(folder, "5"), join(folder, "gone"));
  assert.equal(row(5), null);
  fakeProc(folder, { 5: stat(5, "young", "S", process.pid, 101) });
  assert.deepEqual([row(5)?.name, row(5)?.parent], ["young", process.pid]);
});

test("a process that took the number of an older one between two looks is one of ours", (t) => {
  const folder = makeFolder(t);
  const root = fakeProc(folder, {
    [process.pid]: stat(process.pid, "node", "S", 1, 100),
    5: stat(5, "old", "S", 7, 99),
  });
  assert.equal(readRowOnce(5, root, true)?.name, "old");
  renameSync(join(folder, "5"), join(folder, "gone"));
  fakeProc(folder, { 5: stat(5, "young", "S", process.pid, 101) });
  assert.equal(readRowOnce(5, root, true)?.name, "young");
});

test("the processes of this machine are listed, older ones with their start only", () => {
  const child = spawn("sleep", ["60"]);
  try {
    const pid = child.pid ?? assert.fail();
    assert.equal(readRowOnce(pid)?.parent, process.pid);
    const parent = readRowOnce(process.ppid);
    assert.equal(parent?.startTime, readRow(process.ppid)?.startTime);
    assert.equal(readRowOnce(process.ppid), parent);
  } finally {
    child.kill("SIGKILL");
  }
});

test("a process that ended uncollected counts as ended", (t) => {
  const root = fakeProc(makeFolder(t), {
    2: stat(2, "z", "Z", 1, 5),
    3: stat(3, "x", "X", 1, 5),
    4: stat(4, "t", "T", 1, 5),
  });
  assert.deepEqual(
    [2, 3, 4].map((pid) => readRow(pid, root)?.ended),
    [true, true, false],
  );
});

test("a process counts as ended while it ends, and only if no thread of it goes on", (t) => {
  const line = (flags: number, threads: number) =>
    `7 (node) ${flags === 4 ? "R" : "Z"} 1 10 11 0 -1 ${flags} 0 0 0 0 1 1 0 0 20 0 ${threads} 0 5 1000 10\n`;
  const ended = (flags: number, threads: number, others: readonly string[]): boolean | undefined => {
    const root = fakeProc(makeFolder(t), { 7: line(flags, threads) });
    mkdirSync(join(root, "7/task"));
    fakeProc(join(root, "7/task"), Object.fromEntries(others.map((other, at) => [String(7 + at), other])));
    return readRow(7, root)?.ended;
  };
  const running = stat(8, "node", "S", 1, 5);
  assert.deepEqual(
    [
      ended(4, 1, []),
      ended(4, 2, [line(4, 2), running]),
      ended(0, 2, [line(0, 2), running]),
      ended(0, 2, [line(0, 2), line(4, 2)]),
    ],
    [true, false, false, true],
  );
});

test("anything but a process table reads as none", (t) => {
  const root = fakeProc(makeFolder(t), { 5: "nonsense", 6: "6 (short) S 1" });
  assert.deepEqual([readRow(5, root), readRow(6, root), readRow(7, root)], [null, null, null]);
  assert.deepEqual([hasProcTable(root), hasProcTable(join(root, "absent")), hasProcTable()], [false, false, true]);
  assert.deepEqual(listPids(join(root, "absent")), []);
});

test("the own line holds this process, its parent and the first process", () => {
  const line = ownLine();
  assert.deepEqual(
    [1, process.pid, process.ppid].map((pid) => line.has(pid)),
    [true, true, true],
  );
});

test("an identity names the program and its script, and no arguments", (t) => {
  const root = fakeProc(makeFolder(t), { 8: stat(8, "node", "S", 1, 77) });
  const row = readRow(8, root);
  assert.ok(row);
  const named = (commandLine: string): string => {
    writeFileSync(join(root, "8/cmdline"), commandLine.replaceAll(" ", "\0"));
    return identify(row, root).command;
  };
  assert.equal(named("node /home/me/agent.mjs --key=secret"), "node agent.mjs");
  assert.equal(named("curl sk-abcdef"), "node");
  assert.deepEqual(identify(row, root), { pid: 8, startTime: "77", bootId: "", command: "node" });
});

test("a Node that names its first thread is still called node, and another program is not", (t) => {
  const root = fakeProc(makeFolder(t), { 8: stat(8, "node-MainThread", "S", 1, 77) });
  const row = readRow(8, root);
  assert.ok(row);
  const named = (commandLine: string): string => {
    writeFileSync(join(root, "8/cmdline"), commandLine.replaceAll(" ", "\0"));
    return identify(row, root).command;
  };
  assert.equal(named("/usr/bin/node agent.mjs"), "node agent.mjs");
  assert.equal(named("node"), "node");
  assert.equal(named("/opt/sk-abcdefnode agent.mjs"), "node-MainThread agent.mjs");
});

test("without a process table an identity is the number alone", (t) => {
  assert.deepEqual(identifyPid(9, "/bin/agent", makeFolder(t)), {
    pid: 9,
    startTime: "",
    bootId: "",
    command: "agent",
  });
});

test("a process that is older than the runner carries no mark that the runner made, whatever it shows", (t) => {
  const folder = makeFolder(t);
  const root = fakeProc(folder, {
    [process.pid]: stat(process.pid, "node", "S", 1, 100),
    8: stat(8, "tmux", "S", 1, 99),
    9: stat(9, "sleep", "S", 1, 100),
  });
  const mark = createMark(folder);
  for (const pid of [8, 9]) writeFileSync(join(root, `${pid}/environ`), `TASK_PHASE_MARK=${mark.id}.a\0`);
  const found = (which: ProcessMark) => findSurvivors(which, [], root).map(({ pid }) => pid);
  assert.deepEqual([found(mark), found(childMark(mark, "a"))], [[9], [9]]);
  assert.deepEqual(found({ ...mark, id: "another runner's" }), []);
  for (const pid of [8, 9]) writeFileSync(join(root, `${pid}/environ`), "TASK_PHASE_MARK=another\0");
  assert.deepEqual(found({ ...mark, id: "another" }), [8, 9]);
});
