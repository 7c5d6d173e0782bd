import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { distinct, insideOf, isRuntime, isUnder, joinNul, sortPaths } from "../../lib/git/stage.ts";
import { isRoot, withFolder } from "../store/temporary-folder.ts";
import { write } from "./git-repo.ts";

const place = (top: string) => ({ top, gitDir: join(top, ".git"), commonDir: join(top, ".git") });
const buffers = (...paths: string[]) => paths.map((path) => Buffer.from(path));

describe("paths of a working tree", () => {
  it("are there, gone, or left out with a reason, each once", () =>
    withFolder((top) => {
      write(top, { "in/a": "1", big: "12345", "nested/.git/HEAD": "x", "nested/b": "1", "real/c": "1", locked: "1" });
      mkdirSync(join(top, "nested/.git/objects"));
      mkdirSync(join(top, "folder"));
      symlinkSync("nowhere", join(top, "link"));
      symlinkSync("real", join(top, "alias"));
      execFileSync("mkfifo", [join(top, "pipe")]);
      chmodSync(join(top, "locked"), 0o000);
      const paths = [
        "in/a",
        "in/a",
        "link",
        "none",
        "alias/c",
        "none/d",
        "big",
        "folder",
        "pipe",
        "nested/b",
        "locked",
      ];
      const { present, gone, left } = sortPaths(place(top), buffers(...paths), 4);
      assert.deepEqual(present.map(String), ["in/a", "link", ...(isRoot ? ["locked"] : [])]);
      assert.deepEqual(gone.map(String), ["none", "alias/c", "none/d"]);
      assert.deepEqual(
        left.map(({ path, why }) => `${path}: ${why}`),
        [
          "big: 5 bytes",
          "folder: a folder",
          "pipe: not a regular file",
          "nested/b: in a repository of its own",
          ...(isRoot ? [] : ["locked: not readable"]),
        ],
      );
    }));

  it("may be names that are no text", () =>
    withFolder((top) => {
      const odd = Buffer.from([0x66, 0xff]);
      writeFileSync(Buffer.concat([Buffer.from(`${top}/`), odd]), "x");
      assert.deepEqual(sortPaths(place(top), [odd]), { present: [odd], gone: [], left: [] });
    }));
});

describe("the words for paths", () => {
  it("know the runner's moving parts and git's folder", () => {
    const runtime = [".task-phase/lock", "a/.git/HEAD", ".git", "tasks/T-1/.task-phase"];
    const code = ["task-phase", ".gitignore", "a/.github/x", ".task-phases/a", "a.git"];
    assert.deepEqual(
      [...runtime, ...code].filter((path) => isRuntime(Buffer.from(path))),
      runtime,
    );
  });

  it("know what is under a folder: the folder itself too, and no longer name", () => {
    const paths = ["a", "a/b", "ab", "", "b"];
    const under = (folder: string) => paths.filter((path) => isUnder(Buffer.from(path), Buffer.from(folder)));
    assert.deepEqual([under("a"), under("")], [["a", "a/b"], paths]);
  });

  it("are relative to the top, and none outside of it", () =>
    withFolder((folder) => {
      write(folder, { "repo/in/a": "1", "repository/a": "1" });
      symlinkSync(join(folder, "repo/in"), join(folder, "alias"));
      const of = (path: string) => insideOf(place(join(folder, "repo")), join(folder, path))?.toString() ?? null;
      assert.deepEqual(["repo", "repo/in", "alias", "repo/none/x", "repository", "."].map(of), [
        "",
        "in",
        "in",
        "none/x",
        null,
        null,
      ]);
      assert.equal(insideOf(place("/"), folder)?.toString(), folder.slice(1));
    }));

  it("are joined by NUL, and each is kept once", () => {
    assert.equal(joinNul(buffers("a", "b c")).toString(), "a\0b c\0");
    assert.equal(joinNul([]).length, 0);
    assert.deepEqual(distinct(buffers("a", "b", "a")).map(String), ["a", "b"]);
  });
});
