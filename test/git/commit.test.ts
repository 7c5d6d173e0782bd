import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commitPaths } from "../../lib/git/commit.ts";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import { finishIndex } from "../../lib/git/held-index.ts";
import { listPassCommits } from "../../lib/git/log.ts";
import { watchDisk } from "../store/recorded-disk.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";
import { commitRequest, filesOf, makeGitWorld, statusOf } from "./git-world.ts";

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

  it("commits all of a folder that is not ignored, but no runtime file", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, {
        ".gitignore": "*.log\n",
        "tasks/T-1/STATE.md": "1",
        "tasks/T-1/x": "x",
      });
      write(repo, {
        "tasks/T-1/STATE.md": "2",
        "tasks/T-1/artifacts/a.md": "a",
        "tasks/T-1/a.log": "l",
        "tasks/T-1/.tp-0123456789abcdef.tmp": "t",
        "tasks/.task-phase/locks/T-1.lock": "",
        "tasks/T-1/.task-phase/x": "x",
        "tasks/T-2/STATE.md": "o",
      });
      rmSync(join(repo, "tasks/T-1/x"));
      const folders = [join(repo, "tasks/T-1"), join(folder, "elsewhere")];
      await commitPaths({ ...commitRequest(repo, scratch, ["tasks/.task-phase/locks/T-1.lock"]), folders });
      assert.deepEqual(filesOf(repo, "HEAD"), {
        ".gitignore": "*.log\n",
        "tasks/T-1/STATE.md": "2",
        "tasks/T-1/artifacts/a.md": "a",
      });
      assert.equal((await commitPaths({ ...commitRequest(repo, scratch, []), folders })).sha, null);
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

  it("leaves out ignored paths, nested repositories and paths with a filter, and names them", () =>
    withFolder(async (folder) => {
      const { repo, scratch, trap, sprung, ...world } = makeGitWorld(folder, {
        ".gitignore": "ignored\n",
        ".gitattributes": "*.bin filter=x=y\n*.txt filter=nobody\n",
      });
      for (const key of ["filter.x=y.clean", "commit.gpgSign", "gpg.program"])
        world.git("config", key, key === "commit.gpgSign" ? "true" : trap);
      mkdirSync(join(repo, ".git/hooks"), { recursive: true });
      for (const hook of ["pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"])
        symlinkSync(trap, join(repo, ".git/hooks", hook));
      makeRepo(join(repo, "sub"), { x: "x" });
      write(repo, { ignored: "i", "a.bin": "b", "a.txt": "t" });
      const end = await commitPaths(commitRequest(repo, scratch, ["ignored", "a.bin", "a.txt", "sub/x", "sub"]));
      assert.deepEqual(Object.keys(filesOf(repo, "HEAD")), [".gitattributes", ".gitignore", "a.txt"]);
      assert.deepEqual(
        end.findings.map(({ severity, code, message }) => [severity, code, message]),
        [
          ["error", "TP_GIT_LEFT_OUT", "not committed: sub/x: in a repository of its own"],
          ["error", "TP_GIT_LEFT_OUT", "not committed: sub: a folder"],
          [
            "error",
            "TP_GIT_LEFT_OUT",
            "not committed: a.bin: a filter program of git's settings, such as git-lfs, applies; the runner runs none",
          ],
        ],
      );
      assert.equal(sprung(), false);
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

/** What is in the folder of a repository that has to do with its index, half-written files included. */
function indexFiles(repo: string): string[] {
  return readdirSync(join(repo, ".git")).filter((name) => /index|\.tp-/.test(name));
}

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

/** What the checks ran on: the repo as it is now, and all that its passes changed. */
async function checkedNow(repo: string, changed: readonly string[], since: string | null) {
  const { entries } = await takeFingerprint(repo, [join(repo, "tasks")], gitEnv);
  return { entries, leaveOut: [join(repo, "tasks")], since, changed, left: [] };
}

describe("the content of a commit", () => {
  const attributes = `*.bat text eol=crlf
*.id ident
*.utf16 working-tree-encoding=UTF-16LE
*.txt text
*.raw -text
`;

  it("is what was checked, byte by byte: a path of which git would store other bytes is an error", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, { ".gitattributes": attributes, "tasks/T-1/STATE.md": "1\n" });
      const utf16 = Buffer.from("hello\n", "utf16le");
      write(repo, { "a.bat": "x\r\n", "a.id": "$Id: forged $\n", "a.txt": "x\r\n", "b.txt": "x\n", "a.raw": "x\r\n" });
      write(repo, { "new.bat": "x\n", "b.id": "$Id$\n", plain: "x\r\n", "tasks/T-1/log.txt": "x\r\n" });
      writeFileSync(join(repo, "a.utf16"), utf16);
      const paths = ["a.bat", "a.id", "a.txt", "a.utf16", "a.raw", "b.txt", "b.id", "new.bat", "plain"];
      const request = { ...commitRequest(repo, scratch, paths), folders: [join(repo, "tasks/T-1")] };
      const checked = await checkedNow(repo, paths, null);
      const end = await commitPaths({ ...request, checked });
      const { ".gitattributes": _, ...stored } = filesOf(repo, "HEAD");
      assert.deepEqual(stored, {
        "a.raw": "x\r\n",
        "b.id": "$Id$\n",
        "b.txt": "x\n",
        "new.bat": "x\n",
        plain: "x\r\n",
        "tasks/T-1/STATE.md": "1\n",
        "tasks/T-1/log.txt": "x\n",
      });
      assert.deepEqual(
        end.findings.map(({ severity, code, message }) => [severity, code, message.replace(/[0-9a-f]{12}/, "SHA")]),
        [
          [
            "error",
            "TP_GIT_LEFT_OUT",
            "not committed: a.bat, a.id, a.txt, a.utf16: because of attributes or core.autocrlf, git would store bytes other than those that were checked",
          ],
          [
            "error",
            "TP_GIT_UNCHECKED",
            "the commit SHA does not contain what was checked: a.bat, a.id, a.txt, a.utf16",
          ],
        ],
      );
      // A person commits them, and git turns the line endings; the other two are no longer what was checked.
      git(repo, "add", "-A");
      git(repo, "commit", "-q", "-m", "by hand");
      const later = await commitPaths({ ...commitRequest(repo, scratch, []), checked });
      assert.match(later.findings[0]?.message ?? "", /does not contain what was checked: a\.id, a\.utf16$/);
    }));

  it("is an error where the disk changed after the checks, or a commit of the agent holds something else", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1", b: "1", c: "1", link: "1" });
      const { repo, scratch } = world;
      const since = world.git("rev-parse", "HEAD").trim();
      const said = ({ findings }: { findings: readonly { message: string }[] }) =>
        findings.map(({ message }) => message.replace(/[0-9a-f]{12}/, "SHA"));
      write(repo, { b: "evil" });
      world.git("commit", "-qam", "the agent's own");
      write(repo, { a: "2", b: "1" });
      rmSync(join(repo, "link"));
      symlinkSync("a", join(repo, "link"));
      const checked = await checkedNow(repo, ["a", "link"], since);
      assert.deepEqual(said(await commitPaths({ ...commitRequest(repo, scratch, ["a", "link"]), checked })), [
        "the commit SHA does not contain what was checked: b",
      ]);
      assert.deepEqual(said(await commitPaths({ ...commitRequest(repo, scratch, []), checked })), [
        "the commit SHA does not contain what was checked: b",
      ]);
      assert.deepEqual(
        await commitPaths({ ...commitRequest(repo, scratch, []), checked: { ...checked, left: ["b"] } }),
        { sha: null, findings: [], unproven: [] },
      );
      const whole = await commitPaths({ ...commitRequest(repo, scratch, ["b"]), checked });
      assert.deepEqual(said(whole), []);
      write(repo, { a: "3" });
      rmSync(join(repo, "c"));
      assert.deepEqual(said(await commitPaths({ ...commitRequest(repo, scratch, ["a", "c"]), checked })), [
        "the commit SHA does not contain what was checked: a, c",
      ]);
    }));
});

describe("a link in a commit", () => {
  it("is named if it leads out of the repository", () =>
    withFolder(async (folder) => {
      const { repo, scratch } = makeGitWorld(folder, { "in/a": "1" });
      const links = { "in/up": "../in/a", "in/out": "../../x", absolute: "/etc/hosts", inside: join(repo, "in/a") };
      for (const [path, target] of Object.entries(links)) symlinkSync(target, join(repo, path));
      const end = await commitPaths(commitRequest(repo, scratch, Object.keys(links)));
      assert.deepEqual(
        end.findings.map(({ severity, code, message }) => [severity, code, message]),
        [["warning", "TP_GIT_LINK_OUT", "committed links that point out of the repository: in/out, absolute"]],
      );
      assert.equal(git(repo, "cat-file", "-p", "HEAD:in/out"), "../../x");
    }));
});

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

describe("the commits of a task", () => {
  it("are found by their trailers, newest first", () =>
    withFolder(async (folder) => {
      const world = makeGitWorld(folder, { a: "1" });
      assert.deepEqual(await listPassCommits(world.repo, "T-1", 10, gitEnv), []);
      const shas: (string | null)[] = [];
      for (const pass of [1, 2, 3]) {
        write(world.repo, { a: `pass ${pass}` });
        shas.unshift(await world.commit(["a"], pass));
      }
      git(world.repo, "commit", "-q", "--allow-empty", "-m", "x\n\nTask-Phase-Task: T-2\nTask-Phase-Pass: 1");
      git(world.repo, "commit", "-q", "--allow-empty", "-m", "x\n\nTask-Phase-Task: T-1\nTask-Phase-Pass: one");
      const found = await listPassCommits(world.repo, "T-1", 2, gitEnv);
      assert.deepEqual(found, [
        { sha: shas[0], pass: 3, verdict: "", subject: "task-phase: T-1 pass 3" },
        { sha: shas[1], pass: 2, verdict: "", subject: "task-phase: T-1 pass 2" },
      ]);
      assert.deepEqual(await listPassCommits(world.scratch, "T-1", 2, gitEnv), []);
    }));
});
