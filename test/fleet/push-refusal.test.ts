import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { refusalOf } from "../../lib/fleet/push-refusal.ts";
import type { FenceRequest } from "../../lib/fleet/see-branch.ts";
import { withFolder } from "../store/temporary-folder.ts";

const ref = "refs/heads/task-phase/T-1";

function requestIn(folder: string): FenceRequest {
  const tree = { top: folder, gitDir: folder, commonDir: folder };
  return { url: folder, ref, place: { note: "/note" }, local: { tree }, note: { task: "T-1" } } as FenceRequest;
}

describe("a step that is not on the branch", () => {
  test("names the lock of a ref that a power cut left, and says that it can be removed", () =>
    withFolder(async (folder) => {
      const tell = () => {
        const end = { kind: "unreachable", why: "the ref did not move" } as const;
        return refusalOf(requestIn(folder), 1, end, null, "claim").findings[0]?.fix ?? "";
      };
      assert.match(tell(), /^run it again on this machine/);
      for (const name of [`${ref}.lock`, "packed-refs.lock", "refs/task-phase/seen/T-1.lock"]) {
        const lock = join(folder, name);
        mkdirSync(dirname(lock), { recursive: true });
        writeFileSync(lock, "");
        assert.ok(
          tell().startsWith(`if no git is running there, a power cut or a kill left ${join(folder, `${ref}.lock`)}: `),
        );
      }
    }));

  test("says whether the branch was moved or deleted meanwhile", () =>
    withFolder(async (folder) => {
      const tell = (theirs: string | null) =>
        refusalOf(requestIn(folder), 2, { kind: "lost", theirs }, null, "verdict").findings[0]?.message;
      const begin = `pass 2 does not count: task-phase/T-1 of ${folder}`;
      assert.equal(tell("c1"), `${begin} has moved since it was claimed`);
      assert.equal(tell(null), `${begin} was deleted since it was claimed`);
    }));
});
