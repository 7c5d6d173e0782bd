import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import { listTree } from "../../lib/git/list-tree.ts";
import { besideObjects, blobName } from "../../lib/git/objects.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { type ListedRequest, sortListed } from "../../lib/git/sort-delivery.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

const attributes = `*.bat text eol=crlf
*.id ident
*.u16 working-tree-encoding=UTF-16LE
*.lfs filter=lfs
*.evil filter=evil
`;

const named = (text: string) => blobName(Buffer.from(text), 40);
const uncommitted = "changes that are not committed, and that no pass of this task made: commit what the work needs";
const filterWhy = "a filter program of git's settings applies to it, and the runner runs none: commit it by hand";

/** A committed repo, in which git knows two filters. */
function makeFiltered(folder: string, files: Readonly<Record<string, string>>): void {
  makeRepo(folder, files);
  for (const name of ["lfs", "evil"]) git(folder, "config", `filter.${name}.clean`, "cat");
}

/** How the files of the repo are handed over, by path, if passes changed these. */
async function sort(repo: string, changed: readonly string[], more: Partial<ListedRequest> = {}) {
  const place = findGitPlace(repo) ?? assert.fail();
  const { entries } = await takeFingerprint(repo, [], gitEnv);
  const commit = git(repo, "rev-parse", "HEAD").trim();
  const objects = join(repo, ".git/other-objects");
  mkdirSync(objects, { recursive: true });
  const request: ListedRequest = {
    ...{ place, inside: Buffer.alloc(0), commit, isPresent: true, commits: true, env: gitEnv },
    listing: { entries, fileOf: (path) => Buffer.from(join(repo, path)) },
    changed: new Set(changed),
    ...more,
  };
  const tree = new Map([...(await listTree(place, commit, gitEnv))].filter(([, { mode }]) => mode !== "160000"));
  const inSubmodule = (path: string) => path.startsWith("sub/");
  const sorted = await sortListed(request, { tree, inSubmodule, variables: besideObjects(place, objects) });
  return {
    ...sorted,
    listed: [...sorted.asListed.keys()].sort(),
    written: [...sorted.toWrite.keys()].sort(),
    left: Object.fromEntries(sorted.undelivered.map(({ path, why }) => [path, why])),
  };
}

describe("the files that no pass changed", () => {
  it("are those of the commit: as they are, written anew, or not handed over", () =>
    withFolder(async (folder) => {
      const files = { "a.bat": "x\r\n", "b.bat": "x\n", same: "1", edited: "1", gone: "1", "kept.lfs": "pointer" };
      makeFiltered(folder, { ".gitattributes": attributes, ...files, "sub/in": "1", "old.id": "$Id$\n" });
      write(folder, { edited: "2", added: "1", "kept.lfs": "the bytes", "sub/in": "2" });
      rmSync(join(folder, "gone"));
      symlinkSync("same", join(folder, "link"));
      const { listed, written, left, toWrite } = await sort(folder, []);
      // Git writes the line ends of a.bat and b.bat, and the text of old.id, as it will in each clone.
      assert.deepEqual(listed, [".gitattributes", "kept.lfs", "same"]);
      assert.deepEqual(written, ["a.bat", "b.bat", "edited", "gone", "old.id"]);
      assert.equal(toWrite.get("edited")?.oid, named("1"));
      assert.deepEqual(left, { added: uncommitted, edited: uncommitted, link: uncommitted });
    }));

  it("are all as they are where git converts nothing", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1", "b c": "1" });
      assert.deepEqual((await sort(folder, [])).listed, ["a", "b c"]);
    }));
});

describe("the files that passes changed", () => {
  it("are handed over as they are, or as git stores them, and a commit of it all holds them", () =>
    withFolder(async (folder) => {
      makeFiltered(folder, { ".gitattributes": attributes, a: "1", gone: "1", "a.bat": "x\r\n", run: "1" });
      write(folder, { a: "2", new: "n", "a.bat": "y\r\n", run: "2", "new.id": "$Id$\n" });
      chmodSync(join(folder, "run"), 0o755);
      rmSync(join(folder, "gone"));
      symlinkSync("a", join(folder, "link"));
      const changed = ["a", "new", "gone", "a.bat", "run", "link", "new.id"];
      const { listed, written, left, asListed, stored } = await sort(folder, changed);
      assert.deepEqual(listed, [".gitattributes", "a", "link", "new", "run"]);
      assert.deepEqual([written, left], [["a.bat", "new.id"], {}]);
      assert.deepEqual(asListed.get("a")?.blob, { mode: "100644", oid: named("2") });
      assert.deepEqual(asListed.get("link")?.blob, { mode: "120000", oid: named("a") });
      assert.match(asListed.get("run")?.entry ?? "", /^file 755 /);
      assert.deepEqual([...stored.keys()].sort(), [".gitattributes", "a", "a.bat", "link", "new", "new.id", "run"]);
      assert.equal(stored.get("a.bat")?.oid, named("y\n"));
    }));

  it("keep the mode of the commit where the disk has none", () =>
    withFolder(async (folder) => {
      makeRepo(folder, { a: "1" });
      git(folder, "config", "core.fileMode", "false");
      write(folder, { a: "2", new: "1" });
      for (const name of ["a", "new"]) chmodSync(join(folder, name), 0o755);
      const { asListed } = await sort(folder, ["a", "new"]);
      for (const name of ["a", "new"]) assert.match(asListed.get(name)?.entry ?? "", /^file 644 /, name);
    }));

  it("are not handed over if a filter made them, git hides them, or it cannot store them", () =>
    withFolder(async (folder) => {
      makeFiltered(folder, { ".gitattributes": attributes, hidden: "1", "a.lfs": "1", "a.evil": "1" });
      git(folder, "update-index", "--assume-unchanged", "hidden");
      write(folder, { hidden: "22", "a.lfs": "2", "a.evil": "2", "a.u16": "no UTF-16" });
      const changed = ["hidden", "a.lfs", "a.evil", "a.u16"];
      const bytesWhy = "git cannot store it, because of its encoding";
      const own = await sort(folder, changed);
      assert.deepEqual(own.left, { "a.evil": filterWhy, "a.lfs": filterWhy, "a.u16": bytesWhy });
      assert.deepEqual(own.listed, [".gitattributes"]);
      // A person commits them, with git-lfs, and without what their git does not look at.
      const theirs = await sort(folder, changed, { commits: false });
      const hiddenWhy = "git is told not to look at it, so that no commit takes it";
      assert.deepEqual(theirs.left, { "a.evil": filterWhy, "a.u16": bytesWhy, hidden: hiddenWhy });
      assert.deepEqual(theirs.listed, [".gitattributes", "a.lfs"]);
      assert.equal(theirs.stored.get("hidden")?.oid, named("1"));
    }));

  it("come from the copies of an earlier moment where the listing is not the working tree", () =>
    withFolder(async (folder) => {
      const repo = join(folder, "repo");
      makeRepo(repo, { a: "1", b: "1" });
      write(folder, { "copies/a": "2", "copies/b": "1" });
      const { entries } = await takeFingerprint(join(folder, "copies"), [], gitEnv);
      write(repo, { a: "later", b: "later" });
      const listing = { entries, fileOf: (path: string) => Buffer.from(join(folder, "copies", path)) };
      const { listed, left, stored } = await sort(repo, ["a"], { listing, isPresent: false });
      assert.deepEqual([listed, left], [["a", "b"], {}]);
      assert.deepEqual([stored.get("a")?.oid, stored.get("b")?.oid], [named("2"), named("1")]);
    }));
});
