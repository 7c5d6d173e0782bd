import type { TestContext } from "node:test";
import { type Chance, chanceOf } from "../simulation/seeded.ts";
import { type DiskModel, type ForgettingDisk, type Losses, mountForgetting } from "./forgetting-disk.ts";
import { type ForgettingWorld, makeForgettingWorld } from "./forgetting-world.ts";
import { judgeRecovery, type Kept, readStanding, readTold } from "./judge-recovery.ts";

export interface LifeOptions {
  readonly model: DiskModel;
  readonly seed: number;
  readonly cuts: number;
  /** A module with a planted fault that the loop loads. */
  readonly preload?: string;
}

/** What happened to one disk. */
export interface Life {
  cuts: number;
  /** Cuts in the run that recovers from another one. */
  again: number;
  /** Verdicts that the program had told before the power went. */
  told: number;
  tasks: number;
  lost: number;
  torn: number;
  readonly problems: string[];
}

/** Why a pass is rejected that finds the files of an earlier one no more. */
const workIsGone = /there is no proof for the Evidence link to point to/;
/** How a run ends on a task that was stopped, because its work was lost again and again. */
const stopped = [21, 22, 23];
/** A loop of five passes changes something about so often. */
const callsOfLoop = 2_000;
const callsOfRecovery = 150;

/**
 * A loop works through one task after the other on a disk whose power goes again and again. After each cut one run
 * recovers, and everything is judged. Ends early with the first problem.
 */
export async function playLife(t: TestContext, options: LifeOptions): Promise<Life> {
  const { model, seed } = options;
  const chance = chanceOf(seed, "cuts", model);
  const disk = await mountForgetting(t, model);
  const world = makeForgettingWorld(t, disk.folder, model === "ordered" ? "checkpoint: commit\n" : "");
  const life: Life = { cuts: 0, again: 0, told: 0, tasks: 0, lost: 0, torn: 0, problems: [] };
  const kept: Kept[] = [];
  // Nobody syncs what the honest agent writes: its work may be lost after it was accepted.
  const agent = chance.happens(0.6) ? "careful" : "honest";
  const mayReject = agent === "careful" ? null : workIsGone;
  for (let id = ""; life.cuts < options.cuts && life.problems.length === 0; ) {
    if (
      id === "" ||
      !/^- Phase: (?:intake|shape|implement|verify|review|repair)$/m.test(readStanding(world, id).state)
    ) {
      life.tasks += 1;
      id = `T-${life.tasks}`;
      kept.push(await wantTask(world, id));
      await disk.settle();
    }
    const before = readStanding(world, id);
    const env = { AGENT_SOURCE: `src/${id}.mjs`, ...(chance.happens(0.3) ? { AGENT_BROKEN: "1" } : {}) };
    const words = ["--task-dir", world.taskPath(id), "--verbose", "--model"];
    const at = chance.between(1, callsOfLoop);
    const start = () => world.start("task-phase-loop", [...words, agent], { env, preload: options.preload });
    const told = [...readTold(await cutOff(disk, start, at, chance, life))];
    const recover = () => world.start("task-phase-run", [...words, "nobody"]);
    if (chance.happens(0.25)) {
      life.again += 1;
      told.push(...readTold(await cutOff(disk, recover, chance.between(1, callsOfRecovery), chance, life)));
    }
    const { code, told: text } = await recover().end;
    if (![0, 64, ...(mayReject === null ? [] : stopped)].includes(code ?? -1))
      life.problems.push(`the run that recovers ends with ${code}: ${text}`);
    told.push(...readTold(text));
    life.problems.push(...(await judgeRecovery(world, id, before, told, kept, mayReject)));
    // What the recovery did not sync may be lost with the next cut too.
    if (chance.happens(0.5)) await disk.settle();
    life.told += told.length;
  }
  const where = `${model} disk, seed ${seed}, cut ${life.cuts}`;
  return { ...life, problems: life.problems.map((problem) => `${where}: ${problem}`) };
}

/** The power goes while the command runs, or when it has ended. What it had told by then. */
export async function cutOff(
  disk: ForgettingDisk,
  start: () => ReturnType<ForgettingWorld["start"]>,
  at: number,
  chance: Chance,
  life: Pick<Life, "cuts" | "lost" | "torn">,
): Promise<string> {
  const { off } = await disk.arm(at);
  const command = start();
  await Promise.race([off, command.end]);
  const { told } = await command.killAll();
  addLosses(life, await disk.cut(chance.between(1, 2 ** 31)));
  life.cuts += 1;
  return told;
}

function addLosses(life: Pick<Life, "lost" | "torn">, { names, writes, torn, other }: Losses): void {
  life.lost += names + writes + other + torn;
  life.torn += torn;
}

/** A person's commit, which is on the disk for long when the power goes. */
export async function wantTask(world: ForgettingWorld, id: string): Promise<Kept> {
  await world.addTask(id);
  const names = [`tasks/${id}/README.md`, "src/kept.mjs", "tasks/task-phase.yaml"];
  const files = Object.fromEntries(names.map((name) => [name, world.read(`repo/${name}`)]));
  return { commit: world.git("repo", "rev-parse", "HEAD").trim(), files };
}
