import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type DeliveryRequest, findDelivered } from "../../lib/git/delivered.ts";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import { findGitPlace } from "../../lib/git/place.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { withFolder } from "../store/temporary-folder.ts";
import { git, gitEnv, makeRepo, write } from "./git-repo.ts";

/** What the folder hands over of the repo, if passes changed these paths. */
async function deliver(folder: string, changed: readonly string[], more: Partial<DeliveryRequest> = {}) {
  const repo = join(folder, "repo");
  const place = findGitPlace(repo) ?? assert.fail();
  const { entries } = await takeFingerprint(repo, [join(repo, "tasks")], gitEnv);
  const delivered = await findDelivered({
    ...{ place, inside: Buffer.alloc(0), commit: git(repo, "rev-parse", "HEAD").trim(), isPresent: true },
    ...{ commits: true, leaveOut: [], env: gitEnv, changed: new Set(changed) },
    ...{ blobs: join(folder, "blobs"), objects: join(folder, "objects"), scratch: join(folder, "scratch") },
    listing: { entries, fileOf: (path) => Buffer.from(join(repo, path)) },
    ...more,
  });
  const left = delivered.undelivered.map(({ path, why }) => `${path}: ${why.slice(0, 30)}`);
  return { ...delivered, left, paths: [...delivered.entries.keys()].sort() };
}

const kept = (folder: string, text: string) => readFileSync(join(folder, "blobs", sha256(text)), "utf8");

test("a clone has the bytes that git writes: with line ends and $Id$, and without a person's edits", () =>
  withFolder(async (folder) => {
    makeRepo(join(folder, "repo"), {
      ".gitattributes": "*.bat text eol=crlf\n*.id ident\n",
      "a.bat": "x\n",
      "b.id": "$Id$\n",
      "c.bat": "x\r\n",
      edited: "1",
      "tasks/T-1/STATE.md": "1",
    });
    write(join(folder, "repo"), { edited: "2", new: "n", "b.id": "$Id$ more\n" });
    const leaveOut = [Buffer.from("tasks")];
    const { entries, left, paths, tree } = await deliver(folder, ["new", "b.id"], { leaveOut });
    assert.deepEqual(paths, [".gitattributes", "a.bat", "b.id", "c.bat", "edited", "new"]);
    assert.deepEqual(left, ["edited: changes that are not committed"]);
    assert.deepEqual(entries.get("a.bat")?.entry, `file 644 ${sha256("x\r\n")}`);
    assert.deepEqual([entries.get("a.bat")?.isKept, entries.get("c.bat")?.isKept], [true, false]);
    assert.equal(kept(folder, "x\r\n"), "x\r\n");
    const [, , digest = ""] = entries.get("b.id")?.entry.split(" ") ?? [];
    assert.match(readFileSync(join(folder, "blobs", digest), "utf8"), /^\$Id: [0-9a-f]{40} \$ more\n$/);
    assert.deepEqual([entries.get("edited")?.entry, kept(folder, "1")], [`file 644 ${sha256("1")}`, "1"]);
    assert.deepEqual([...tree.keys()].sort(), paths);
  }));

test("a new .gitignore that ignores itself is not handed over, and one that was added by force is", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(repo, { a: "1" });
    write(repo, {
      ".husky/_/.gitignore": "*\n",
      ".husky/_/h": "1",
      "own/.gitignore": "*.log\n",
      "forced/.gitignore": "*\n",
    });
    git(repo, "add", "--force", "forced/.gitignore");
    const { tree, left, paths } = await deliver(folder, [".husky/_/.gitignore", "own/.gitignore", "forced/.gitignore"]);
    assert.deepEqual([paths, left], [["a", "forced/.gitignore", "own/.gitignore"], []]);
    assert.deepEqual([...tree.keys()].sort(), paths);
  }));

test("a submodule is handed over at the commit that is named for it, or at its own where a pass moved it", () =>
  withFolder(async (folder) => {
    const repo = join(folder, "repo");
    makeRepo(join(folder, "part"), { file: "1" });
    makeRepo(repo, { a: "1" });
    git(repo, "submodule", "--quiet", "add", join(folder, "part"), "sub");
    git(repo, "commit", "-qm", "sub");
    const named = git(join(repo, "sub"), "rev-parse", "HEAD").trim();
    const whole = await deliver(folder, []);
    assert.deepEqual(whole.paths, [".gitmodules", "a", "sub/file"]);
    assert.deepEqual([whole.entries.get("sub/file")?.blob, whole.left], [null, []]);
    assert.deepEqual(whole.submodules, new Map([["sub", { mode: "160000", oid: named }]]));
    write(repo, { "sub/file": "2" });
    git(join(repo, "sub"), "commit", "-qam", "moved");
    const moved = git(join(repo, "sub"), "rev-parse", "HEAD").trim();
    const committed = await deliver(folder, ["sub/file"]);
    assert.deepEqual(
      [committed.submodules.get("sub")?.oid, committed.left],
      [named, ["sub/file: changes that are not committed"]],
    );
    const own = await deliver(folder, ["sub/file"], { commits: false });
    assert.deepEqual([own.submodules.get("sub")?.oid, own.left], [moved, []]);
    assert.equal(own.entries.get("sub/file")?.entry, `file 644 ${sha256("2")}`);
    git(repo, "submodule", "--quiet", "deinit", "-f", "sub");
    assert.deepEqual((await deliver(folder, [])).paths, [".gitmodules", "a"]);
  }));
