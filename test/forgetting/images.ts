import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { patienceMs } from "../patience.ts";
import { type Chance, chanceOf } from "../simulation/seeded.ts";
import { type ForgettingDisk, mountForgetting } from "./forgetting-disk.ts";
import { type ForgettingWorld, makeForgettingWorld } from "./forgetting-world.ts";
import { judgeRecovery, type Kept, readStanding, readTold, type Standing, type Told } from "./judge-recovery.ts";
import { wantTask } from "./play-cuts.ts";

/** A file system of the kernel, and the program that makes one in a file. */
export interface FileSystem {
  readonly name: string;
  readonly make: readonly string[];
  readonly megabytes: number;
  /** Before a copy can be mounted: Btrfs knows a disk by its number, and refuses one that is older than it remembers. */
  readonly forget?: readonly string[];
}

export const fileSystems: readonly FileSystem[] = [
  { name: "ext4", make: ["mkfs.ext4", "-q", "-F", "-E", "nodiscard"], megabytes: 64 },
  { name: "XFS", make: ["mkfs.xfs", "-q", "-f", "-K"], megabytes: 300 },
  {
    name: "Btrfs",
    make: ["mkfs.btrfs", "-q", "-f", "-K"],
    megabytes: 128,
    forget: ["btrfs", "device", "scan", "--forget"],
  },
];

/** What its test is skipped for, else false. */
export function whyNoImage(system: FileSystem): string | false {
  if (process.geteuid?.() !== 0) return "only root can mount an image";
  const [program = "", ...words] = system.make;
  if (spawnSync(program, ["-V"]).error !== undefined) return `there is no ${program}`;
  const folder = mkdtempSync(path.join(os.tmpdir(), "task-phase-image-"));
  const image = path.join(folder, "image");
  try {
    writeFileSync(image, "");
    truncateSync(image, system.megabytes * 2 ** 20);
    execFileSync(program, [...words, image], { stdio: "pipe" });
    const target = mkdtempSync(path.join(folder, "mounted-"));
    const { status, stderr } = spawnSync("mount", ["-o", "loop", image, target], { encoding: "utf8" });
    if (status !== 0) return `an image of ${system.name} cannot be mounted: ${stderr.trim()}`;
    execFileSync("umount", [target]);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A disk as the power could have left it at one moment, and what is owed then. */
interface Copy {
  readonly file: string;
  readonly seed: number;
  readonly id: string;
  readonly before: Standing;
  readonly told: Told;
  readonly kept: readonly Kept[];
  readonly lost: number;
}

export interface Copied {
  readonly copies: number;
  /** Writes that the disk had in its cache, and which a copy does not have. */
  readonly lost: number;
  readonly told: number;
  /** Copies in which a run was cut off. */
  readonly cutOff: number;
  readonly problems: readonly string[];
}

/**
 * A loop works on a file system whose disk is a file on the disk that forgets. At calls of that disk chosen by the seed
 * everything stands still, and what the power would have left is copied; then the loop goes on. Each copy is mounted
 * in the place of the disk and recovered by one run. `preload`: a module with a planted fault that the loop loads.
 */
export async function tryCopies(
  t: TestContext,
  system: FileSystem,
  seed: number,
  count: number,
  preload?: string,
): Promise<Copied> {
  const place = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-mounted-")));
  const copiesFolder = mkdtempSync(path.join(os.tmpdir(), "task-phase-copies-"));
  let disk: ForgettingDisk | null = null;
  t.after(async () => {
    // Nothing can be unmounted whose disk does not answer.
    await disk?.goOn();
    spawnSync("umount", ["--lazy", place]);
    rmdirSync(place);
    rmSync(copiesFolder, { recursive: true, force: true });
  });
  disk = await mountForgetting(t, "device");
  const image = path.join(disk.folder, "image");
  writeFileSync(image, "");
  truncateSync(image, system.megabytes * 2 ** 20);
  const [program = "", ...words] = system.make;
  execFileSync(program, [...words, image], { stdio: "pipe" });
  execFileSync("mount", ["-o", "loop", image, place]);
  const world = makeForgettingWorld(t, place, "checkpoint: commit\n");
  const chance = chanceOf(seed, "copies", system.name);
  const copies = await copyWhileItRuns(world, disk, { chance, count, folder: copiesFolder, preload });
  await unmount(place, image);
  world.reboot();
  const problems: string[] = [];
  let cutOff = 0;
  for (const copy of copies) {
    const where = `${system.name}, copy ${copy.seed}`;
    if (system.forget !== undefined) execFileSync(system.forget[0] ?? "", system.forget.slice(1));
    execFileSync("mount", ["-o", "loop", copy.file, place]);
    const judged = await judgeCopy(world, copy);
    if (judged.isCutOff) cutOff += 1;
    problems.push(...judged.problems.map((problem) => `${where}: ${problem}`));
    await unmount(place, copy.file);
    rmSync(copy.file);
  }
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  return {
    copies: copies.length,
    lost: sum(copies.map(({ lost }) => lost)),
    told: sum(copies.map(({ told }) => told.length)),
    cutOff,
    problems,
  };
}

/** Another program's mount namespace may hold the file system a moment longer, and XFS mounts no two of one number. */
async function unmount(place: string, image: string): Promise<void> {
  execFileSync("umount", [place]);
  const isHeld = (): boolean => execFileSync("losetup", ["--associated", image], { encoding: "utf8" }) !== "";
  for (let count = 0; isHeld(); count += 1) {
    assert(count < patienceMs / 20, `${image} is still mounted somewhere`);
    await setTimeout(20);
  }
}

interface Judged {
  readonly problems: readonly string[];
  readonly isCutOff: boolean;
}

/** A loop of five passes makes the disk write and flush about so often. */
const callsOfLoop = 1_000;
const copiesOfLoop = 8;

interface CopyOptions {
  readonly chance: Chance;
  readonly count: number;
  readonly folder: string;
  readonly preload: string | undefined;
}

async function copyWhileItRuns(
  world: ForgettingWorld,
  disk: ForgettingDisk,
  { chance, count, folder, preload }: CopyOptions,
): Promise<Copy[]> {
  const copies: Copy[] = [];
  const kept: Kept[] = [];
  for (let task = 1; copies.length < count; task += 1) {
    const id = `T-${task}`;
    kept.push(await wantTask(world, id));
    execFileSync("sync", ["--file-system", world.folder]);
    const before = readStanding(world, id);
    const words = ["--task-dir", world.taskPath(id), "--verbose", "--model", "careful"];
    const loop = world.start("task-phase-loop", words, { env: { AGENT_SOURCE: `src/${id}.mjs` }, preload });
    while (copies.length < count) {
      const { off } = await disk.arm(chance.between(1, (2 * callsOfLoop) / copiesOfLoop));
      if ((await Promise.race([off.then(() => "off"), loop.end])) !== "off") break;
      // What it says while the disk stands still was on the disk before.
      await setTimeout(20);
      const told = readTold(loop.told());
      const seed = chance.between(1, 2 ** 31);
      const file = path.join(folder, `${copies.length}`);
      const { names, writes, torn, other } = await disk.save(seed, "image", file);
      copies.push({ file, seed, id, before, told, kept: [...kept], lost: names + writes + torn + other });
      await disk.goOn();
    }
    await disk.goOn();
    await loop.end;
  }
  return copies;
}

async function judgeCopy(world: ForgettingWorld, copy: Copy): Promise<Judged> {
  const { id, before, told, kept } = copy;
  const words = ["--task-dir", world.taskPath(id), "--verbose", "--model", "nobody"];
  const { code, told: text } = await world.start("task-phase-run", words).end;
  const ended = code === 0 || code === 64 ? [] : [`the run that recovers ends with ${code}: ${text}`];
  const problems = await judgeRecovery(world, id, before, [...told, ...readTold(text)], kept, null);
  const fresh = readStanding(world, id).journal.slice(before.journal.length);
  const isCutOff = /"type":"recovered"|"verdict":"interrupted"/.test(fresh);
  return { problems: [...ended, ...problems], isCutOff };
}
