import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import { diffFingerprints } from "../../lib/git/fingerprint-entries.ts";
import { makePatches } from "../../lib/git/patch.ts";
import { captureTree } from "../../lib/git/tree.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

/** The patch of what `pass` does in the repo, and the paths that a fingerprint says it changed. */
async function patchOf(
  folder: string,
  repo: string,
  pass: () => unknown,
  options: { leaveOut?: string[]; maxBytes?: number } = {},
): Promise<string | null> {
  const scratch = join(folder, "scratch");
  const leaveOut = options.leaveOut ?? [];
  const before = await takeFingerprint(repo, leaveOut, gitEnv);
  const captured = await captureTree(repo, scratch, leaveOut, gitEnv);
  assert.ok(captured !== null);
  await pass();
  const changed = diffFingerprints(before, await takeFingerprint(repo, leaveOut, gitEnv)).map(({ path }) => path);
  const { pass: patch } = await makePatches(captured, { changedPaths: changed, since: null }, gitEnv, options.maxBytes);
  assert.equal(existsSync(scratch), false);
  return patch === null ? null : patch.toString("utf8");
}

describe("a patch of a pass", () => {
  it("shows what changed since before the pass, not since the commit, and git apply takes it", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "1\n", gone: "g\n", run: "r\n", keep: "k\n", ".gitignore": "ignored\n" });
      write(repo, { a: "2\n", earlier: "e\n" });
      const copy = join(folder, "copy");
      git(folder, "clone", "-q", repo, copy);
      write(copy, { a: "2\n", earlier: "e\n" });
      const objects = git(repo, "count-objects");
      const index = git(repo, "ls-files", "-s");
      const patch = await patchOf(folder, repo, () => {
        write(repo, { a: "3\n", "new\nline": "n\n", ignored: "i\n", earlier: "e2\n" });
        rmSync(join(repo, "gone"));
        chmodSync(join(repo, "run"), 0o755);
        symlinkSync("a", join(repo, "link"));
        writeFileSync(join(repo, "data"), Buffer.from([0, 1, 2]));
      });
      assert.ok(patch !== null);
      const files = [...patch.matchAll(/^diff --git (.*)$/gm)].map(([, names]) => names);
      assert.deepEqual(files, [
        "a/a b/a",
        "a/data b/data",
        "a/earlier b/earlier",
        "a/gone b/gone",
        "a/link b/link",
        '"a/new\\nline" "b/new\\nline"',
        "a/run b/run",
      ]);
      assert.match(patch, /-2\n\+3\n/);
      assert.match(patch, /-e\n\+e2\n/);
      assert.match(patch, /Binary files \/dev\/null and b\/data differ/);
      assert.match(patch, /old mode 100644\nnew mode 100755/);
      write(folder, { patch: patch.replace(/diff --git a\/data[\s\S]*?differ\n/, "") });
      git(copy, "apply", join(folder, "patch"));
      assert.equal(git(copy, "diff", "--no-index", "--stat", "--", "a", join(repo, "a")), "");
      assert.deepEqual([git(repo, "count-objects"), git(repo, "ls-files", "-s")], [objects, index]);
    }));

  it("is relative to the repo where that is a folder of the working tree, and leaves folders out", () =>
    withFolder(async (folder) => {
      makeRepo(join(folder, "top"), { "part/a": "1\n", other: "o\n" });
      const repo = join(folder, "top/part");
      write(repo, { "tasks/T-1/STATE.md": "s\n" });
      const act = (): void => write(join(folder, "top"), { "part/a": "2\n", other: "x\n", "part/tasks/T-1/x": "x\n" });
      const patch = await patchOf(folder, repo, act, { leaveOut: [join(repo, "tasks/T-1")] });
      assert.match(
        patch ?? "",
        /^diff --git a\/a b\/a\nindex \w+\.\.\w+ 100644\n--- a\/a\n\+\+\+ b\/a\n@@ -1 \+1 @@\n-1\n\+2\n$/,
      );
    }));

  it("names what it cannot show, and what is too long", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "1\n" });
      const patch = await patchOf(
        folder,
        repo,
        () => {
          makeRepo(join(repo, "sub"), { x: "x" });
          writeFileSync(join(repo, "big"), Buffer.alloc(5 * 1024 * 1024 + 1));
          write(repo, { a: "2\n".repeat(500), b: "3\n" });
        },
        { maxBytes: 300 },
      );
      const lines = (patch ?? "").split("\n");
      assert.deepEqual(
        lines.map((line) => line.replace(/ of \d{4} /, " of many ")).filter((line) => !/^(?:index|new)/.test(line)),
        [
          "# changed, and not shown here:",
          "#   big (5242881 bytes)",
          "#   sub/x (in a repository of its own)",
          "#   a (a diff of many bytes)",
          "",
          ...["diff --git a/b b/b", "--- /dev/null", "+++ b/b", "@@ -0,0 +1 @@", "+3", ""],
        ],
      );
    }));

  it("names a file that has no lines in the diff, too, if it has no room", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { "a/old name": "1\n".repeat(9), "b/mode": "2\n", "b/c d.bin": "\0" });
      const act = (): void => {
        renameSync(join(repo, "a/old name"), join(repo, "a/new name"));
        chmodSync(join(repo, "b/mode"), 0o755);
        write(repo, { "b/c d.bin": "\0\0" });
      };
      const patch = await patchOf(folder, repo, act, { maxBytes: 1 });
      assert.deepEqual(
        patch
          ?.replace(/\d+ bytes/g, "N bytes")
          .trimEnd()
          .split("\n"),
        [
          "# changed, and not shown here:",
          ...["a/new name", "b/c d.bin", "b/mode"].map((name) => `#   ${name} (a diff of N bytes)`),
        ],
      );
    }));

  it("is none without git, and none where nothing changed", () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, "plain"));
      assert.equal(await captureTree(join(folder, "plain"), join(folder, "scratch"), [], gitEnv), null);
      const repo = join(folder, "repo");
      mkdirSync(repo);
      git(repo, "init", "-q");
      assert.equal(await patchOf(folder, repo, () => undefined), null);
      assert.match((await patchOf(folder, repo, () => write(repo, { a: "1\n" }))) ?? "", /new file mode 100644/);
    }));

  it("sees a file that became a folder, a folder that became a link, and no file behind a link", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { file: "f\n", "dir/x": "x\n", "in/y": "y\n" });
      const patch = await patchOf(folder, repo, () => {
        rmSync(join(repo, "file"));
        write(repo, { "file/inner": "i\n" });
        rmSync(join(repo, "dir"), { recursive: true });
        symlinkSync("in", join(repo, "dir"));
      });
      const heads = [...(patch ?? "").matchAll(/^diff --git (.*)\n(\w+ file mode \d+)/gm)].map(
        ([, names, mode]) => `${names} ${mode}`,
      );
      assert.deepEqual(heads.sort(), [
        "a/dir b/dir new file mode 120000",
        "a/dir/x b/dir/x deleted file mode 100644",
        "a/file b/file deleted file mode 100644",
        "a/file/inner b/file/inner new file mode 100644",
      ]);
    }));

  it("needs no settings of the repository, even if they are no text", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "a\n" });
      appendFileSync(
        join(repo, ".git/config"),
        Buffer.concat([Buffer.from('[filter "'), Buffer.from([0xff]), Buffer.from('"]\nclean = x\n')]),
      );
      const patch = await patchOf(folder, repo, () => write(repo, { a: "2\n" }));
      assert.match(patch ?? "", /^-a\n\+2$/m);
    }));

  it("runs no program that settings or attributes name, whatever their name", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "a\n", b: "b\n", ".gitattributes": "a filter=x=y diff=evil\nb filter=evil\n" });
      const trap = join(folder, "trap.sh");
      write(folder, { "trap.sh": `#!/bin/sh\ntouch '${folder}/sprung'\ncat\n` });
      chmodSync(trap, 0o755);
      for (const key of [
        "filter.x=y.clean",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.external",
        "core.fsmonitor",
        "diff.evil.command",
      ])
        git(repo, "config", key, trap);
      git(repo, "config", "filter.x=y.required", "true");
      const patch = await patchOf(folder, repo, () => write(repo, { a: "2\n", b: "2\n" }));
      assert.deepEqual([patch?.match(/^\+2$/gm)?.length, readdirSync(folder).includes("sprung")], [2, false]);
    }));
});
