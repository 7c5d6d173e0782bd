import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  hasProcTable,
  identify,
  identifyPid,
  listPids,
  ownLine,
  readRow,
  readTable,
} from "../../lib/process/proc-table.ts";
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

test("what is no process table reads as none", (t) => {
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

test("without a process table an identity is the number alone", (t) => {
  assert.deepEqual(identifyPid(9, "/bin/agent", makeFolder(t)), {
    pid: 9,
    startTime: "",
    bootId: "",
    command: "agent",
  });
});
