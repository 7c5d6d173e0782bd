import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  isPartial,
  isShallow,
  listChanges,
  listCommits,
  listVerdictCommits,
  pathspecsBelow,
  readCommits,
} from "../../lib/git/commits.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { makeGitRepo } from "../history/git-maker.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { gitEnv } from "./git-repo.ts";

test("commits come parents first, each with what it changed and the words of its message", async (t) => {
  const verdict = "task-phase: T-1\n\nTask-Phase-Task: T-1\nTask-Phase-Verdict: accepted\n";
  const repo = makeGitRepo(t, [
    { files: { a: "1", "d/ü": "1", gone: "1" }, message: "first\x1f one\n\nTask-Phase-Task: T-2\n" },
    { files: { a: "2", gone: null, run: ["100755", "x"] }, message: verdict },
    { files: { side: "1" }, parents: [0], author: "Bo Ü <bo@example.invalid>" },
    { files: {}, parents: [1, 2] },
  ]);
  const [first = "", second = "", side = "", merge = ""] = repo.commits;
  const place = findGitPlace(repo.folder) ?? assert.fail();
  const nodes = await listCommits(place, gitEnv);
  assert.deepEqual(nodes[0], { sha: first, parents: [] });
  assert.deepEqual(nodes.at(-1), { sha: merge, parents: [second, side] });
  assert.equal(nodes.length, 4);
  assert.deepEqual(
    (await listCommits(place, gitEnv, [side])).map(({ sha }) => sha),
    [first, side],
  );
  assert.deepEqual(await listCommits(place, gitEnv, []), []);
  const changes = await listChanges(place, nodes, [], gitEnv);
  const shown = (sha: string) =>
    changes.get(sha)?.map(({ path, entry }) => `${Buffer.from(path, "latin1")} ${entry?.mode ?? "gone"}`);
  assert.deepEqual(shown(first), ["a 100644", "d/ü 100644", "gone 100644"]);
  assert.deepEqual(shown(second), ["a 100644", "gone gone", "run 100755"]);
  assert.deepEqual([...(await listChanges(place, nodes, ["run"], gitEnv)).keys()], [second]);
  assert.deepEqual(await listChanges(place, [], [], gitEnv), new Map());
  const words = await readCommits(place, [side, first], gitEnv);
  assert.deepEqual([...words.keys()], [side, first]);
  assert.equal(words.get(side)?.author, "Bo Ü");
  assert.equal(side.startsWith(words.get(side)?.short ?? "-"), true);
  assert.equal(words.get(first)?.subject, "first  one");
  assert.deepEqual(await readCommits(place, [], gitEnv), new Map());
  assert.deepEqual(await listVerdictCommits(place, repo.commits, gitEnv), new Map([[second, "T-1"]]));
  assert.deepEqual(await listVerdictCommits(place, [], gitEnv), new Map());
  assert.deepEqual([isShallow(place), await isPartial(place, gitEnv)], [false, false]);
  repo.git("config", "remote.a.b.promisor", "true");
  assert.equal(await isPartial(place, gitEnv), true);
});

test("a pattern escapes what git's patterns know, and has any byte in place of one beyond ASCII", () => {
  const prefix = `a[b]*?\\${Buffer.from("ü").toString("latin1")}/`;
  assert.deepEqual(pathspecsBelow(prefix, ["STATE.md", "x/*"]), [
    ":(top,glob)a\\[b\\]\\*\\?\\\\??/*/STATE.md",
    ":(top,glob)a\\[b\\]\\*\\?\\\\??/*/x/*",
  ]);
});

test("a repository without a commit has none, and one that was cut off is shallow", async (t) => {
  const repo = makeGitRepo(t, []);
  assert.deepEqual(await listCommits(findGitPlace(repo.folder) ?? assert.fail(), gitEnv), []);
  await withFolder((folder) => {
    const place = { top: folder, gitDir: folder, commonDir: folder };
    mkdirSync(join(folder, "objects"));
    writeFileSync(join(folder, "shallow"), "");
    assert.equal(isShallow(place), false);
    writeFileSync(join(folder, "shallow"), `${"a".repeat(40)}\n`);
    assert.equal(isShallow(place), true);
  });
});
