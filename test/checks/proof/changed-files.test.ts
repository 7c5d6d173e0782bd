import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { changedFiles, mostBytes, onlyNewFiles } from "../../../lib/checks/proof/changed-files.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { write } from "../../git/git-repo.ts";
import { withFolder } from "../../store/temporary-folder.ts";

const entryOf = (text: string | Buffer) => `file 644 ${sha256(text)}`;

test("the texts that differ from pass 1 are read with their former text, and others are left out", () =>
  withFolder((folder) => {
    const texts = { "same.js": "same\n", "changed.js": "now\n", "new.js": "new\n" };
    const beside = { "dist/built.js": "x\n", "node_modules/a/i.js": "x\n" };
    write(join(folder, "repo"), { ...texts, ...beside, "moved-on.js": "later\n", "ends.js": "as cloned\r\n" });
    write(join(folder, "kept"), { [sha256("before\n")]: "before\n", [sha256("as cloned\n")]: "as cloned\n" });
    const large = Buffer.alloc(mostBytes + 1, "a");
    writeFileSync(join(folder, "repo/large.js"), large);
    writeFileSync(join(folder, "repo/binary.js"), "a\0b");
    symlinkSync("same.js", join(folder, "repo/link.js"));
    const now = Object.entries({ ...texts, ...beside }).map(([path, text]) => [path, entryOf(text)] as const);
    const entries = new Map([
      ...now,
      ["large.js", entryOf(large)],
      ["binary.js", entryOf("a\0b")],
      ["link.js", `link - ${sha256("same.js")}`],
      ["moved-on.js", entryOf("as it was\n")],
      ["ends.js", entryOf("as cloned\n")],
      ["gone.js", entryOf("gone\n")],
      ["//latin1", entryOf("new\n")],
    ]);
    const before = new Map([
      ["same.js", entryOf("same\n")],
      ["changed.js", entryOf("before\n")],
      ["deleted.js", entryOf("before\n")],
    ]);
    const origin = {
      fingerprint: "before",
      entries: before,
      blobPath: (digest: string) => join(folder, "kept", digest),
    };
    const code = {
      repo: join(folder, "repo"),
      blobs: join(folder, "kept"),
      origin,
      fingerprint: { hash: "now", entries },
    };
    assert.deepEqual(changedFiles(code), [
      { path: "changed.js", text: "now\n", before: "before\n" },
      { path: "new.js", text: "new\n", before: null },
      { path: "ends.js", text: "as cloned\n", before: null },
    ]);
  }));

test("a file that moved is compared with itself at its old path, by its bytes or by its name", () =>
  withFolder((folder) => {
    const old = {
      "src/a.js": "a\n",
      "src/b.js": "b\n",
      "x/index.js": "x\n",
      "y/index.js": "y\n",
      "src/here.js": "h\n",
    };
    const moved = { "lib/one.js": "a\n", "lib/b.js": "b2\n", "lib/index.js": "z\n", "lib/here.js": "h2\n" };
    write(join(folder, "repo"), { ...moved, "src/here.js": "h\n" });
    write(join(folder, "kept"), Object.fromEntries(Object.values(old).map((text) => [sha256(text), text])));
    const entriesOf = (texts: object) => new Map(Object.entries(texts).map(([path, text]) => [path, entryOf(text)]));
    const code = {
      ...{ repo: join(folder, "repo"), blobs: join(folder, "kept") },
      origin: { fingerprint: "", entries: entriesOf(old), blobPath: (digest: string) => join(folder, "kept", digest) },
      fingerprint: { hash: "now", entries: entriesOf({ ...moved, "src/here.js": "h\n" }) },
    };
    assert.deepEqual(
      changedFiles(code).map(({ path, before }) => [path, before]),
      [
        ["lib/one.js", "a\n"],
        ["lib/b.js", "b\n"],
        ["lib/index.js", null],
        ["lib/here.js", null],
      ],
    );
  }));

test("a work of new files alone is told from one that changed or removed a file, but for the checks' side", () => {
  const list = (now: Readonly<Record<string, string>>, apart: readonly string[] = []) =>
    onlyNewFiles(
      {
        origin: { fingerprint: "before", entries: new Map([["a.md", entryOf("a\n")]]), blobPath: () => "/nonexistent" },
        fingerprint: { hash: "now", entries: new Map(Object.entries(now)) },
      },
      apart,
    );
  const old = { "a.md": entryOf("a\n") };
  const added = { "db/2.sql": entryOf("ALTER TABLE a;\n") };
  assert.deepEqual(list({ ...old, ...added, "b/.gitkeep": entryOf(""), "to-a": `link - ${sha256("a.md")}` }), [
    "db/2.sql",
  ]);
  assert.deepEqual(list({ ...old, ...added, "node_modules/a/i.js": entryOf("a\n") }), ["db/2.sql"]);
  assert.deepEqual(list({ ...old, ...added, "a.test.js": entryOf("a\n") }, ["a.test.js"]), ["db/2.sql"]);
  assert.deepEqual(list({ "a.md": entryOf("b\n"), ...added }, ["a.md"]), ["db/2.sql"]);
  assert.deepEqual([list({ "a.md": entryOf("b\n"), ...added }), list(added), list(old)], [[], [], []]);
});
