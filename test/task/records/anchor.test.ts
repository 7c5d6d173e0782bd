import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeNewest } from "../../../lib/store/unit-rows.ts";
import { sweepTrees } from "../../../lib/task/records/anchor.ts";
import { withFolder } from "../../store/temporary-folder.ts";

test("copies go that nothing names any more and that are old, and none while a pass runs or was cut off", () =>
  withFolder((home) => {
    const trees = join(home, "trees", "root");
    for (const folder of [trees, join(home, "tasks", "a")]) mkdirSync(folder, { recursive: true });
    const put = (name: string, isOld: boolean): void => {
      writeFileSync(join(trees, name), "");
      if (isOld) utimesSync(join(trees, name), 1, 1);
    };
    put("needed", true);
    put("old", true);
    put("new", false);
    writeNewest(trees, home, { ref: "needed:0:0:0", packs: { needed: 0 } });
    const current = join(home, "tasks", "a", "current.json");
    writeFileSync(current, "{}");
    sweepTrees(home);
    assert.deepEqual(readdirSync(trees), ["needed", "new", "newest.json", "old"]);
    rmSync(current);
    sweepTrees(home);
    assert.deepEqual(readdirSync(trees), ["needed", "new", "newest.json"]);
  }));
