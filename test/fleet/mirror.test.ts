import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fetchMirror, type Mirror, type MirrorRequest } from "../../lib/fleet/mirror.ts";
import { tryLock } from "../../lib/store/lock.ts";
import { git, gitEnv, makeRepo } from "../git/git-repo.ts";
import { makeFolder } from "../process/arrange.ts";

/** A remote with a branch, and its mirror, which is not there yet. */
function arrange(t: TestContext) {
  const folder = makeFolder(t);
  const remote = join(folder, "remote");
  makeRepo(remote, { a: "1" });
  const cache = join(folder, "cache");
  const request: MirrorRequest = {
    ...{ mirror: join(cache, "m.git"), mirrorLock: join(cache, "m.lock"), scratch: join(cache, "scratch") },
    ...{ url: remote, env: gitEnv, signal: new AbortController().signal, wait: async () => false },
  };
  const fetch = async (changes: Partial<MirrorRequest> = {}): Promise<Mirror> => {
    const mirror = await fetchMirror({ ...request, ...changes });
    return typeof mirror === "string" ? assert.fail(mirror) : mirror;
  };
  const inRemote = (...args: string[]) => git(remote, ...args).trim();
  return { folder, remote, cache, request, fetch, inRemote };
}

test("a mirror has the branches of the remote as they are at each fetch, and its default branch", async (t) => {
  const { cache, fetch, inRemote } = arrange(t);
  const first = inRemote("rev-parse", "HEAD");
  const mirror = await fetch();
  assert.deepEqual([mirror.head, mirror.isEmpty], ["refs/heads/main", false]);
  assert.deepEqual([mirror.commitOf("refs/heads/main"), mirror.commitOf("refs/heads/none")], [first, null]);
  inRemote("switch", "-qc", "side");
  inRemote("commit", "-q", "--allow-empty", "-m", "second");
  inRemote("branch", "-qD", "main");
  inRemote("update-ref", "refs/task-phase/code/T-1/x", "HEAD");
  mkdirSync(join(cache, "m.git.new-left"));
  const next = await fetch({ refs: ["refs/task-phase/code/T-1/*"] });
  const second = inRemote("rev-parse", "HEAD");
  assert.deepEqual([next.head, next.commitOf("refs/heads/main")], ["refs/heads/side", null]);
  assert.deepEqual([next.commitOf("refs/heads/side"), next.commitOf("refs/task-phase/code/T-1/x")], [second, second]);
  assert.deepEqual(readdirSync(cache).sort(), ["m.git", "m.lock", "scratch"]);
  // Working trees borrow what is no longer on a branch.
  assert.equal(git(next.place.top, "cat-file", "-t", first).trim(), "commit");
});

test("a remote without commits is empty, and one whose default branch is gone names none", async (t) => {
  const { folder, fetch, inRemote } = arrange(t);
  inRemote("symbolic-ref", "HEAD", "refs/heads/gone");
  const headless = await fetch();
  assert.deepEqual([headless.head, headless.isEmpty], [null, false]);
  const empty = join(folder, "empty.git");
  git(folder, "init", "-q", "--bare", empty);
  const mirror = await fetch({ url: empty, mirror: join(folder, "cache/e.git") });
  assert.deepEqual([mirror.head, mirror.isEmpty], [null, true]);
});

test("a remote that does not answer is asked again while there is time, and leaves no half of a mirror", async (t) => {
  const { remote, cache, request, fetch } = arrange(t);
  const gone = `${remote}-gone`;
  renameSync(remote, gone);
  const waits: number[] = [];
  const why = await fetchMirror({ ...request, wait: async (ms) => waits.push(ms) < 3 });
  assert.match(String(why), /does not appear to be a git repository/);
  assert.deepEqual([waits, existsSync(request.mirror)], [[200, 400, 800], false]);
  assert.deepEqual(readdirSync(cache).sort(), ["m.lock", "scratch"]);
  const wait = async () => {
    renameSync(gone, remote);
    return true;
  };
  assert.equal((await fetch({ wait })).head, "refs/heads/main");
});

test("a mirror that another run fetches is waited for", async (t) => {
  const { cache, request, fetch } = arrange(t);
  mkdirSync(cache);
  const held = tryLock(request.mirrorLock);
  assert.equal(await fetchMirror(request), "another run kept fetching it");
  const wait = async () => {
    held?.release();
    return true;
  };
  assert.equal((await fetch({ wait })).isEmpty, false);
});
