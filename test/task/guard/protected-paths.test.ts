import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  compareProtected,
  differsFromPins,
  findPins,
  findUnsupplied,
  type PinnedPaths,
  pinProtected,
  storePins,
  withBytes,
} from "../../../lib/task/guard/protected-paths.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { git, gitEnv, write } from "../../git/git-repo.ts";
import { makeFolder } from "../../process/arrange.ts";
import { refusing } from "../../store/refused-calls.ts";
import { type GuardedTask, guardTask } from "./arrange.ts";

const globs = ["test/**"];

function arrange(task: GuardedTask): PinnedPaths {
  task.put("repo/test/a.js", "1\n");
  task.put("repo/test/b.js", "2\n");
  for (const name of ["a", "b"]) chmodSync(join(task.repo, `test/${name}.js`), 0o644);
  symlinkSync("a.js", join(task.repo, "test/link.js"));
  return pinProtected(task.repo, globs);
}

const differences = (pins: PinnedPaths) => differsFromPins(pins).map(({ path, change }) => `${path} ${change}`);

test("files that the globs match are pinned by kind, mode and bytes", (t) => {
  const task = guardTask(t);
  const pins = arrange(task);
  assert.deepEqual(pins.digests, {
    "test/a.js": `file 644 ${sha256("1\n")}`,
    "test/b.js": `file 644 ${sha256("2\n")}`,
    "test/link.js": "link 777 a.js",
  });
  assert.deepEqual(pins.entries["test/a.js"], { type: "file", mode: 0o644, size: 2, sha256: sha256("1\n") });
  assert.deepEqual(pinProtected(task.repo, []).digests, {});
  assert.deepEqual(differences(pins), []);
});

test("a name that is not UTF-8 is protected and restored like any other", (t) => {
  const task = guardTask(t);
  arrange(task);
  const odd = (name: string) => Buffer.from(`${task.repo}/test/${name}`, "latin1");
  writeFileSync(odd("\xff.snap"), "1\n");
  writeFileSync(odd("\xfe.snap"), "2\n");
  const pins = withBytes(pinProtected(task.repo, globs), task.anchor);
  assert.deepEqual(differences(pins), []);
  writeFileSync(odd("\xff.snap"), "changed\n");
  rmSync(odd("\xfe.snap"));
  writeFileSync(odd("\xfd.snap"), "new\n");
  const tampers = compareProtected(pins, task.anchor, join(task.repo, "..", "kept"), "model");
  assert.deepEqual(
    tampers.map(({ path, change, restored }) => `${path} ${change} ${restored}`),
    ["//test/\\xfd.snap added true", "//test/\\xfe.snap removed true", "//test/\\xff.snap changed true"],
  );
  assert.deepEqual(
    ["\xfe.snap", "\xff.snap"].map((name) => readFileSync(odd(name), "utf8")),
    ["2\n", "1\n"],
  );
  assert.equal(existsSync(odd("\xfd.snap")), false);
});

test("each difference from the pins is named by what happened", (t) => {
  const task = guardTask(t);
  const pins = arrange(task);
  task.put("repo/test/new.js", "3\n");
  task.put("repo/test/a.js", "other\n");
  rmSync(join(task.repo, "test/b.js"));
  assert.deepEqual(differences(pins), ["test/a.js changed", "test/b.js removed", "test/new.js added"]);
  mkdirSync(join(task.repo, "test/b.js"));
  rmSync(join(task.repo, "test/link.js"));
  task.put("repo/test/link.js", "1\n");
  task.put("repo/test/a.js", "1\n");
  chmodSync(join(task.repo, "test/a.js"), 0o755);
  const all = ["test/a.js changed", "test/b.js replaced", "test/link.js replaced", "test/new.js added"];
  assert.deepEqual(differences(pins), all);
  // Where this machine never pinned the entries, a file is taken for a file.
  assert.deepEqual(differences({ ...pins, entries: {} })[2], "test/link.js changed");
});

test("files that differ are put back, and reported as not restored if their bytes are lost", (t) => {
  const task = guardTask(t);
  const pins = withBytes(arrange(task), task.anchor);
  const keep = join(task.folder, "kept");
  const change = () => {
    task.put("repo/test/a.js", "other\n");
    task.put("repo/test/new.js", "3\n");
  };
  change();
  const said = (of: PinnedPaths) =>
    compareProtected(of, task.anchor, keep, "model").map(({ path, change: how, restored }) => [path, how, restored]);
  const both = (restored: boolean) => [
    ["test/a.js", "changed", restored],
    ["test/new.js", "added", true],
  ];
  assert.deepEqual(said({ ...pins, entries: {} }), both(false));
  assert.deepEqual([task.read("repo/test/a.js"), task.read("repo/test/new.js")], ["other\n", null]);
  change();
  assert.deepEqual(said(pins), both(true));
  assert.deepEqual([task.read("repo/test/a.js"), task.read("repo/test/new.js")], ["1\n", null]);
  assert.equal(task.read("kept/test/a.js"), "other\n");
  assert.deepEqual(said(pins), []);
  change();
  rmSync(join(task.anchor.folder, "copies", "blobs", sha256("1\n")));
  assert.deepEqual(said(pins), both(false));
  assert.deepEqual(compareProtected(pins, task.anchor, keep, "validators"), [
    { path: "test/a.js", change: "changed", guard: "protected", by: "validators", detail: null, restored: false },
  ]);
});

test("a protected link that was bent is put back", (t) => {
  const task = guardTask(t);
  const pins = withBytes(arrange(task), task.anchor);
  rmSync(join(task.repo, "test/link.js"));
  symlinkSync("/etc/hostname", join(task.repo, "test/link.js"));
  const [tamper] = compareProtected(pins, task.anchor, join(task.folder, "kept"), "model");
  assert.deepEqual([tamper?.change, tamper?.restored], ["changed", true]);
  assert.equal(readlinkSync(join(task.repo, "test/link.js")), "a.js");
});

test("the pins of the journal are found again by what is there, else by what was kept", (t) => {
  const task = guardTask(t);
  const pins = withBytes(arrange(task), task.anchor);
  assert.deepEqual(findPins(task.repo, globs, pins.digests), pins);
  storePins(pins, task.anchor);
  refusing("renameSync", "ENOSPC", /./, () => storePins(pins, task.anchor));
  task.put("repo/test/a.js", "other\n");
  const found = findPins(task.repo, globs, pins.digests);
  assert.deepEqual(Object.keys(found.entries), ["test/b.js", "test/link.js"]);
  assert.deepEqual(withBytes(found, task.anchor).entries, pins.entries);
  // A kept entry that is not the one of the journal is none.
  const edited = { ...pins.digests, "test/a.js": `file 644 ${sha256("edited\n")}` };
  assert.deepEqual(Object.keys(withBytes(findPins(task.repo, globs, edited), task.anchor).entries), [
    "test/b.js",
    "test/link.js",
  ]);
  writeFileSync(join(task.anchor.folder, "pins.json"), "no JSON");
  assert.deepEqual(Object.keys(withBytes(found, task.anchor).entries), ["test/b.js", "test/link.js"]);
});

test("a path that a pass took away from the globs is still looked at", (t) => {
  const task = guardTask(t);
  const pins = arrange(task);
  const moved = { ...pins, globs: ["nowhere/**"] };
  assert.deepEqual(differences(moved), []);
  task.put("repo/test/a.js", "other\n");
  assert.deepEqual(differences(moved), ["test/a.js changed"]);
});

test("no clone supplies what is missing and ignored by git, as far as its whole path is given", async (t) => {
  const folder = makeFolder(t);
  const globs = ["keys/dev.pem", "keys/there.pem", "keys/*.pem", "src/gone.js"];
  const unsupplied = (of: readonly string[], env = gitEnv) => findUnsupplied(folder, of, env);
  write(folder, { ".gitignore": "keys\n", "keys/there.pem": "", "src/main.js": "" });
  symlinkSync("src", join(folder, "link"));
  assert.deepEqual(await unsupplied(globs), []);
  git(folder, "init", "-q");
  assert.deepEqual(await unsupplied(globs), ["keys/dev.pem"]);
  assert.deepEqual([await unsupplied(["src/gone.js"]), await unsupplied(["link/gone.js"])], [[], []]);
  for (const both of [
    ["keys/dev.pem", "link/gone.js"],
    ["link/gone.js", "keys/dev.pem"],
  ])
    assert.deepEqual(await unsupplied(both), ["keys/dev.pem"]);
  const withoutGit = { PATH: "/nowhere" };
  assert.deepEqual(await unsupplied(["src/main.js"], withoutGit), []);
  await assert.rejects(unsupplied(globs, withoutGit), /git/);
});
