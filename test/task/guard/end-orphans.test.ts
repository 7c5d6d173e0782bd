import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { programFile } from "../../../lib/documents/templates/package-files.ts";
import { hasProcTable } from "../../../lib/process/proc-table.ts";
import { endingOrphans } from "../../../lib/task/guard/end-orphans.ts";
import { patienceMs } from "../../patience.ts";
import { findLiving } from "../../process/find-living.ts";
import { guardTask } from "./arrange.ts";

const noProc = hasProcTable() ? false : "no /proc";

test("a shell waits to end what the pass started, until the work succeeds or fails", {
  skip: noProc,
}, async (t) => {
  const { anchor, begin, folder } = guardTask(t);
  const { current } = begin({ mark: { id: "7", keepalivePath: `${folder}/alive` } });
  const standBy = `${process.execPath} ${programFile()} end-orphans ${anchor.folder} 7 ${folder}/alive `;
  const during = (work: (lines: string[]) => string[]) =>
    endingOrphans(anchor.folder, current.mark, process.env, async () => work(findLiving(folder)));
  const released = async () => {
    for (let waited = 0; waited < patienceMs && findLiving(folder).length > 0; waited += 10) await setTimeout(10);
    return findLiving(folder);
  };
  assert.deepEqual(await during((lines) => lines), [`/bin/sh -c read -r word && exit 0; exec "$@" sh ${standBy}`]);
  assert.deepEqual(await released(), []);
  const failed = during(() => {
    throw new Error("the work failed");
  });
  await assert.rejects(failed, { message: "the work failed" });
  assert.deepEqual(await released(), []);
});
