import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import {
  diffFingerprints,
  type Fingerprint,
  parseEntries,
  serializeEntries,
} from "../../lib/git/fingerprint-entries.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { withExt4 } from "./as-on-ext4.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";
import { watchOpens } from "./watch-opens.ts";

const take = (repo: string, exclude: readonly string[] = []): Promise<Fingerprint> =>
  takeFingerprint(repo, exclude, gitEnv);
const takeByStats = (repo: string): Promise<Fingerprint> => takeFingerprint(repo, [], gitEnv, "stats");
/** Longer than a file that changed a moment ago is read again for. */
const settle = () => setTimeout(120);
const files = { "src/a.ts": "a\n", "src/b.ts": "b\n", ".gitignore": "ignored/\n*.log\n" };

/** A committed repo, what `act` does to it, and the paths whose entries moved by that. */
async function moved(
  act: (repo: string) => unknown,
  prepare: (repo: string) => unknown = () => undefined,
): Promise<string[]> {
  let paths: string[] = [];
  await withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, files);
    await prepare(repo);
    await settle();
    const before = await take(repo);
    await act(repo);
    const byStats = await takeByStats(repo);
    const after = await take(repo);
    assert.deepEqual(diffFingerprints(byStats, after), [], "by stats it is told otherwise");
    paths = diffFingerprints(before, after).map(({ path, change }) => `${change} ${path}`);
    assert.equal(before.hash === after.hash, paths.length === 0);
  });
  return paths;
}

describe("a fingerprint stays the same", () => {
  const quiet: Record<string, (repo: string) => unknown> = {
    "git add and commit": (repo) => {
      git(repo, "add", "-A");
      git(repo, "commit", "-q", "--allow-empty", "-m", "second");
    },
    "git rm --cached, since the file still stands there": (repo) => git(repo, "rm", "-q", "--cached", "src/a.ts"),
    "git add -N and a new branch": (repo) => git(repo, "checkout", "-q", "-b", "other"),
    "new times": (repo) => utimesSync(join(repo, "src/a.ts"), 1, 1),
    "rights of others": (repo) => chmodSync(join(repo, "src/a.ts"), 0o600),
    "ignored files": (repo) => write(repo, { "ignored/x": "x", "a.log": "x", "ignored/deep/.gitignore": "*" }),
    "an empty folder": (repo) => mkdirSync(join(repo, "empty")),
    "a pipe that is no tracked file": (repo) => execFileSync("mkfifo", [join(repo, "pipe")]),
  };
  for (const [name, act] of Object.entries(quiet)) {
    it(`under ${name}`, async () => {
      assert.deepEqual(await moved(act, (repo) => write(repo, { "new.ts": "new" })), []);
    });
  }
});

describe("a fingerprint by stats", () => {
  it("the runner's own temporary files are no contents, where TMPDIR is in the repo", async () => {
    const { TMPDIR } = process.env;
    try {
      const paths = await moved(
        (repo) => {
          write(repo, { "tmp/task-phase-git-1-2-abcdef/index": "", "tmp/task-phase-action/index.js": "" });
        },
        (repo) => {
          process.env.TMPDIR = join(repo, "tmp");
          mkdirSync(join(repo, "tmp"));
        },
      );
      assert.deepEqual(paths, ["added tmp/task-phase-action/index.js"]);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });

  it("reads no file again that did not change, and each one that did, whatever its times are set to", () =>
    withExt4(async (folder) => {
      makeRepo(folder, files);
      await settle();
      const before = await take(folder);
      const opened = watchOpens(folder);
      try {
        assert.equal(await takeByStats(folder), before);
        assert.deepEqual(opened(), []);
        const path = join(folder, "src/a.ts");
        const { mtimeNs } = statSync(path, { bigint: true });
        execFileSync("touch", ["--reference", path, join(folder, ".git/times")]);
        writeFileSync(path, "A\n");
        execFileSync("touch", ["--reference", join(folder, ".git/times"), path]);
        assert.equal(statSync(path, { bigint: true }).mtimeNs, mtimeNs);
        assert.notEqual((await takeByStats(folder)).hash, before.hash);
        assert.deepEqual(opened(), ["src/a.ts"]);
        await take(folder);
        assert.deepEqual(opened(), [".gitignore", "src/a.ts", "src/b.ts"]);
      } finally {
        opened.stop();
      }
    }));

  it("knows nothing of another repo with the same files, nor of a file that took another's place", () =>
    withExt4(async (folder) => {
      const [one, two] = [join(folder, "one"), join(folder, "two")];
      makeRepo(one, files);
      makeRepo(two, { ...files, "src/a.ts": "A\n" });
      await settle();
      await take(one);
      const other = await take(two);
      assert.equal((await takeByStats(two)).hash, other.hash);
      await take(one);
      renameSync(join(two, "src/a.ts"), join(one, "src/a.ts"));
      assert.equal((await takeByStats(one)).entries.get("src/a.ts"), other.entries.get("src/a.ts"));
    }));
});

const memory = "/dev/shm";
const needsTmpfs = {
  skip:
    process.platform === "linux" && existsSync(memory) && statfsSync(memory).type === 0x01021994
      ? false
      : "no tmpfs here",
};

it(
  "a fingerprint by stats reads every file of a tmpfs, where a shared mapping changes bytes and no times",
  needsTmpfs,
  async () => {
    const folder = mkdtempSync(join(memory, "task-phase-tests-"));
    try {
      makeRepo(folder, files);
      await settle();
      await take(folder);
      const opened = watchOpens(folder);
      try {
        await takeByStats(folder);
        assert.deepEqual(opened(), [".gitignore", "src/a.ts", "src/b.ts"]);
      } finally {
        opened.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

describe("a fingerprint moves", () => {
  const loud: Record<string, [string[], (repo: string) => unknown]> = {
    "with content, an untracked file and a removed one": [
      ["added new.ts", "changed src/a.ts", "removed src/b.ts"],
      (repo) => {
        appendFileSync(join(repo, "src/a.ts"), "more");
        unlinkSync(join(repo, "src/b.ts"));
        write(repo, { "new.ts": "" });
      },
    ],
    "with the executable bit": [["changed src/a.ts"], (repo) => chmodSync(join(repo, "src/a.ts"), 0o755)],
    "when a file becomes a link to the same content": [
      ["changed src/a.ts"],
      (repo) => {
        renameSync(join(repo, "src/a.ts"), join(repo, "ignored.log"));
        symlinkSync("../ignored.log", join(repo, "src/a.ts"));
      },
    ],
    "when a folder becomes a link to a copy of it": [
      ["added src", "removed src/a.ts", "removed src/b.ts"],
      (repo) => {
        mkdirSync(join(repo, "ignored"));
        renameSync(join(repo, "src"), join(repo, "ignored/src"));
        symlinkSync("ignored/src", join(repo, "src"));
      },
    ],
    "when a tracked file becomes a pipe": [
      ["changed src/a.ts"],
      (repo) => {
        unlinkSync(join(repo, "src/a.ts"));
        execFileSync("mkfifo", [join(repo, "src/a.ts")]);
      },
    ],
    "when a tracked file becomes a folder": [
      ["removed src/a.ts", "added src/a.ts/x"],
      (repo) => {
        unlinkSync(join(repo, "src/a.ts"));
        write(repo, { "src/a.ts/x": "x" });
      },
    ],
    "with the same size and the same times": [
      ["changed src/a.ts"],
      (repo) => {
        const path = join(repo, "src/a.ts");
        const { atime, mtime } = statSync(path);
        writeFileSync(path, "A\n");
        utimesSync(path, atime, mtime);
      },
    ],
    "with .git/info/exclude, even as it hides what was added": [
      ["changed .git/info/exclude"],
      (repo) => {
        write(repo, { "hidden.ts": "x" });
        appendFileSync(join(repo, ".git/info/exclude"), "hidden.ts\n");
      },
    ],
    "with core.excludesFile": [
      ["added .git/core.excludesFile"],
      (repo) => {
        write(repo, { "hidden.ts": "x", "ignored/rules": "hidden.ts\n" });
        git(repo, "config", "core.excludesFile", join(repo, "ignored/rules"));
      },
    ],
    "with a .gitignore that ignores itself and all beside it": [
      ["added lib/.gitignore", "added src/.gitignore"],
      (repo) =>
        write(repo, { "src/.gitignore": "*", "src/hidden.ts": "x", "lib/.gitignore": "*", "lib/hidden.ts": "x" }),
    ],
    "with what a nested repository holds": [
      ["added sub/.git/info/exclude", "added sub/in/b", "added sub/new"],
      (repo) => {
        makeRepo(join(repo, "sub"), { "in/b": "b" });
        write(repo, { "sub/new": "x" });
      },
    ],
    "with what hides under a .git that makes a tracked folder a nested repository": [
      ["added src/.git/info/exclude", "added src/hidden.ts"],
      (repo) => {
        git(join(repo, "src"), "init", "-q");
        write(repo, { "src/hidden.ts": "x" });
      },
    ],
    "with what hides under an index entry that calls a folder a submodule": [
      ["added fake/x"],
      (repo) => {
        write(repo, { "fake/x": "x" });
        git(repo, "update-index", "--add", "--cacheinfo", `160000,${git(repo, "rev-parse", "HEAD").trim()},fake`);
      },
    ],
    "with what core.ignoreCase would hide": [
      ["added IGNORED/x", "added x.LOG"],
      (repo) => {
        git(repo, "config", "core.ignoreCase", "true");
        write(repo, { "IGNORED/x": "x", "x.LOG": "x" });
      },
    ],
  };
  for (const [name, [expected, act]] of Object.entries(loud)) {
    it(name, async () => assert.deepEqual(await moved(act), expected));
  }

  for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
    it(`under git update-index ${flag}`, async () => {
      const hide = (repo: string): unknown => git(repo, "update-index", flag, "src/a.ts");
      assert.deepEqual(await moved(hide), []);
      assert.deepEqual(await moved((repo) => write(repo, { "src/a.ts": "changed" }), hide), ["changed src/a.ts"]);
    });
  }

  const settings: Record<string, (repo: string) => [string, string]> = {
    "core.worktree set elsewhere": (repo) => ["core.worktree", join(repo, "..")],
    "core.bare": () => ["core.bare", "true"],
    "core.untrackedCache": () => ["core.untrackedCache", "true"],
    "status.showUntrackedFiles": () => ["status.showUntrackedFiles", "no"],
    "submodule.recurse": () => ["submodule.recurse", "true"],
    "a sparse checkout": () => ["core.sparseCheckout", "true"],
    "core.fileMode off": () => ["core.fileMode", "false"],
    "core.trustctime off": () => ["core.trustctime", "false"],
  };
  for (const [name, setting] of Object.entries(settings)) {
    it(`with ${name} in .git/config as without`, async () => {
      const set = (repo: string): unknown => git(repo, "config", ...setting(repo));
      const act = (repo: string): void => {
        write(repo, { "src/a.ts": "x", new: "x" });
        chmodSync(join(repo, "src/b.ts"), 0o755);
      };
      assert.deepEqual(await moved(set), []);
      assert.deepEqual(await moved(act, set), ["added new", "changed src/a.ts", "changed src/b.ts"]);
    });
  }
});

describe("taking a fingerprint", () => {
  it("runs no program that .git/config or an attribute names", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "a", ".gitattributes": "* filter=evil diff=evil\n" });
      const trap = join(folder, "trap.sh");
      write(folder, { "trap.sh": `#!/bin/sh\ntouch '${folder}/sprung'\ncat\n` });
      chmodSync(trap, 0o755);
      for (const key of [
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.textconv",
        "core.pager",
        "core.editor",
        "alias.ls-files",
        "core.sshCommand",
      ]) {
        git(repo, "config", key, key.startsWith("alias") ? `!${trap}` : trap);
      }
      mkdirSync(join(repo, ".git/hooks"), { recursive: true });
      for (const hook of ["post-index-change", "post-checkout", "fsmonitor-watchman"]) {
        write(repo, { [`.git/hooks/${hook}`]: readFileSync(trap, "utf8") });
        chmodSync(join(repo, ".git/hooks", hook), 0o755);
      }
      utimesSync(join(repo, "a"), 1, 1);
      write(repo, { a: "b", new: "new" });
      assert.equal((await take(repo)).entries.size, 4);
      assert.equal(existsSync(join(folder, "sprung")), false);
    }));

  it("listens to no GIT_ variable", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, files);
      makeRepo(join(folder, "other"), { x: "x" });
      const env = {
        ...gitEnv,
        GIT_DIR: join(folder, "other/.git"),
        GIT_WORK_TREE: join(folder, "other"),
        GIT_INDEX_FILE: "/dev/null",
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "core.excludesFile",
        GIT_CONFIG_VALUE_0: "/etc/passwd",
        GIT_LITERAL_PATHSPECS: "1",
        GIT_CEILING_DIRECTORIES: folder,
      };
      assert.equal((await takeFingerprint(repo, [], env)).hash, (await take(repo)).hash);
    }));

  it("describes each kind of entry, whatever its name", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { 'q"uo\\te': "1", "new\nline": "2", " x ": "3", "é😀": "4" });
      symlinkSync("/etc/passwd", join(repo, "link"));
      writeFileSync(Buffer.concat([Buffer.from(`${repo}/`), Buffer.from([0xff, 0x5c, 0x0a])]), "5");
      chmodSync(join(repo, "é😀"), 0o755);
      const { entries, hash } = await take(repo);
      const rules = entries.get(".git/info/exclude") ?? "";
      assert.deepEqual(
        [...entries].sort(([left], [right]) => (left < right ? -1 : 1)),
        [
          [" x ", `file 644 ${sha256("3")}`],
          [".git/info/exclude", rules],
          ["//\\xff\\\\\\x0a", `file 644 ${sha256("5")}`],
          ["link", `link - ${sha256("/etc/passwd")}`],
          ["new\nline", `file 644 ${sha256("2")}`],
          ['q"uo\\te', `file 644 ${sha256("1")}`],
          ["é😀", `file 755 ${sha256("4")}`],
        ],
      );
      assert.deepEqual(parseEntries(serializeEntries(entries)), {
        hash,
        entries: new Map([...entries].sort(([left], [right]) => (left < right ? -1 : 1))),
      });
    }));

  it("leaves out the given folders, under each of their names", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { "tasks/T-1/STATE.md": "x", "tasks/T-10/x": "x", a: "a" });
      symlinkSync("repo", join(folder, "alias"));
      const expected = [".git/info/exclude", "a", "tasks/T-10/x"];
      for (const exclude of [join(repo, "tasks/T-1"), join(folder, "alias/tasks/T-1"), join(repo, "tasks/T-1/")]) {
        assert.deepEqual([...(await take(repo, [exclude, join(folder, "none")])).entries.keys()].sort(), expected);
      }
      assert.deepEqual(
        [...(await take(join(folder, "alias"), [join(repo, "tasks/T-1")])).entries.keys()].sort(),
        expected,
      );
    }));

  it("takes the whole tree without git, and where an outer repository ignores it", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "outer/work");
      write(repo, { "a/b": "x", ".hidden": "x", ".git/not-a-repository": "x", "a/.git/x": "x" });
      execFileSync("mkfifo", [join(repo, "pipe")]);
      const expected = { ".hidden": `file 644 ${sha256("x")}`, "a/b": `file 644 ${sha256("x")}`, pipe: "special 1 -" };
      assert.deepEqual(Object.fromEntries((await take(repo)).entries), expected);
      makeRepo(join(folder, "outer"), { ".gitignore": "work\n" });
      assert.deepEqual(Object.fromEntries((await take(repo)).entries), expected);
    }));

  it("takes only a part of the tree where the repo is a folder in it", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { "part/a": "a", "part/in/b": "b", other: "x" });
      write(folder, { "part/new": "n" });
      assert.deepEqual([...(await take(join(folder, "part"))).entries.keys()].sort(), [
        ".git/info/exclude",
        "a",
        "in/b",
        "new",
      ]);
    }));

  it("works in a linked working tree and in a real submodule", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(join(folder, "library"), { code: "1" });
      makeRepo(repo, files);
      git(repo, "submodule", "--quiet", "add", join(folder, "library"), "vendor/library");
      git(repo, "commit", "-q", "-m", "with it");
      git(repo, "worktree", "add", "-q", join(folder, "linked"));
      const submodule = await take(repo);
      assert.equal(submodule.entries.get("vendor/library/code"), `file 644 ${sha256("1")}`);
      const linked = await take(join(folder, "linked"));
      assert.deepEqual(
        diffFingerprints(submodule, linked).map(({ path }) => path),
        ["vendor/library/.git/info/exclude", "vendor/library/code"],
      );
      write(repo, { "vendor/library/code": "2" });
      assert.deepEqual(diffFingerprints(submodule, await take(repo)), [
        { path: "vendor/library/code", change: "changed" },
      ]);
      git(repo, "submodule", "--quiet", "deinit", "-f", "vendor/library");
      rmSync(join(repo, "vendor/library/.git"), { force: true });
      write(repo, { "vendor/library/code": "3" });
      assert.equal((await take(repo)).entries.get("vendor/library/code"), `file 644 ${sha256("3")}`);
    }));

  it("counts the files of a nested repository that git cannot read", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "a" });
      makeRepo(join(folder, "sub"), { x: "x", ".gitignore": "y" });
      write(folder, { "sub/.git/index": "garbage", "sub/y": "y" });
      assert.deepEqual([...(await take(folder)).entries.keys()].sort(), [
        ".git/info/exclude",
        "a",
        "sub/.gitignore",
        "sub/x",
        "sub/y",
      ]);
    }));

  it("fails with TP_GIT and git's words where git cannot read the repository", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "a" });
      write(folder, { ".git/index": "garbage" });
      await assert.rejects(take(folder), { message: /^git ls-files failed in the repository at .*: .*index/ });
      await assert.rejects(takeFingerprint(folder, [], { PATH: "/nonexistent" }), {
        message: /and git is not on the PATH/,
      });
    }));

  it("does not open a pipe, so that its other end goes on waiting", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "a" });
      unlinkSync(join(folder, "a"));
      execFileSync("mkfifo", [join(folder, "a")]);
      const writer = spawn("sh", ["-c", "echo x > a"], { cwd: folder });
      let ended = false;
      writer.on("exit", () => {
        ended = true;
      });
      assert.equal((await take(folder)).entries.get("a"), "special 1 -");
      assert.equal(ended, false);
      writer.kill("SIGKILL");
    }));
});
