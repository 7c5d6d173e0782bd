import assert from "node:assert/strict";
import { test } from "node:test";
import { followTree } from "../../lib/process/descendants.ts";
import type { ProcessRow } from "../../lib/process/proc-table.ts";

const row = (pid: number, parent: number, session: number, changes: Partial<ProcessRow> = {}): [number, ProcessRow] => [
  pid,
  { pid, parent, group: session, session, startTime: `${pid}0`, ended: false, name: "p", ...changes },
];

const self: [number, ProcessRow] = row(process.pid, 2, 2);
const mine = new Set([1, 2, process.pid]);

function pids(rows: [number, ProcessRow][], known: string[], sessions: number[] = []): number[] {
  return followTree(new Map([self, ...rows]), new Set(known), new Set(sessions), mine).map((one) => one.pid);
}

const base = 10_000_000;

test("children of a known process belong to the tree, at any depth and in any session", () => {
  const rows = [
    row(base, process.pid, base),
    row(base + 1, base, base),
    row(base + 2, base + 1, base + 2),
    row(base + 3, 1, base + 3),
  ];
  assert.deepEqual(pids(rows, [`${base}:${base}0`]), [base, base + 1, base + 2]);
});

test("an orphan belongs to the tree by its session", () => {
  assert.deepEqual(pids([row(base + 1, 1, base), row(base + 2, 1, base + 2)], [], [base]), [base + 1]);
});

test("another process with a known number does not belong to it", () => {
  assert.deepEqual(pids([row(base, 1, base, { startTime: "999" })], [`${base}:${base}0`]), []);
});

test("an ended process is left out, and its living children are not", () => {
  const rows = [row(base, process.pid, base, { ended: true }), row(base + 1, base, base)];
  assert.deepEqual(pids(rows, [`${base}:${base}0`]), [base + 1]);
});

test("this process, its ancestors and its session are never part of it", () => {
  assert.deepEqual(pids([row(2, 1, 2), row(base, 2, 2)], ["2:20", `${process.pid}:${process.pid}0`], [2]), []);
});

test("parents that point in a circle end the climb", () => {
  assert.deepEqual(pids([row(base, base + 1, base), row(base + 1, base, base)], []), []);
});

test("a chain of 20,000 forks is followed to its end", () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => row(base + n, n === 0 ? process.pid : base + n - 1, base + n));
  assert.equal(pids(rows.toReversed(), [`${base}:${base}0`]).length, 20_000);
});
