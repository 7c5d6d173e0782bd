import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listTasks } from "../../lib/task/list-tasks.ts";
import { withFolder } from "../store/temporary-folder.ts";

test("tasks are listed by the front matter of their briefs, whatever the text below it is", () =>
  withFolder((folder) => {
    const front = (id: string) =>
      `---\nid: ${id}\ntitle: One\ndepends_on: [T-9]\nsource: { prd: ../a.json, story: U }\n---`;
    const briefs = {
      words: `${front("T-1")}\n\n# One\n\nDo it.\n`,
      emoji: `${front("T-2")}\n\nShip it \u{1f680}.\n`,
      conflict: `${front("T-3")}\n\n<<<<<<< ours\n`,
      quoted: `---\nid: "T-4"\ntitle: \u4e38\u3081\n---\n\nDo it.\n`,
      returns: "---\r\nid: T-7\r\ntitle: One\r\n---\r\n",
      empty: "---\n---\n",
      open: "---\nid: T-5\n",
      other: `${front("T-6")}-\n\nDo it.\n`,
      none: "# Notes\n",
    };
    for (const [name, text] of Object.entries(briefs)) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "README.md"), text);
      writeFileSync(join(folder, name, "STATE.md"), "");
    }
    assert.deepEqual(
      listTasks(folder).map(({ id, dependsOn, source }) => [id, dependsOn.length, source?.prd ?? null]),
      [
        ["T-3", 1, "../a.json"],
        ["T-2", 1, "../a.json"],
        ["T-4", 0, null],
        ["T-7", 0, null],
        ["T-1", 1, "../a.json"],
      ],
    );
  }));
