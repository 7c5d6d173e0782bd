import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  digestValue,
  listManifests,
  nearestManifest,
  readRepoText,
  readScripts,
  scriptsIn,
} from "../../../lib/checks/watch/manifests.ts";
import { write } from "../../git/git-repo.ts";
import { withFolder } from "../../store/temporary-folder.ts";

test("the text of a regular file is read without its byte-order mark, and nothing else has one", () =>
  withFolder((repo) => {
    write(repo, { "a.txt": "\ufeffa\n", "large.txt": "x".repeat(1024 * 1024 + 1) });
    symlinkSync("a.txt", join(repo, "link.txt"));
    mkdirSync(join(repo, "folder"));
    assert.equal(readRepoText(repo, "a.txt"), "a\n");
    assert.equal(readRepoText(repo, "a.txt", 3), null);
    for (const path of ["large.txt", "link.txt", "folder", "none"]) assert.equal(readRepoText(repo, path), null, path);
  }));

test("the scripts of a manifest are its texts, in the order of their names", () => {
  const text = '{ "scripts": { "test": "b", "build": "a", "bad": 1, "none": null } }';
  assert.deepEqual(
    [...scriptsIn(text)],
    [
      ["build", "a"],
      ["test", "b"],
    ],
  );
  for (const none of [null, "", "{", "[]", "{}", '{"scripts":[]}', '{"scripts":"x"}', "null"])
    assert.equal(scriptsIn(none).size, 0, String(none));
  assert.equal(readScripts("/nonexistent", "package.json").size, 0);
});

test("manifests are listed in order, without those of fixtures and of installed packages", () => {
  const paths = ["web/package.json", "package.json", "a/my-package.json", "node_modules/a/package.json"];
  const more = ["test/fixtures/a/package.json", "dist/package.json", "package.json.bak"];
  assert.deepEqual(listManifests(new Map([...paths, ...more].map((path) => [path, "file"]))), [
    "package.json",
    "web/package.json",
  ]);
});

test("the digest of a value does not depend on the order of its keys, and does on that of a list", () => {
  assert.equal(
    digestValue({ a: 1, b: { c: [1, { x: 1, y: 2 }] } }),
    digestValue({ b: { c: [1, { y: 2, x: 1 }] }, a: 1 }),
  );
  assert.notEqual(digestValue([1, 2]), digestValue([2, 1]));
  assert.notEqual(digestValue({ a: 1 }), digestValue({ a: "1" }));
  assert.equal(digestValue(undefined), digestValue(undefined));
  assert.notEqual(digestValue(undefined), digestValue(null));
});

test("a command works by the nearest manifest above its folder, or by the one that its own folder may get", () =>
  withFolder((repo) => {
    write(repo, { "a/package.json": "{}", "a/b/x": "", "c/x": "" });
    assert.equal(nearestManifest(repo, "a/b"), "a/package.json");
    assert.equal(nearestManifest(repo, "a"), "a/package.json");
    assert.equal(nearestManifest(repo, "c"), "c/package.json");
    assert.equal(nearestManifest(repo, ""), "package.json");
    write(repo, { "package.json": "{}" });
    assert.equal(nearestManifest(repo, "c"), "package.json");
  }));
