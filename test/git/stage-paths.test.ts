import assert from "node:assert/strict";
import fs, { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { blobName } from "../../lib/git/objects.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { readSources, stageAsGit, stageEntries, stagePaths, writeBlobs } from "../../lib/git/stage-paths.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

const named = (text: string) => blobName(Buffer.from(text), 40);
const placeAt = (folder: string) => findGitPlace(folder) ?? assert.fail();
const options = { env: gitEnv, variables: {} };
const paths = (...names: string[]) => names.map((name) => Buffer.from(name));

describe("the bytes on disk", () => {
  it("are stored as they are, with the text of links, whatever their names, modes and attributes are", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { ".gitattributes": "* text eol=crlf ident filter=evil\n" });
      const files = {
        "a.txt": "x\r\n$Id$\n",
        "new\nline": "n",
        '"quoted"': "q",
        "back\\slash": "b",
        "ü ": "u",
        run: "r",
      };
      write(folder, files);
      chmodSync(join(folder, "run"), 0o755);
      symlinkSync("no\nwhere", join(folder, "link"));
      const odd = Buffer.from([0x6f, 0xff, 0x0a]);
      writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), odd]), "odd");
      const all = [...paths(...Object.keys(files), "link"), odd];
      const stored = await writeBlobs(placeAt(folder), all, options);
      assert.deepEqual(
        stored.map(({ path, mode, oid }) => [path.toString("latin1"), mode, oid]),
        [
          ...Object.entries(files).map(([path, text]) => [
            Buffer.from(path).toString("latin1"),
            path === "run" ? "100755" : "100644",
            named(text),
          ]),
          ["link", "120000", named("no\nwhere")],
          [odd.toString("latin1"), "100644", named("odd")],
        ],
      );
      assert.equal(git(folder, "cat-file", "-p", named("x\r\n$Id$\n")), "x\r\n$Id$\n");
      assert.deepEqual(await writeBlobs(placeAt(folder), [], options), []);
    }));

  it("have the mode of the index where the disk keeps none", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { run: "1", plain: "1" });
      git(folder, "update-index", "--chmod=+x", "run");
      git(folder, "config", "core.fileMode", "false");
      chmodSync(join(folder, "plain"), 0o755);
      symlinkSync("x", join(folder, "link"));
      const stored = await writeBlobs(placeAt(folder), paths("run", "plain", "link"), options);
      assert.deepEqual(
        stored.map(({ mode }) => mode),
        ["100755", "100644", "120000"],
      );
    }));

  it("are copied whole, or links alone", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "1" });
      symlinkSync("a", join(repo, "link"));
      const scratch = join(folder, "scratch");
      mkdirSync(scratch);
      const sources = async (copies: "links" | "all") =>
        (await readSources(placeAt(repo), paths("a", "link"), { scratch, copies }, options)).map(
          ({ file }) => `${file}`,
        );
      assert.deepEqual(await sources("links"), ["a", join(scratch, "1")]);
      assert.deepEqual(await sources("all"), [join(scratch, "0"), join(scratch, "1")]);
    }));

  it("are staged, and what is gone is taken out, also behind a link", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1", gone: "1", "in/b": "1" });
      write(folder, { a: "2", new: "n" });
      rmSync(join(folder, "in"), { recursive: true });
      symlinkSync(".", join(folder, "in"));
      await stagePaths(placeAt(folder), { present: paths("a", "new"), gone: paths("gone", "in/b"), left: [] }, options);
      assert.equal(git(folder, "diff", "--cached", "--name-status"), "M\ta\nD\tgone\nD\tin/b\nA\tnew\n");
      await stageEntries(placeAt(folder), [], [], options);
    }));
});

describe("what git itself would store", () => {
  const asGit = async (folder: string, names: readonly string[], call: Parameters<typeof stageAsGit>[2] = options) =>
    await stageAsGit(placeAt(folder), paths(...names), call);

  it("has line ends, $Id$ and UTF-8 as the attributes say, and no entry where it is not known", () =>
    withFolder(async (folder) => {
      makeRepo(folder, {
        ".gitattributes":
          "*.txt text\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n*.u8 working-tree-encoding=utf8\n",
        folder: "a file",
      });
      rmSync(join(folder, "folder"));
      write(folder, { "a.txt": "x\r\n", "a.id": "$Id: old $\n", "a.u16": "x", "a.u8": "ü", "folder/b": "1" });
      const names = ["a.txt", "a.id", "a.u16", "a.u8", "folder/b"];
      const before = git(folder, "ls-files", "--stage");
      assert.deepEqual(
        await asGit(folder, names),
        new Map([
          ["a.id", named("$Id$\n")],
          ["a.txt", named("x\n")],
          ["a.u8", named("ü")],
          ["folder/b", named("1")],
        ]),
      );
      assert.equal(git(folder, "ls-files", "--stage"), before);
      assert.deepEqual(await asGit(folder, []), new Map());
    }));

  it("has line ends as core.autocrlf says without attributes, however that is spelt", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { old: "1" });
      write(folder, { a: "x\r\n" });
      for (const [value, stored] of [
        ["false", "x\r\n"],
        ["0", "x\r\n"],
        ["yes", "x\n"],
        ["input", "x\n"],
      ] as const) {
        git(folder, "config", "core.autocrlf", value);
        const raw = await writeBlobs(placeAt(folder), paths("a"), options);
        assert.deepEqual(await asGit(folder, ["a"], { ...options, raw }), new Map([["a", named(stored)]]), value);
      }
    }));

  it("is known of a file that changed right after git last looked at it, without another size", (t) =>
    withFolder(async (folder) => {
      const second = (path: string) => Math.floor(lstatSync(path).ctimeMs / 1000);
      let repo = "";
      // Git tells such a change by its second alone.
      for (let tries = 0; tries < 5; tries += 1) {
        repo = join(folder, String(tries));
        makeRepo(repo, { ".gitattributes": "a text\n", a: "1" });
        write(repo, { a: "2" });
        if (second(join(repo, "a")) === second(join(repo, ".git/index"))) break;
      }
      // The index is copied in a later second.
      const copy = fs.copyFileSync;
      const later = new Date(Date.now() + 5_000);
      t.mock.method(fs, "copyFileSync", (from: string, to: string) => {
        copy(from, to);
        fs.utimesSync(to, later, later);
      });
      syncBuiltinESMExports();
      try {
        assert.deepEqual(await asGit(repo, ["a"]), new Map([["a", named("2")]]));
      } finally {
        t.mock.restoreAll();
        syncBuiltinESMExports();
      }
    }));

  it("is told by the index of the caller, and before there is one", () =>
    withFolder(async (folder) => {
      git(folder, "init", "-q");
      write(folder, { ".gitattributes": "a text\n", a: "1" });
      const expected = new Map([["a", named("1")]]);
      assert.deepEqual(await asGit(folder, ["a"]), expected);
      const variables = { GIT_INDEX_FILE: join(folder, ".git/none") };
      assert.deepEqual(await asGit(folder, ["a"], { ...options, variables }), expected);
    }));
});
