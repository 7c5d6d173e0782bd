import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeWorld } from "../cli/arrange.ts";
import { type DiskModel, type ForgettingDisk, mountForgetting, whyNoForgetting } from "./forgetting-disk.ts";

const skip = whyNoForgetting();
const seeds = 150;
const text = "some bytes\n".repeat(100);

function write(path: string, content: string, isSynced: boolean): void {
  const descriptor = openSync(path, "w");
  writeSync(descriptor, content);
  if (isSynced) fsyncSync(descriptor);
  closeSync(descriptor);
}

function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Does the same before a cut by each seed. What was found afterwards, and how often. */
async function find(
  disk: ForgettingDisk,
  act: (path: (name: string) => string) => void,
  look: (path: (name: string) => string) => string,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const path = (name: string): string => join(disk.folder, name);
  for (let seed = 1; seed <= seeds; seed += 1) {
    act(path);
    await disk.cut(seed);
    const what = look(path);
    found[what] = (found[what] ?? 0) + 1;
    for (const name of readdirSync(disk.folder)) rmSync(path(name), { recursive: true });
    await disk.settle();
  }
  return found;
}

function names(path: (name: string) => string): string {
  return readdirSync(path(".")).sort().join(" ");
}

function describeText(path: string): string {
  const bytes = readFileSync(path);
  if (bytes.length === 0) return "empty";
  if (bytes.equals(Buffer.alloc(text.length))) return "zeros";
  return text === bytes.toString() ? "whole" : text.startsWith(bytes.toString()) ? "half" : "odd";
}

async function mount(t: TestContext, model: DiskModel): Promise<ForgettingDisk> {
  return await mountForgetting(t, model);
}

test("bytes that nobody synced may be missing, zeros, half there or whole", { skip }, async (t) => {
  const disk = await mount(t, "strict");
  const act = (path: (name: string) => string): void => {
    write(path("a"), text, false);
    sync(disk.folder);
  };
  const found = await find(disk, act, (path) => describeText(path("a")));
  assert.deepEqual(Object.keys(found).sort(), ["empty", "half", "whole", "zeros"]);
});

test("a file that is not synced may be gone, and one that is synced with its folder stands", { skip }, async (t) => {
  const disk = await mount(t, "strict");
  const unsynced = await find(disk, (path) => write(path("a"), text, false), names);
  assert.deepEqual(Object.keys(unsynced).sort(), ["", "a"]);
  const withoutFolder = await find(disk, (path) => write(path("a"), text, true), names);
  assert.deepEqual(Object.keys(withoutFolder).sort(), ["", "a"]);
  const act = (path: (name: string) => string): void => {
    write(path("a"), text, true);
    sync(disk.folder);
  };
  assert.deepEqual(await find(disk, act, (path) => describeText(path("a"))), { whole: seeds });
});

test("every change of a name may be lost until its folder is synced", { skip }, async (t) => {
  const disk = await mount(t, "strict");
  const prepare = (path: (name: string) => string): void => {
    mkdirSync(path("there"));
    for (const name of ["taken", "moved", "target"]) write(path(name), name, true);
    sync(disk.folder);
  };
  const change = (path: (name: string) => string): void => {
    unlinkSync(path("taken"));
    renameSync(path("moved"), path("there/moved"));
    linkSync(path("target"), path("linked"));
    symlinkSync("target", path("soft"));
    mkdirSync(path("new"));
  };
  const list = (path: (name: string) => string): string =>
    readdirSync(path("."), { recursive: true, encoding: "utf8" }).sort().join(" ");
  const lost = await find(
    disk,
    (path) => {
      prepare(path);
      change(path);
    },
    list,
  );
  const seen = Object.keys(lost);
  for (const name of ["taken", "linked", "soft", "new"]) {
    assert(
      seen.some((one) => one.split(" ").includes(name)) && seen.some((one) => !one.split(" ").includes(name)),
      name,
    );
  }
  // A rename is one step: never both names, and never none.
  assert(seen.every((one) => one.split(" ").filter((name) => /^(?:there\/)?moved$/.test(name)).length === 1));
  assert(seen.some((one) => one.includes("there/moved")) && seen.some((one) => !one.includes("there/moved")));
  const kept = await find(
    disk,
    (path) => {
      prepare(path);
      change(path);
      sync(disk.folder);
    },
    list,
  );
  assert.deepEqual(kept, { "linked new soft target there there/moved": seeds });
});

test("a file that is shortened in place and not synced has its old bytes, none, or the new ones", {
  skip,
}, async (t) => {
  const disk = await mount(t, "strict");
  const act = (path: (name: string) => string): void => {
    write(path("a"), text, true);
    sync(disk.folder);
    truncateSync(path("a"));
    writeFileSync(path("a"), "new");
  };
  const found = await find(disk, act, (path) => readFileSync(path("a"), "latin1").slice(0, 3));
  assert(["som", "", "new"].every((bytes) => bytes in found));
});

test("an ordered disk loses the last names first, and keeps those before any sync", { skip }, async (t) => {
  const disk = await mount(t, "ordered");
  const act = (path: (name: string) => string): void => {
    mkdirSync(path("a"));
    mkdirSync(path("b"));
    write(path("b/c"), text, true);
    for (const name of ["d", "e", "f"]) mkdirSync(path(name));
  };
  const found = await find(disk, act, names);
  assert.deepEqual(Object.keys(found).sort(), ["a b", "a b d", "a b d e", "a b d e f"]);
});

test("what has settled is lost no more", { skip }, async (t) => {
  const disk = await mount(t, "strict");
  write(join(disk.folder, "a"), text, false);
  await disk.settle();
  for (let seed = 1; seed <= seeds; seed += 1) {
    assert.deepEqual(await disk.cut(seed), { pending: 0, names: 0, writes: 0, torn: 0, other: 0 });
    assert.equal(describeText(join(disk.folder, "a")), "whole");
  }
});

test("the power goes at the call that was named, and no program comes any further", { skip }, async (t) => {
  const disk = await mount(t, "strict");
  const { off } = await disk.arm(3);
  const script = `for (let at = 0; ; at += 1) fs.mkdirSync(${JSON.stringify(disk.folder)} + "/" + at);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.once("close", (_, signal) => resolve(signal)));
  await off;
  child.kill("SIGKILL");
  assert.equal(await ended, "SIGKILL");
  await disk.goOn();
  assert.deepEqual(readdirSync(disk.folder).sort(), ["0", "1", "2"]);
});

test("a disk with a cache keeps what was flushed, and saving what a cut would leave changes nothing", {
  skip,
}, async (t) => {
  const disk = await mount(t, "device");
  const path = join(disk.folder, "disk");
  const other = makeWorld(t).path("saved");
  const descriptor = openSync(path, "w+");
  writeSync(descriptor, Buffer.alloc(8192, "a"), 0, 8192, 0);
  fsyncSync(descriptor);
  writeSync(descriptor, Buffer.alloc(4096, "b"), 0, 4096, 8192);
  writeSync(descriptor, Buffer.alloc(8192, "c"), 0, 8192, 0);
  const found = new Set<string>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    await disk.save(seed, "disk", other);
    found.add(readFileSync(other, "latin1").replace(/(.)\1*/gs, "$1"));
  }
  closeSync(descriptor);
  assert(
    ["a", "ab", "c", "cb", "ca"].every((bytes) => found.has(bytes)),
    [...found].join(" "),
  );
  assert.equal(readFileSync(path, "latin1").replace(/(.)\1*/gs, "$1"), "cb");
});

test("git can work there", { skip }, async (t) => {
  const disk = await mount(t, "ordered");
  const { TMPDIR } = process.env;
  process.env.TMPDIR = disk.folder;
  const world = makeWorld(t);
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`folder-${index % 7}/${index}.txt`, text]),
  );
  world.initRepo(files);
  world.git("repo", "gc", "--quiet");
  world.git("repo", "checkout", "--quiet", "-b", "other");
  world.git("repo", "mv", "folder-1", "moved");
  world.git("repo", "commit", "--quiet", "--all", "--message=moved");
  world.git("repo", "checkout", "--quiet", "main");
  assert.equal(world.git("repo", "fsck", "--strict"), "");
  assert.equal(world.git("repo", "status", "--porcelain"), "");
  await disk.settle();
  await disk.cut(1);
  assert.equal(world.git("repo", "fsck", "--strict"), "");
});
