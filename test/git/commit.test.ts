import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commitPaths } from "../../lib/git/commit.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, write } from "./git-repo.ts";
import { commitRequest, filesOf, indexFiles, makeGitWorld, statusOf } from "./git-world.ts";

const codes = (end: { findings: readonly { code: string }[] }) => end.findings.map(({ code }) => code);

describe("committing the paths of a pass", () => {
  it("commits them and nothing else, and leaves what a person staged and changed as it is", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, { a: "1", gone: "g", staged: "1", dirty: "1", run: "r" });
      write(repo, {
        a: "2",
        staged: "2",
        dirty: "2",
        "new\nline -x": "n",
        " lead": "l",
        "-dash": "d",
        ":(top)odd": "o",
        mine: "m",
      });
      rmSync(join(repo, "gone"));
      chmodSync(join(repo, "run"), 0o755);
      symlinkSync("a", join(repo, "link"));
      git(repo, "add", "staged", "mine");
      const paths = [
        "a",
        "gone",
        "run",
        "link",
        "new\nline -x",
        " lead",
        "-dash",
        ":(top)odd",
        "never-there",
        ".git/info/exclude",
      ];
      const { sha, findings } = await commitPaths(commitRequest(repo, scratch, paths));
      assert.deepEqual(findings, []);
      assert.equal(git(repo, "rev-parse", "HEAD").trim(), sha);
      assert.deepEqual(filesOf(repo, "HEAD"), {
        " lead": "l",
        "-dash": "d",
        ":(top)odd": "o",
        a: "2",
        dirty: "1",
        link: "a",
        "new\nline -x": "n",
        run: "r",
        staged: "1",
      });
      assert.match(git(repo, "ls-tree", "HEAD", "run", "link"), /^120000.*link\n100755.*run\n$/);
      assert.deepEqual(statusOf(repo), [" M dirty", "A  mine", "M  staged"]);
      assert.equal(git(repo, "log", "-1", "--format=%B"), `${commitRequest(repo, scratch, []).message}\n`);
    }));

  it("reads each file, whatever times and flags say", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1", b: "1" });
      const { repo } = world;
      world.git("config", "core.trustctime", "false");
      const path = join(repo, "a");
      utimesSync(path, 1000, 1000);
      world.git("update-index", "--refresh");
      world.git("update-index", "--assume-unchanged", "b");
      write(repo, { a: "2", b: "2" });
      utimesSync(path, 1000, 1000);
      assert.ok((await world.commit(["a", "b"])) !== null);
      assert.deepEqual(filesOf(repo, "HEAD"), { a: "2", b: "2" });
    }));

  it("makes the first commit of a branch, with an identity of its own where nobody has one", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      mkdirSync(repo);
      git(repo, "init", "-q");
      const request = commitRequest(repo, folder, ["a"]);
      assert.deepEqual(await commitPaths(request), { sha: null, findings: [], unproven: [] });
      write(repo, { a: "1" });
      const first = await commitPaths(request);
      assert.deepEqual(
        git(repo, "log", "--format=%H %an <%ae> %cn <%ce>").trim(),
        `${first.sha} task-phase <task-phase@localhost> task-phase <task-phase@localhost>`,
      );
      git(repo, "config", "user.name", "Ann");
      git(repo, "config", "user.email", "ann@example.org");
      write(repo, { a: "2" });
      const env = { ...gitEnv, GIT_AUTHOR_NAME: "Bob", GIT_AUTHOR_EMAIL: "bob@example.org" };
      await commitPaths({ ...request, env });
      assert.equal(
        git(repo, "log", "-1", "--format=%an <%ae> %cn <%ce>").trim(),
        "Bob <bob@example.org> Ann <ann@example.org>",
      );
      assert.deepEqual(statusOf(repo), []);
    }));

  it("commits without a branch and reports it, but not while a merge is in progress", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1" });
      const { repo, scratch } = world;
      world.git("checkout", "-q", "--detach");
      write(repo, { a: "2" });
      const end = await commitPaths(commitRequest(repo, scratch, ["a"]));
      assert.deepEqual(
        [codes(end), filesOf(repo, "HEAD"), filesOf(repo, "main")],
        [["TP_GIT_DETACHED"], { a: "2" }, { a: "1" }],
      );
      writeFileSync(join(repo, ".git/MERGE_HEAD"), `${end.sha}\n`);
      write(repo, { a: "3" });
      const busy = await commitPaths(commitRequest(repo, scratch, ["a"]));
      assert.deepEqual([busy.sha, codes(busy), filesOf(repo, "HEAD")], [null, ["TP_GIT_BUSY"], { a: "2" }]);
      assert.match(busy.findings[0]?.message ?? "", /^not committed: a merge is in progress in /);
    }));

  it("gives way to another git that holds the index, is no commit if that never ends, and none without git", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, { a: "1" });
      write(repo, { a: "2", ".git/index.lock": "" });
      const waits: number[] = [];
      const patience = (ms: number, onPause: () => void = () => undefined) => ({
        ms,
        pause: async (some: number) => {
          waits.push(some);
          onPause();
        },
      });
      const request = commitRequest(repo, scratch, ["a"]);
      await assert.rejects(
        commitPaths({ ...request, patience: patience(200) }),
        /^TaskPhaseError: not committed: another git holds the index of .*repo$/,
      );
      assert.deepEqual([waits.splice(0), filesOf(repo, "HEAD")], [[50, 50, 50, 50], { a: "1" }]);
      assert.equal(readFileSync(join(repo, ".git/index.lock"), "utf8"), "");
      const end = await commitPaths({
        ...request,
        patience: patience(200, () => waits.length === 2 && rmSync(join(repo, ".git/index.lock"))),
      });
      assert.deepEqual([codes(end), waits, filesOf(repo, "HEAD")], [[], [50, 50], { a: "2" }]);
      assert.deepEqual([statusOf(repo), indexFiles(repo)], [[], ["index"]]);
      assert.deepEqual(await commitPaths(commitRequest(scratch, scratch, ["a"])), {
        sha: null,
        findings: [],
        unproven: [],
      });
    }));

  it("works in a folder of a working tree, in a linked one, and with names that are no text", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { "part/a": "1", b: "1" });
      const linked = join(folder, "linked");
      world.git("worktree", "add", "-q", linked, "-b", "work");
      write(linked, { "part/a": "2", b: "2" });
      writeFileSync(Buffer.concat([Buffer.from(`${linked}/part/`), Buffer.from([0xff])]), "5");
      await commitPaths(commitRequest(join(linked, "part"), world.scratch, ["a", "//\\xff"]));
      assert.equal(git(linked, "ls-tree", "-r", "--name-only", "work"), 'b\npart/a\n"part/\\377"\n');
      assert.deepEqual([statusOf(linked), filesOf(world.repo, "main")], [[" M b"], { b: "1", "part/a": "1" }]);
    }));
});

it("the files of a commit are synced: its objects, the branch and the index", () =>
  withFolder(async (folder) => {
    const { repo, scratch } = makeGitWorld(folder, { a: "1" });
    write(repo, { a: "2", new: "n" });
    const log = join(folder, "calls");
    write(folder, { "bin/git": `#!/bin/sh\necho "$*" >> '${log}'\nPATH="\${PATH#*:}" exec git "$@"\n` });
    chmodSync(join(folder, "bin/git"), 0o755);
    const env = { ...gitEnv, PATH: `${join(folder, "bin")}:${gitEnv.PATH}` };
    await commitPaths({ ...commitRequest(repo, scratch, ["a", "new"]), env });
    const writes = ["commit-tree", "hash-object", "update-index", "update-ref", "write-tree"];
    const calls = readFileSync(log, "utf8").split("\n");
    for (const name of writes) {
      const made = calls.filter((call) => call.includes(` ${name} `) || call.endsWith(` ${name}`));
      assert.ok(made.length > 0, name);
      for (const call of made) assert.match(call, / -c core\.fsync=committed,reference,index /);
    }
  }));

describe("a commit that loses to a person's", () => {
  /** A git that does something before it makes a commit, and a count of that. */
  function slowGit(folder: string, act: string): NodeJS.ProcessEnv {
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    write(folder, {
      "bin/git": `#!/bin/sh
case " $* " in *" commit-tree "*) echo x >> '${folder}/tries'; cd '${folder}/repo' && ${act} ;; esac
exec '${real}' "$@"
`,
    });
    chmodSync(join(folder, "bin/git"), 0o755);
    return { ...gitEnv, PATH: `${join(folder, "bin")}:${gitEnv.PATH}`, REAL: real };
  }
  const byHand = `env -u GIT_DIR -u GIT_COMMON_DIR -u GIT_INDEX_FILE "$REAL" -c user.name=p -c user.email=p@x commit -q --allow-empty -m "by hand"`;

  it("is made anew on top of it", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1", b: "1" });
      const env = slowGit(folder, `{ [ $(wc -l < '${folder}/tries') -gt 2 ] || ${byHand}; }`);
      write(world.repo, { a: "2", b: "mine" });
      const end = await commitPaths({ ...commitRequest(world.repo, world.scratch, ["a"]), env });
      assert.deepEqual([codes(end), filesOf(world.repo, "HEAD")], [[], { a: "2", b: "1" }]);
      assert.deepEqual(world.git("log", "--format=%s").trim().split("\n"), [
        "task-phase: T-1 pass 1",
        "by hand",
        "by hand",
        "first",
      ]);
      assert.deepEqual(statusOf(world.repo), [" M b"]);
    }));

  it("is given up after five times, and says why", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1" });
      const env = slowGit(folder, byHand);
      write(world.repo, { a: "2" });
      await assert.rejects(commitPaths({ ...commitRequest(world.repo, world.scratch, ["a"]), env }), {
        message: "not committed: somebody else committed to the branch in between, 5 times in a row",
      });
      writeFileSync(join(world.repo, ".git/refs/heads/main.lock"), "");
      await assert.rejects(
        world.commit(["a"]),
        /^TaskPhaseError: not committed: the branch could not be moved: .*main\.lock/s,
      );
    }));
});
