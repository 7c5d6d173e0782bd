import assert from "node:assert/strict";
import { test } from "node:test";
import { type BranchPush, giveWay, standsElsewhere } from "../../lib/git/give-way.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { makeGitRepo } from "../history/git-maker.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, write } from "./git-repo.ts";
import { filesOf, makeGitWorld, statusOf } from "./git-world.ts";
import { push } from "./push-world.ts";

const journal = "t/journal.jsonl";

test("a task stands elsewhere if neither journal begins with the other", async (t) => {
  const texts = ["1\n", "1\n2\n", "1\n3\n", null, ""];
  const repo = makeGitRepo(
    t,
    texts.map((text) => ({ files: { code: "1", ...(text === null ? {} : { [journal]: text }) }, parents: [] })),
  );
  const push = {
    place: findGitPlace(repo.folder) ?? assert.fail(),
    settings: { own: [], repo: [] },
    target: { remote: "origin", url: "/none", ref: "refs/heads/main", isNew: false, tracking: null },
    network: { gitDir: "", call: async () => assert.fail("nothing is pushed") },
    fence: { task: "T-1", journal, lostRef: "refs/lost/" },
    env: gitEnv,
  } satisfies BranchPush;
  const [one = "", two = "", three = "", none = "", empty = ""] = repo.commits;
  const pairs: readonly (readonly [string, string, boolean])[] = [
    [one, one, false],
    [one, two, false],
    [two, one, false],
    [two, three, true],
    [two, none, false],
    [none, two, false],
    [empty, two, false],
  ];
  for (const [index, [ours, theirs, expected]] of pairs.entries())
    assert.equal(await standsElsewhere(push, ours, theirs), expected, `pair ${index}`);
  assert.equal(await standsElsewhere({ ...push, fence: null }, two, three), false);
  await assert.rejects(giveWay({ ...push, fence: null }, two, three), /only the push of a task gives way/);
});

test("a pass that lost keeps its commit under a ref, and a pass of another task goes on top of theirs", () =>
  withFolder(async (folder) => {
    const world = makeGitWorld(folder, { [journal]: "1\n", other: "1\n", code: "1\n" });
    write(world.repo, { other: "2\n" });
    world.git("commit", "-qam", "x\n\nTask-Phase-Task: T-2");
    write(world.repo, { [journal]: "1\nours\n" });
    const lost = (await world.commit([journal])) ?? "";
    world.others({ [journal]: "1\ntheirs\n", code: "2\n" });
    const fence = { task: "T-1", journal, lostRef: "refs/task-phase/lost/T-1/1-" };
    write(world.repo, { code: "a person's\n" });
    const blocked = await push(world, { fence });
    assert.match(blocked.lost?.inTheWay ?? "", /code/);
    assert.deepEqual([world.git("rev-parse", "HEAD").trim(), statusOf(world.repo)], [lost, [" M code"]]);
    world.git("checkout", "-q", "code");
    const ref = `${fence.lostRef}${lost.slice(0, 12)}`;
    const end = await push(world, { fence });
    assert.deepEqual([end.pushed, end.lost], [false, { ref, isKeptThere: true, inTheWay: null }]);
    for (const repo of [world.repo, world.remote]) assert.equal(git(repo, "rev-parse", ref).trim(), lost);
    const there = { [journal]: "1\ntheirs\n", other: "2\n", code: "2\n" };
    assert.deepEqual([filesOf(world.repo, "HEAD"), statusOf(world.repo)], [there, []]);
    assert.equal((await push(world, { fence })).pushed, true);
    assert.deepEqual(world.remoteFiles(), there);
  }));
