import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { Script } from "node:vm";
import { openCodeCache } from "../../lib/cli/code-cache.ts";
import { makeWorld, projectRoot } from "./arrange.ts";

const code = { data: Buffer.from("compiled code of the program"), cpuMs: 12.5 };
const key = { command: "status", digest: "0123" };

function arrange(t: TestContext) {
  const world = makeWorld(t);
  const program = world.path("package", "dist");
  mkdirSync(program, { recursive: true });
  const cache = openCodeCache(program, key);
  return { world, program, cache, folder: path.join(program, "code"), file: path.join(program, "code", "status-0123") };
}

test("code that was kept is read again, and is for this user alone", (t) => {
  const { cache, folder, file } = arrange(t);
  assert.equal(cache.read(), null);
  cache.keep(code);
  assert.deepEqual(cache.read(), code);
  assert.deepEqual([statSync(folder).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o600]);
  cache.keep({ ...code, cpuMs: 20 });
  assert.deepEqual([cache.read()?.cpuMs, readdirSync(folder)], [20, ["status-0123"]]);
});

test("a file in which any byte is wrong, missing or too much is not read", (t) => {
  const { cache, file } = arrange(t);
  cache.keep(code);
  const good = readFileSync(file);
  for (const at of good.keys()) {
    const bad = Buffer.from(good);
    bad[at] = (bad[at] ?? 0) ^ 1;
    writeFileSync(file, bad);
    assert.equal(cache.read(), null, `byte ${at}`);
    writeFileSync(file, good.subarray(0, at));
    assert.equal(cache.read(), null, `cut at ${at}`);
  }
  writeFileSync(file, Buffer.concat([good, Buffer.from("x")]));
  assert.equal(cache.read(), null);
  writeFileSync(file, good);
  truncateSync(file, 65 * 1024 * 1024);
  assert.equal(cache.read(), null);
  writeFileSync(file, good);
  assert.deepEqual(cache.read(), code);
});

test("a cache that another user could have written is not read, nor one behind a link", (t) => {
  const { cache, folder, file } = arrange(t);
  cache.keep(code);
  for (const place of [folder, file]) {
    const { mode } = statSync(place);
    for (const more of [0o020, 0o002]) {
      chmodSync(place, mode | more);
      assert.equal(cache.read(), null, `${place} ${more.toString(8)}`);
    }
    chmodSync(place, mode);
    if (process.geteuid?.() === 0) {
      chownSync(place, 65_534, 0);
      assert.equal(cache.read(), null, `${place} of another user`);
      chownSync(place, 0, 0);
    }
    renameSync(place, `${place}.real`);
    symlinkSync(`${place}.real`, place);
    assert.equal(cache.read(), null, `${place} is a link`);
    cache.keep({ ...code, cpuMs: 99 });
    rmSync(place);
    renameSync(`${place}.real`, place);
    assert.notEqual(cache.read(), null, place);
  }
});

test("there is none beside a program that another user owns, or that lies in a repository", (t) => {
  const { world, program, cache, folder, file } = arrange(t);
  if (process.geteuid?.() === 0) {
    chownSync(program, 65_534, 0);
    cache.keep(code);
    assert.equal(existsSync(folder), false);
    chownSync(program, 0, 0);
  }
  cache.keep(code);
  mkdirSync(world.path("package", ".git"));
  assert.deepEqual(cache.read(), code, "a checkout of the program itself");
  world.write(".git", "gitdir: elsewhere\n");
  assert.equal(cache.read(), null);
  rmSync(folder, { recursive: true });
  cache.keep(code);
  assert.equal(existsSync(file), false);
});

test("a cache that cannot be written is left alone", (t) => {
  const { world, cache, folder } = arrange(t);
  openCodeCache(world.path("nowhere"), key).keep(code);
  assert.equal(existsSync(world.path("nowhere")), false);
  writeFileSync(folder, "a file in the place of the folder");
  cache.keep(code);
  assert.equal(cache.read(), null);
});

test("leavings of an older version or a killed writer are removed after a week, and caches in use stay", (t) => {
  const { cache, folder } = arrange(t);
  cache.keep(code);
  const [old, young] = [new Date(Date.now() - 8 * 24 * 3600_000), new Date()];
  const files = [
    ["run-0123", old],
    ["status-4567", young],
    ["run-4567", old],
    ["status-0123.77", old],
  ] as const;
  for (const [name, at] of files) {
    writeFileSync(path.join(folder, name), "");
    utimesSync(path.join(folder, name), at, at);
  }
  cache.keep(code);
  assert.deepEqual(readdirSync(folder).sort(), ["run-0123", "status-0123", "status-4567"]);
});

const bundle = path.join(projectRoot, "dist", "task-phase.cjs");
const skip =
  (process.env.TASK_PHASE_TEST_SOURCES === "1" || !existsSync(bundle)) && "the programs start the compiled lib/";

/** A program of its own, a tasks root with a task, and what status says of it. */
async function arrangeStatus(t: TestContext) {
  const world = makeWorld(t);
  const program = world.path("program");
  for (const part of ["package.json", "bin", "dist", "templates", "schemas"])
    cpSync(path.join(projectRoot, part), path.join(program, part), { recursive: true, filter: isShipped });
  await world.call("task-phase", ["init", "--task-dir", "tasks/T-1", "--no-validator", "-q"]);
  const said = await world.call("task-phase", ["status"]);
  const folder = path.join(program, "dist", "code");
  const files = () => (existsSync(folder) ? readdirSync(folder) : []);
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [path.join(program, "bin/task-phase"), ...words], {
      cwd: world.folder,
      env: world.env,
      encoding: "utf8",
    });
  const call = () => {
    const end = run("status");
    assert.deepEqual([end.status, end.stdout, end.stderr], [said.code, said.stdout, said.stderr]);
  };
  return { world, program, run, call, files, folder };
}

function isShipped(source: string): boolean {
  return !/[/\\]dist[/\\](?:lib|test|code)$/.test(source);
}

/** The cache that the program itself uses. */
function ownCache(program: string, name: string) {
  return openCodeCache(path.join(program, "dist"), { command: "status", digest: name.slice(7) });
}

test("the first call keeps its code, and one that works twice as long as the keeper keeps more", {
  skip,
}, async (t) => {
  const { program, call, files, folder } = await arrangeStatus(t);
  call();
  const [name = ""] = files();
  assert.match(name, /^status-[0-9a-f]{16}-v\d+\.\d+\.\d+-\w+$/);
  assert.equal(files().length, 1);
  const cache = ownCache(program, name);
  const kept = cache.read();
  assert(kept);
  // Whatever a busy machine makes of the second call, it does not work twice as long.
  cache.keep({ ...kept, cpuMs: 4_000 });
  const before = statSync(path.join(folder, name)).ino;
  call();
  assert.equal(statSync(path.join(folder, name)).ino, before);
  cache.keep({ ...kept, cpuMs: 1 });
  call();
  assert.ok((cache.read()?.cpuMs ?? 0) > 2);
});

test("the answer is the same with garbage, lies and no cache at all, and by a first call", { skip }, async (t) => {
  const { program, call, files, folder } = await arrangeStatus(t);
  call();
  const [name = ""] = files();
  assert.equal(files().length, 1);
  const cache = ownCache(program, name);
  const kept = cache.read();
  assert(kept);
  // A lie has the right digest, so V8 itself has to refuse it; it is replaced.
  const lies = [Buffer.from("x"), kept.data.subarray(0, -8), Buffer.alloc(kept.data.length)];
  for (const data of lies) {
    cache.keep({ data, cpuMs: 1e9 });
    call();
    assert.notEqual(cache.read()?.cpuMs, 1e9);
  }
  const { data } = kept;
  const bad = Buffer.from(readFileSync(path.join(folder, name)));
  for (const at of [100, data.length >> 1, data.length]) bad[at] = (bad[at] ?? 0) ^ 0xff;
  writeFileSync(path.join(folder, name), bad);
  call();
  assert.notEqual(cache.read(), null);
  writeFileSync(path.join(folder, name), "");
  chmodSync(folder, 0o777);
  call();
  assert.deepEqual([files(), statSync(path.join(folder, name)).size], [[name], 0]);
});

test("a call that is refused keeps nothing, nor a command that is called seldom", { skip }, async (t) => {
  const { run, files } = await arrangeStatus(t);
  assert.equal(run("status", "--no-such-flag").status, 64);
  assert.equal(run("completion", "bash").status, 0);
  assert.deepEqual(files(), []);
});

test("code that an agent puts into the state folder is not run", { skip }, async (t) => {
  const { world, program, run, files, folder } = await arrangeStatus(t);
  run("status");
  const [name = ""] = files();
  // V8 knows the source of code by no more than its length, and keeps the functions that have run.
  const source = "(module) => { module.exports = { runMain: () => globalThis.process?.stdout.write('planted') }; }";
  const planted = new Script(source.padEnd(readFileSync(bundle, "utf8").length));
  const made = { exports: { runMain: () => undefined } };
  planted.runInNewContext({})(made);
  made.exports.runMain();
  const kept = ownCache(program, name).read();
  assert(kept);
  rmSync(folder, { recursive: true });
  const inState = openCodeCache(world.path("state", "task-phase"), { command: "status", digest: name.slice(7) });
  inState.keep({ data: planted.createCachedData(), cpuMs: 1e9 });
  assert.equal(existsSync(world.path("state", "task-phase", "code", name)), true);
  const end = run("status");
  assert.deepEqual([end.status, end.stdout.includes("planted")], [0, false]);
  assert.equal(ownCache(program, name).read() === null, false, "the program has made its own");
});
