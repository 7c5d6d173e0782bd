import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, cpSync, mkdirSync, openSync, renameSync, rmSync, statfsSync, writeSync } from "node:fs";
import { test } from "node:test";
import { assertReachesDone, assertRecovered, type CrashWorld, lookAtTask, makeCrashWorld } from "./crash-world.ts";

const isRoot = process.geteuid?.() === 0;
const mounts = isRoot && process.platform === "linux" ? {} : { skip: "only root can mount a small tmpfs, on Linux" };

for (const where of ["tasks", "state", "tmp"]) {
  const title = `a disk that is full under ${where}/ ends the run with 1 and a clear message, and the next one carries on`;
  test(title, mounts, async (t) => {
    const world = await makeCrashWorld(t);
    await world.until("implement");
    const release = mountSmall(world.path(where));
    try {
      await runOnFullDisk(world, where);
    } finally {
      release();
    }
  });
}

async function runOnFullDisk(world: CrashWorld, where: string): Promise<void> {
  const before = lookAtTask(world);
  let failed = 0;
  for (const free of [0, 4, 12, 24, 40]) {
    fillUp(world.path(where, "filler"), free * 1024);
    const end = await world.start("honest");
    rmSync(world.path(where, "filler"), { force: true });
    assert([0, 1].includes(end.code ?? -1), end.stdout + end.stderr);
    if (end.code === 1) assert.match(end.stderr, /the disk is full|no space left/i);
    await assertRecovered(world, before, ["accepted", "interrupted"]);
    if (end.code === 0) break;
    failed += 1;
  }
  assert(failed > 0, "the disk was never full");
  await assertReachesDone(world);
}

test("a read-only task folder ends the run with 1 and a clear message, and the next one carries on", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("shape");
  const before = lookAtTask(world);
  const release = makeReadOnly(world.path("tasks"));
  try {
    const end = await world.start("honest");
    assert.equal(end.code, 1, end.stdout + end.stderr);
    assert.match(end.stderr, /the file system is read-only|permission is denied/);
    assert.deepEqual(lookAtTask(world), before);
  } finally {
    release();
  }
  await assertRecovered(world, before, []);
  await world.until("implement");
});

test("a task folder that cannot be written to, beside locks that can: no model is called, and the next run carries on", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("shape");
  const before = lookAtTask(world);
  const release = makeReadOnly(world.path("tasks", "T-1"));
  try {
    const end = await world.start("honest");
    assert.equal(end.code, 1, end.stdout + end.stderr);
    assert.match(end.stderr, /the task folder cannot be written to: .*no model was called/s);
    assert.deepEqual(lookAtTask(world), before);
  } finally {
    release();
  }
  await world.until("implement");
});

/** The folder goes on as a tmpfs of 1 MiB with the same contents. Gives what ends that. */
function mountSmall(folder: string): () => void {
  const aside = `${folder}.aside`;
  renameSync(folder, aside);
  mkdirSync(folder);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", folder]);
  cpSync(aside, folder, { recursive: true, preserveTimestamps: true });
  rmSync(aside, { recursive: true });
  return () => execFileSync("umount", ["-l", folder]);
}

/** Leaves so many bytes free, rounded to pages. */
function fillUp(file: string, free: number): void {
  const { bavail, bsize } = statfsSync(file.replace(/\/[^/]*$/, ""));
  const descriptor = openSync(file, "w");
  for (let left = bavail * bsize - free; left > 0; ) {
    const count = writeSync(descriptor, Buffer.alloc(Math.min(left, 4096)));
    left -= count;
  }
  closeSync(descriptor);
}

/** Root writes whatever the rights say, so for root it is a read-only mount. Gives what ends that. */
function makeReadOnly(folder: string): () => void {
  if (isRoot && process.platform === "linux") {
    execFileSync("mount", ["--bind", folder, folder]);
    execFileSync("mount", ["-o", "remount,ro,bind", folder]);
    return () => execFileSync("umount", [folder]);
  }
  execFileSync("chmod", ["-R", "a-w", folder]);
  return () => execFileSync("chmod", ["-R", "u+w", folder]);
}
