import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd, endCommand } from "../../lib/store/at-end.ts";

test("what is left for the end runs once, when the command or else the process ends", () => {
  const listening = () => process.listeners("exit").includes(endCommand);
  const done: string[] = [];
  endCommand();
  assert.equal(listening(), false);
  const [first, second] = [() => done.push("first"), () => done.push("second")];
  for (const act of [first, second, first]) atEnd(act);
  assert.deepEqual([listening(), done], [true, []]);
  endCommand();
  assert.deepEqual([listening(), done], [false, ["first", "second"]]);
  endCommand();
  assert.deepEqual(done, ["first", "second"]);
});
