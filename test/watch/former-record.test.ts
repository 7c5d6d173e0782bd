import assert from "node:assert/strict";
import { it } from "node:test";
import { sha256 } from "../../lib/text/sha256.ts";
import { describePath, lookThrough } from "../../lib/watch/places.ts";
import { extendWatch, parseWatch, type WatchRecord } from "../../lib/watch/watch.ts";
import { type WatchWorld, withWatch } from "./arrange.ts";

const files = {
  "package.json": '{"scripts":{"test":"sh check.sh","build":"tsc"},"jest":{"x":1}}',
  "test/a.test.js": "1",
  "src/lib.rs": "#[test]\nfn a() {}\n",
  "check.sh": "true",
  "pytest.ini": "[pytest]\n",
  "bin/npm": "",
};

/** As an earlier version wrote it, with the profiles of its tests. */
function former(world: WatchWorld): WatchRecord {
  const entry = (path: string): string => sha256(describePath(world.repo, path) ?? "");
  const program = (path: string): string => lookThrough(`${world.repo}/${path}`, path).former;
  const things = [
    { kind: "check_file", name: "check.sh", digest: program("check.sh"), size: 4 },
    { kind: "executable", name: "bin/npm", digest: program("bin/npm"), word: "npm", size: 0 },
    { kind: "script", name: "package.json#scripts.build", digest: sha256("tsc"), was: "tsc" },
    { kind: "script", name: "package.json#scripts.test", digest: sha256("sh check.sh"), was: "sh check.sh" },
    { kind: "setting", name: "pytest.ini", digest: entry("pytest.ini"), size: 9 },
    { kind: "test", name: "src/lib.rs", digest: entry("src/lib.rs"), tests: 1, skips: "", asserts: "", inline: true },
    { kind: "test", name: "test/a.test.js", digest: entry("test/a.test.js"), tests: 1, skips: "", asserts: "0a" },
  ];
  const head = { version: 1, checks: [], globs: [], tools: [], folders: [], rest: null };
  const record = parseWatch(JSON.stringify({ ...head, things }));
  assert.ok(record);
  return record;
}

it("a record of version 1 differs in nothing from the repo that it was taken of, before and after it is completed", () =>
  withWatch(files, [["npm", "test"]], (world) => {
    const record = former(world);
    assert.deepEqual(world.changes(record), []);
    const renewed = extendWatch(record, world.input());
    assert.equal(renewed.version, 2);
    assert.deepEqual(world.changes(renewed), []);
  }));

it("what changed before it is completed stays a change; only settings are those of that moment", () =>
  withWatch(files, [["npm", "test"]], (world) => {
    const record = former(world);
    world.write({
      "package.json": '{"scripts":{"test":"true","build":"x"}}',
      "test/a.test.js": "2",
      "src/lib.rs": "",
      "check.sh": "false",
      "bin/npm": "x",
      "pytest.ini": "[pytest]\ntestpaths = a\n",
    });
    const expected = [
      "! test test/a.test.js changed",
      "! script package.json#scripts.test changed: was `sh check.sh`, is `true`",
      "! executable bin/npm changed",
      "! check_file check.sh changed",
    ];
    const renewed = extendWatch(record, world.input());
    assert.deepEqual(world.changes(renewed), expected);
    world.write({ "pytest.ini": "[pytest]\ntestpaths = b\n" });
    assert.deepEqual(world.changes(renewed), [
      ...expected.slice(0, 2),
      "! setting pytest.ini#pytest changed",
      ...expected.slice(2),
    ]);
  }));
