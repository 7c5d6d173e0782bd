import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { type ProcessRow, readRow } from "../../lib/process/proc-table.ts";
import { kill, killAll, send, terminate } from "../../lib/process/send-signal.ts";

/** A process that waits, in a group of its own unless it is to be in ours; and the signal that ends it. */
async function waiting(t: TestContext, detached = true) {
  const child = spawn("sleep", ["60"], { detached, stdio: "ignore" });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "spawn");
  const ended = once(child, "exit").then(([, signal]) => signal as string);
  return { row: readRow(child.pid ?? 0) ?? assert.fail(), ended };
}

test("a signal goes to the process that was meant, and not to a later one with its number", async (t) => {
  const { row, ended } = await waiting(t);
  const later: ProcessRow = { ...row, startTime: `${Number(row.startTime) + 1}` };
  kill(later);
  terminate([later, { ...row, pid: 0x7fffffff }]);
  assert.equal(readRow(row.pid)?.ended, false);
  terminate([row]);
  assert.equal(await ended, "SIGTERM");
  assert.equal(send(row.pid, 0), "gone");
});

test("all that is found is killed, a whole group in one step, and no group with anybody else in it", async (t) => {
  const [one, other] = [await waiting(t), await waiting(t)];
  const shared = await waiting(t, false);
  const table = new Map([one.row, shared.row].map((row) => [row.pid, row]));
  // This process is in the group of the last one.
  const own = readRow(process.pid) ?? assert.fail();
  table.set(own.pid, own);
  assert.equal(killAll({ ours: [one.row, shared.row], table }), false);
  assert.deepEqual([await one.ended, await shared.ended], ["SIGKILL", "SIGKILL"]);
  assert.equal(readRow(other.row.pid)?.ended, false);
  assert.equal(killAll({ ours: [], table: new Map() }), false);
});
