import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { foldersUp, repoFiles } from "../../../lib/scaffold/init/repo-files.ts";
import { repoWith } from "./made-repo.ts";

test("a file is read as text without its byte-order mark, and what is no regular file has none", (t) => {
  const repo = repoWith(t, { "a.txt": "\ufeffa\n", "folder/b": "", "large.txt": "x".repeat((1 << 20) + 1) });
  symlinkSync("a.txt", path.join(repo, "link.txt"));
  symlinkSync("none", path.join(repo, "dangling"));
  const files = repoFiles(repo);
  assert.equal(files.text("a.txt"), "a\n");
  for (const name of ["none", "folder", "link.txt", "large.txt"]) assert.equal(files.text(name), null, name);
  assert.deepEqual(["a.txt", "folder", "link.txt", "dangling", "none"].map(files.has), [true, true, true, true, false]);
});

test("a file is read as an object, and what is none, or cannot be parsed, is null", (t) => {
  const files = repoFiles(
    repoWith(t, {
      "a.json": '{"a":1}',
      "list.json": "[]",
      "bad.json": "{",
      "comments.json": '{ // x\n"a": 1, }',
      "b.jsonc": '{ // x\n"a": 1, }',
      "deno.json": '{ /* x */ "a": 1 }',
      "bad.jsonc": '{ "a": }',
      "a.toml": "[a]\nb = 1\n",
      "bad.toml": "[[[",
    }),
  );
  assert.deepEqual(files.json("a.json"), { a: 1 });
  assert.deepEqual([files.json("b.jsonc"), files.json("deno.json")], [{ a: 1 }, { a: 1 }]);
  for (const name of ["list.json", "bad.json", "comments.json", "bad.jsonc", "none.json"])
    assert.equal(files.json(name), null, name);
  assert.equal(JSON.stringify(files.toml("a.toml")), '{"a":{"b":1}}');
  for (const name of ["bad.toml", "none.toml"]) assert.equal(files.toml(name), null, name);
});

test("the folders of a repo are listed from one in it to its top, and the top alone for one outside", () => {
  assert.deepEqual(foldersUp("/r/a/b", "/r"), ["/r/a/b", "/r/a", "/r"]);
  assert.deepEqual(foldersUp("/r", "/r"), ["/r"]);
  assert.deepEqual(foldersUp("/r/..a", "/r"), ["/r/..a", "/r"]);
  assert.deepEqual(foldersUp("/other", "/r"), ["/r"]);
  assert.deepEqual(foldersUp("/", "/r"), ["/r"]);
});
