import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import type { PreparedPass } from "../../lib/pass/prepared-pass.ts";
import { movedSinceReview } from "../../lib/pass/validate-checks.ts";
import { type Anchor, storeReviewed } from "../../lib/task/records/anchor.ts";
import { gitEnv, makeRepo, write } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

test("the paths that changed since the code was verified are named, if this machine knows what was verified", async (t) => {
  const folder = makeFolder(t);
  const repo = join(folder, "repo");
  makeRepo(repo, { "a.txt": "1\n", "b.txt": "1\n" });
  const anchor = { folder } as Anchor;
  const take = () => takeFingerprint(repo, [], gitEnv);
  const verified = await take();
  write(repo, { "a.txt": "2\n", "new.txt": "1\n" });
  const now = await take();
  const moved = (reviewedFingerprint: string, present = now) =>
    movedSinceReview({ session: { history: { reviewedFingerprint }, anchor } } as unknown as PreparedPass, present);
  assert.deepEqual(moved(verified.hash), []);
  storeReviewed(anchor, verified);
  assert.deepEqual(moved(verified.hash), ["a.txt", "new.txt"]);
  assert.deepEqual(moved(verified.hash, verified), []);
  assert.deepEqual(moved(now.hash), [], "other code was verified since");
});
