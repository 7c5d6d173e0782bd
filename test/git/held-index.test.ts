import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commitPaths } from "../../lib/git/commit.ts";
import { finishIndex } from "../../lib/git/held-index.ts";
import { watchDisk } from "../store/recorded-disk.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, write } from "./git-repo.ts";
import { commitRequest, filesOf, indexFiles, makeGitWorld, statusOf } from "./git-world.ts";

const codes = (end: { findings: readonly { code: string }[] }) => end.findings.map(({ code }) => code);

describe("a commit that is cut off", () => {
  const cut = Object.assign(new Error("the power is off"), { code: "EIO" });
  const patience = { ms: 0, pause: async () => undefined };

  /** Commits, and nothing reaches the disk from the nth of the calls on that have to do with the index. */
  async function commitUntil(folder: string, nth: number) {
    const { repo, scratch } = makeGitWorld(folder, { a: "1", gone: "g", mine: "1", both: "1" });
    write(repo, { a: "2", new: "n", mine: "2", both: "2" });
    rmSync(join(repo, "gone"));
    git(repo, "add", "mine");
    const record = join(folder, "record.json");
    const request = { ...commitRequest(repo, scratch, ["a", "gone", "new", "both"]), record, patience };
    let calls = 0;
    const disk = watchDisk(folder, (call) => {
      if (!call.includes(" scratch/")) calls += 1;
      if (calls >= nth) throw cut;
    });
    const end = await commitPaths(request).then(
      () => "made",
      () => "thrown",
    );
    disk.restore();
    return { repo, record, end, calls, isMoved: filesOf(repo, "HEAD").a === "2" };
  }

  it("at any moment is finished by the next run, so that a person's next commit takes nothing out again", async () => {
    const seen: string[] = [];
    let calls = 0;
    await withFolder(async (folder) => {
      calls = (await commitUntil(folder, Number.POSITIVE_INFINITY)).calls;
    });
    for (let nth = 1; nth <= calls; nth += 1) {
      await withFolder(async (folder) => {
        const { repo, record, end, isMoved } = await commitUntil(folder, nth);
        seen.push(`${end} ${isMoved ? "moved" : "as before"}`);
        // What a person does meanwhile: git refuses while the index is held.
        const held = existsSync(join(repo, ".git/index.lock"));
        if (held) assert.throws(() => git(repo, "add", "new"), /index\.lock/);
        await finishIndex(record, { patience, env: gitEnv });
        assert.deepEqual([existsSync(record), indexFiles(repo)], [false, ["index"]], `call ${nth}`);
        const committed = isMoved ? { a: "2", both: "2", new: "n" } : { a: "1", both: "1", gone: "g" };
        assert.deepEqual(filesOf(repo, "HEAD"), { ...committed, mine: "1" });
        assert.ok(statusOf(repo).includes("M  mine"), statusOf(repo).join());
        git(repo, "commit", "-q", "-m", "mine");
        assert.deepEqual(filesOf(repo, "HEAD"), { ...committed, mine: "2" }, `call ${nth}`);
      });
    }
    assert.deepEqual([...new Set(seen)], ["thrown as before", "thrown moved"]);
  });

  it("and whose lock a person removed is finished too, except for paths that the person staged since", () =>
    withFolder(async (folder) => {
      const { repo, record } = await commitUntil(folder, Number.POSITIVE_INFINITY);
      const commit = git(repo, "rev-parse", "HEAD").trim();
      git(repo, "read-tree", "HEAD^");
      write(repo, { both: "3" });
      git(repo, "add", "both");
      write(folder, { "record.json": JSON.stringify({ version: 1, top: repo, commit }) });
      write(repo, { ".git/index.lock": "another" });
      const waiting = await finishIndex(record, { patience, env: gitEnv });
      assert.match(
        waiting[0]?.message ?? "",
        /^git's index is behind the commit of a pass: another git holds the index/,
      );
      assert.match(waiting[0]?.fix ?? "", /^if no git is running there, remove .*\/index\.lock; /);
      rmSync(join(repo, ".git/index.lock"));
      const found = await finishIndex(record, { patience, env: gitEnv });
      assert.match(
        found[0]?.message ?? "",
        /^git's index was behind the commit [0-9a-f]{12} of a pass that was cut off/,
      );
      assert.deepEqual([statusOf(repo), existsSync(record)], [["M  both", " M mine"], false]);
      assert.deepEqual(await finishIndex(record, { patience, env: gitEnv }), []);
    }));

  it("is finished by the next commit, and a record of a repository that is gone is forgotten", () =>
    withFolder(async (folder) => {
      const { repo, record } = await commitUntil(folder, Number.POSITIVE_INFINITY);
      const commit = git(repo, "rev-parse", "HEAD").trim();
      git(repo, "read-tree", "HEAD^");
      write(folder, { "record.json": JSON.stringify({ version: 1, top: repo, commit }) });
      write(repo, { a: "3" });
      const request = { ...commitRequest(repo, join(folder, "scratch"), ["a"]), record, patience };
      assert.deepEqual(codes(await commitPaths(request)), []);
      assert.deepEqual([statusOf(repo), filesOf(repo, "HEAD").new], [[" M mine"], "n"]);
      write(folder, { "record.json": JSON.stringify({ version: 1, top: join(folder, "none"), commit }) });
      assert.deepEqual(await finishIndex(record, { patience, env: gitEnv }), []);
      write(folder, { "record.json": "{" });
      assert.deepEqual(await finishIndex(record, { patience, env: gitEnv }), []);
      assert.equal(existsSync(record), false);
    }));
});
