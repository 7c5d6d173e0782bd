import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs, {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { copyCarried } from "../../../lib/checks/proof/carry.ts";
import { type CopyRequest, makeCopy } from "../../../lib/checks/proof/clean-copy.ts";
import { type KeptCopy, openKeptCopy } from "../../../lib/checks/proof/kept-copy.ts";
import { pathBytes, pathKey } from "../../../lib/store/path-key.ts";
import type { Origin } from "../../../lib/task/origin.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { refusing } from "../../store/refused-calls.ts";
import { makeProofWorld, type ProofWorld } from "./arrange.ts";

/** Every entry of a tree with its kind, mode and content, by the Latin-1 text of its path. */
function describeTree(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const open = [""];
  for (const at of open) {
    for (const name of readdirSync(bytesOf(folder, at), { encoding: "latin1" })) {
      const path = at === "" ? name : `${at}/${name}`;
      const absolute = bytesOf(folder, path);
      const stats = lstatSync(absolute);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isDirectory()) open.push(path);
      found[path] = stats.isDirectory()
        ? `folder ${mode}`
        : stats.isSymbolicLink()
          ? `link ${readlinkSync(absolute, { encoding: "latin1" })}`
          : `file ${mode} ${readFileSync(absolute, "latin1")}`;
    }
  }
  return found;
}

function bytesOf(folder: string, path: string): Buffer {
  return path === "" ? Buffer.from(folder) : Buffer.from(`${folder}/${path}`, "latin1");
}

/** What is wanted of a copy, kept by content as the work of pass 1 is. */
function openModel(world: ProofWorld) {
  const blobs = world.path("blobs");
  mkdirSync(blobs);
  const contents = new Map<string, { entry: string; from: "origin"; text?: string }>();
  const origin: Origin = { fingerprint: "", entries: new Map(), blobPath: (digest) => `${blobs}/${digest}` };
  const put = (path: string, form: string, text: string, instead?: string) => {
    writeFileSync(origin.blobPath(sha256(text)), text);
    const from = { entry: `${form} ${sha256(text)}`, from: "origin" as const };
    contents.set(pathKey(Buffer.from(path, "latin1")), instead === undefined ? from : { ...from, text: instead });
  };
  const clearAround = (path: string) => {
    for (const key of contents.keys()) {
      const other = pathBytes(key).toString("latin1");
      if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) contents.delete(key);
    }
  };
  const request = (target: string): CopyRequest => ({
    repo: world.repo,
    origin,
    blobs: null,
    contents,
    target,
    signal: null,
  });
  return { contents, put, clearAround, request };
}

/** A cell: what the copy lacks is carried along, and then all of it is noted. */
async function bringUp(kept: KeptCopy, request: CopyRequest, carried: readonly string[], listed: ReadonlySet<string>) {
  const outcome = await kept.update(request, carried);
  if (outcome.kind !== "made") return outcome;
  const added = new Map<string, readonly string[]>();
  for (const folder of carried) {
    if (kept.leftOutOf(folder) !== null) continue;
    const { repo, target } = request;
    const { leftOut } = await copyCarried({ repo, folder, target, listed, pins: null, signal: null });
    added.set(folder, leftOut);
  }
  await kept.note(added);
  return outcome;
}

/** What code that runs in a copy may do to an entry of it. */
function tamper(path: Buffer, kind: number, value: number, outside: string): void {
  const beside = Buffer.concat([path, Buffer.from([0xfe])]);
  const acts: readonly (() => void)[] = [
    () => {
      const { atime, mtime, size } = lstatSync(path);
      writeFileSync(path, "?".repeat(size), { flag: "r+" });
      utimesSync(path, atime, mtime);
    },
    () => writeFileSync(path, "other\n"),
    () => rmSync(path, { recursive: true }),
    () => chmodSync(path, ofAll([0, 0o600, 0o777, 0o4755], value)),
    () => {
      rmSync(path, { recursive: true });
      symlinkSync(ofAll([outside, "x", "."], value), path);
    },
    () => renameSync(path, beside),
    () => {
      mkdirSync(beside);
      writeFileSync(Buffer.concat([beside, Buffer.from("/new")]), "new\n");
      if (value % 3 === 0) chmodSync(beside, 0);
    },
    () => linkSync(path, beside),
    () => {
      const moved = Buffer.concat([path, Buffer.from("-moved")]);
      renameSync(path, moved);
      mkdirSync(path);
      renameSync(moved, Buffer.concat([path, Buffer.from("/in")]));
    },
  ];
  try {
    // These would reach what a link leads to.
    if ([0, 1, 3].includes(kind % acts.length) && lstatSync(path).isSymbolicLink()) return;
    ofAll(acts, kind)();
  } catch {
    // What is not there, or of another kind, stays as it is.
  }
}

function ofAll<T>(list: readonly T[], number: number): T {
  return list[number % list.length] ?? assert.fail();
}

const paths = ["a", "b", "a/b", "a/c", "a/b/c", "d e/\xff\xfe", "d e/f", "\xe9/g", "h", "i/j/k", "b/own"];
const inside = [...paths, "deps/own", "deps/x.js", "deps/p/y.js", "b/deps/z.js"];
const texts = ["", "one\n", "two\n", "three\n", "a longer text\n"];
const links = ["b", "../b", "../../outside/mine.txt", "/etc/passwd", "c/d"];

test("after 10,000 random edits of what is wanted and of what is there a copy is as one made from nothing", async (t) => {
  const world = makeProofWorld(t, { "x.txt": "" });
  for (const [name, text] of Object.entries({ "deps/x.js": "x\n", "deps/p/y.js": "y\n", "b/deps/z.js": "z\n" }))
    world.write(`my repo/${name}`, text);
  mkdirSync(world.path("my repo/deps/empty"));
  world.write("outside/mine.txt", "mine\n");
  const listed = new Set(["deps/own", "b/own"]);
  let runs = 0;
  let renewed = 0;
  const edit = fc.tuple(fc.nat(15), fc.nat(999), fc.nat(999));
  const round = fc.record({ edits: fc.array(edit, { minLength: 20, maxLength: 20 }), carried: fc.nat(3) });
  const property = fc.asyncProperty(fc.array(round, { minLength: 10, maxLength: 10 }), async (rounds) => {
    runs += 1;
    const folder = `run-${runs}`;
    const model = openModel({ ...world, path: (name) => world.path(`${folder}-${name}`) });
    const kept = openKeptCopy(world.path(folder));
    const target = `${kept.folder}/tree/work`;
    for (const { edits, carried: which } of rounds) {
      for (const [kind, at, value] of edits) {
        const path = ofAll(inside, at);
        const [text, mode] = [ofAll(texts, value), value % 2 === 0 ? "644" : "755"];
        const key = pathKey(Buffer.from(path, "latin1"));
        // Only now and then is a path a file and a folder at once, which no copy can hold.
        if (kind < 5 && value % 40 > 0) model.clearAround(path);
        if (kind < 3) model.put(path, `file ${mode}`, text);
        else if (kind === 3 && path !== "b") model.put(path, "link -", ofAll(links, value));
        else if (kind === 4) model.put(path, `file ${mode}`, "the work\n", text);
        else if (kind < 7) model.contents.delete(key);
        else tamper(bytesOf(target, path), kind, value, world.path("outside/mine.txt"));
      }
      const carried = [["deps"], ["deps", "b/deps"], [], ["deps"]][which] ?? [];
      const before = lstatSync(target, { throwIfNoEntry: false })?.ino;
      const outcome = await bringUp(kept, model.request(target), carried, listed);
      const fresh = world.path("fresh");
      const wanted = await makeCopy(model.request(fresh));
      for (const one of wanted.kind === "made" ? carried : [])
        await copyCarried({ repo: world.repo, folder: one, target: fresh, listed, pins: null, signal: null });
      assert.deepEqual(outcome, wanted);
      if (wanted.kind === "made") assert.deepEqual(describeTree(target), describeTree(fresh));
      rmSync(fresh, { recursive: true, force: true });
      if (lstatSync(target, { throwIfNoEntry: false })?.ino !== before) renewed += 1;
      assert.equal(world.read("outside/mine.txt"), "mine\n");
    }
    assert.equal(kept.remove(), null);
  });
  await fc.assert(property, { numRuns: 50 });
  assert.ok(renewed <= 2 * runs, `${renewed} of ${10 * runs} copies were made from nothing`);
});

async function arrangeKept(t: TestContext, files: Readonly<Record<string, string>>) {
  const world = makeProofWorld(t, { "x.txt": "" });
  const model = openModel(world);
  for (const [path, text] of Object.entries(files)) model.put(path, "file 644", text);
  const kept = openKeptCopy(world.path("runner/copies"));
  const target = `${kept.folder}/tree/work`;
  const update = () => bringUp(kept, model.request(target), [], new Set());
  assert.deepEqual(await update(), { kind: "made", leftOut: [] });
  return { world, kept, target, update };
}

test("a change within the same step of a slow clock of the file system is found", async (t) => {
  const look = fs.lstatSync;
  const slow = (...values: Parameters<typeof look>) => {
    const stats = look(...values);
    const floor = (ms: number) => Math.floor(ms / 100) * 100;
    return (
      stats && Object.assign(stats, { mtimeMs: floor(Number(stats.mtimeMs)), ctimeMs: floor(Number(stats.ctimeMs)) })
    );
  };
  Reflect.set(fs, "lstatSync", slow);
  syncBuiltinESMExports();
  t.after(() => {
    Reflect.set(fs, "lstatSync", look);
    syncBuiltinESMExports();
  });
  const { target, update } = await arrangeKept(t, { a: "one\n" });
  for (let time = 0; time < 3; time += 1) {
    writeFileSync(`${target}/a`, "1ne\n", { flag: "r+" });
    await update();
    assert.deepEqual(describeTree(target), { a: "file 644 one\n" });
  }
});

test("a change right after the copy was noted, of the same size and with the old time, is found", async (t) => {
  const { target, update } = await arrangeKept(t, { a: "one\n", b: "two\n" });
  for (let time = 0; time < 20; time += 1) {
    writeFileSync(`${target}/b`, "2wo\n", { flag: "r+" });
    execFileSync("touch", ["-r", `${target}/a`, `${target}/a.new`]);
    writeFileSync(`${target}/a`, "1ne\n", { flag: "r+" });
    execFileSync("touch", ["-r", `${target}/a.new`, `${target}/a`]);
    await update();
    assert.deepEqual(describeTree(target), { a: "file 644 one\n", b: "file 644 two\n" });
  }
});

test("a file that nothing wrote to stays the same file, and one that was written to is another", async (t) => {
  const { target, update } = await arrangeKept(t, { a: "one\n", "in/b": "two\n" });
  const numbers = () => ["a", "in", "in/b"].map((path) => lstatSync(`${target}/${path}`).ino);
  const [a, folder] = numbers();
  linkSync(`${target}/in/b`, `${target}/other-name`);
  await update();
  assert.deepEqual(numbers().slice(0, 2), [a, folder]);
  assert.equal(lstatSync(`${target}/in/b`).nlink, 1);
});

test("a copy in which a folder cannot be listed is made from nothing", async (t) => {
  const { target, update } = await arrangeKept(t, { a: "one\n", "in/b": "two\n" });
  writeFileSync(`${target}/in/b`, "other\n");
  await refusing("readdirSync", "EACCES", /\/tree\/work\/in$/, update);
  assert.deepEqual(describeTree(target), { a: "file 644 one\n", in: "folder 755", "in/b": "file 644 two\n" });
});

for (const above of ["", "kept", "kept/tree", "kept/tree/work"]) {
  test(`a link that code of the copy puts in place of ${above || "all copies"} leads nothing to where it leads`, async (t) => {
    const { world, kept, target, update } = await arrangeKept(t, { a: "one\n" });
    world.write("mine/kept/tree/work/a.txt", "mine\n");
    world.write("mine/tree/work/b.txt", "mine\n");
    world.write("mine/work/c.txt", "mine\n");
    const mine = describeTree(world.path("mine"));
    const place = world.path("runner/copies", above);
    renameSync(place, world.path("aside"));
    symlinkSync(world.path("mine"), place);
    await update();
    assert.deepEqual(describeTree(target), { a: "file 644 one\n" });
    symlinkSync(world.path("mine"), world.path("link"));
    rmSync(place, { recursive: true, force: true });
    renameSync(world.path("link"), place);
    assert.equal(kept.remove(), null);
    assert.deepEqual(describeTree(world.path("mine")), mine);
  });
}
