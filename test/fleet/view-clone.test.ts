import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { claimPlace } from "../../lib/fleet/claim-place.ts";
import { dropView, openViewClone } from "../../lib/fleet/view-clone.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { type FileLock, tryLock } from "../../lib/store/lock.ts";
import { hasCode } from "../../lib/text/errors.ts";
import { git, gitEnv, makeRepo } from "../git/git-repo.ts";
import { withFolder } from "../store/temporary-folder.ts";

async function withView(
  act: (
    open: (signal?: AbortSignal) => Promise<string>,
    move: () => void,
    lock: (kind?: "shared") => FileLock | null,
    drop: () => void,
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { "tasks/T-1/STATE.md": "first\n" });
    const tree = findGitPlace(repo);
    assert(tree !== null);
    const env = { ...gitEnv, HOME: folder, XDG_CACHE_HOME: join(folder, "cache") };
    const place = claimPlace(join(folder, "cache", "task-phase"), tree.commonDir, "T-1");
    const open = async (signal = new AbortController().signal) => {
      const commit = git(repo, "rev-parse", "HEAD").trim();
      const task = { id: "T-1", ref: "refs/heads/task-phase/T-1", commit, path: "tasks/T-1" };
      return await openViewClone(tree, task, { env, home: folder, signal });
    };
    const move = () => {
      writeFileSync(join(repo, "tasks/T-1/STATE.md"), "second\n");
      git(repo, "commit", "--quiet", "--all", "--message", "second");
    };
    // As with a home folder that is behind a link.
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), join(folder, "cache"));
    mkdirSync(dirname(place.viewLock), { recursive: true, mode: 0o700 });
    await act(
      open,
      move,
      (kind) => tryLock(place.viewLock, kind),
      () => dropView(place),
    );
  });
}

const stateIn = (taskDir: string): string => readFileSync(join(taskDir, "STATE.md"), "utf8");

test("calls that read a task from its branch at once wait for the first one's working tree", () =>
  withView(async (open, move) => {
    const read = async () => (await Promise.all([open(), open(), open()])).map(stateIn);
    assert.deepEqual(await read(), Array(3).fill("first\n"));
    move();
    assert.deepEqual(await read(), Array(3).fill("second\n"));
  }));

test("nobody replaces the working tree that a call reads", () =>
  withView(async (open, _move, lock) => {
    await open();
    assert.equal(lock(), null);
  }));

test("a call removes the working tree that it has read itself, and not while another reads it", () =>
  withView(async (open, _move, lock, drop) => {
    const taskDir = await open();
    const other = lock("shared");
    drop();
    assert.equal(stateIn(taskDir), "first\n");
    other?.release();
    drop();
    assert.equal(existsSync(taskDir), false);
  }));

test("a call that waits for the working tree of another is ended by a signal", () =>
  withView(async (open, move, lock) => {
    const other = lock();
    assert(other !== null);
    move();
    const stop = new AbortController();
    const waits = open(stop.signal);
    stop.abort("SIGINT");
    await assert.rejects(waits, (error) => hasCode(error, "TP_STOPPED"));
    other.release();
    assert.equal(stateIn(await open()), "second\n");
  }));
