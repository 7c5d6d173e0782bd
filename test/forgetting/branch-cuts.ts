import { readdirSync, rmSync } from "node:fs";
import type { TestContext } from "node:test";
import { execa } from "execa";
import { chanceOf } from "../simulation/seeded.ts";
import { mountForgetting } from "./forgetting-disk.ts";
import { type ForgettingWorld, makeForgettingWorld } from "./forgetting-world.ts";
import { isTorn, judgeRepo, type Kept, linesOf } from "./judge-recovery.ts";
import { cutOff, type Life, type LifeOptions, wantTask } from "./play-cuts.ts";

/** What happened to one disk on which tasks are worked on in clones and landed. */
export interface BranchLife extends Omit<Life, "again"> {
  /** Cuts in a landing. */
  landings: number;
  landed: number;
}

/** A loop that takes two tasks through all their phases changes something about so often, and their landing. */
const callsOfLoop = 9_000;
const callsOfLanding = 1_200;

/** By the id of a task: what its branch, or what the target has of it, once it has landed. */
type Works = ReadonlyMap<string, Work>;

interface Work {
  readonly ref: string;
  readonly verdicts: readonly string[];
  readonly isDone: boolean;
}

/**
 * Two tasks at a time are worked on, each on its branch in a clone, and landed, on a disk whose power goes again and again.
 * After each cut one call recovers, and everything is judged. Ends early with the first problem.
 */
export async function playBranches(t: TestContext, options: Omit<LifeOptions, "model">): Promise<BranchLife> {
  const { seed, preload } = options;
  const chance = chanceOf(seed, "branches");
  // Git relies on it that names come in their order.
  const disk = await mountForgetting(t, "ordered");
  const world = makeForgettingWorld(t, disk.folder, "workspace: branch\n");
  const life: BranchLife = { cuts: 0, landings: 0, told: 0, tasks: 0, landed: 0, lost: 0, torn: 0, problems: [] };
  const kept: Kept[] = [];
  const told = new Set<string>();
  let works: Works = new Map();
  let open: string[] = [];
  while (life.cuts < options.cuts && life.problems.length === 0) {
    if (open.length === 0) {
      open = [`T-${life.tasks + 1}`, `T-${life.tasks + 2}`];
      life.tasks += 2;
      for (const id of open) kept.push(await wantTask(world, id));
      await disk.settle();
    }
    const isLanding = open.every((id) => works.get(id)?.isDone === true);
    const root = ["--tasks-root", world.path("repo", "tasks")];
    const start = () =>
      isLanding
        ? world.start("task-phase", ["land", ...root, "--all"], { preload })
        : world.start("task-phase-loop", [...root, "--verbose", "--jobs", "2", "--model", "each"], { preload });
    // Some work is not cut off, so that there is something to land.
    if (!isLanding && chance.happens(0.5)) {
      for (const one of readTold((await start().end).told)) told.add(one);
      works = await readWorks(world, life.tasks);
      if (chance.happens(0.5)) await disk.settle();
      continue;
    }
    const at = chance.between(1, isLanding ? callsOfLanding : callsOfLoop);
    let text = await cutOff(disk, start, at, chance, life);
    if (isLanding) life.landings += 1;
    const calls = isLanding
      ? [() => world.start("task-phase", ["land", ...root, "--all"])]
      : open.map((id) => () => {
          const words = ["--task-dir", world.taskPath(id), "--verbose", "--model", "nobody"];
          return world.start("task-phase-run", words);
        });
    for (const call of calls) {
      let end = await call().end;
      for (let tries = 0; tries < 5 && (await mendAsTold(world, end.told)); tries += 1) end = await call().end;
      if (![0, 64].includes(end.code ?? -1))
        life.problems.push(`the call that recovers ends with ${end.code}: ${end.told}`);
      text += end.told;
    }
    for (const one of readTold(text)) told.add(one);
    const now = await readWorks(world, life.tasks);
    life.problems.push(...judgeWorks(works, now, told), ...(await judgeAll(world, kept)));
    if (isLanding) {
      const left = open.filter((id) => now.get(id)?.ref !== "main");
      if (left.length > 0) life.problems.push(`${left.join(", ")} did not land: ${text}`);
      life.landed += open.length;
      open = [];
    }
    works = now;
    if (chance.happens(0.5)) await disk.settle();
  }
  life.told = told.size;
  const where = `seed ${seed}, cut ${life.cuts}`;
  return { ...life, problems: life.problems.map((problem) => `${where}: ${problem}`) };
}

/**
 * What a person is told to do about what git itself leaves after a power cut: a lock, and files in the working tree, which
 * git does not sync. Nothing there is a person's. False: nothing was told.
 */
async function mendAsTold(world: ForgettingWorld, told: string): Promise<boolean> {
  const [, byGit, byRunner] = /Unable to create '([^']+\.lock)'|kill left (\S+\.lock): remove it/.exec(told) ?? [];
  const lock = byGit ?? byRunner;
  if (lock !== undefined) rmSync(lock, { force: true });
  const isChanged =
    /changes that are not committed|would be overwritten|are not as the branch has them|restore it, for example from git/.test(
      told,
    );
  if (isChanged) {
    await git(world, "reset", "-q", "--hard");
    await git(world, "clean", "-qfd");
  }
  return lock !== undefined || isChanged;
}

/** `ID PASS VERDICT` and `ID landed`, as `run`, `loop` and `land` say them. */
function readTold(text: string): string[] {
  const verdicts = text.matchAll(/^(T-\d+) +pass (\d+) +\S+ → \S+ +(accepted|redirected|rejected|interrupted)/gm);
  const landings = text.matchAll(/^(T-\d+) +landed /gm);
  return [
    ...[...verdicts].map(([, id, pass, verdict]) => `${id} ${pass} ${verdict}`),
    ...[...landings].map(([, id]) => `${id} landed`),
  ];
}

async function git(world: ForgettingWorld, ...words: string[]): Promise<string | null> {
  const end = await execa("git", words, {
    cwd: world.path("repo"),
    env: { ...world.env, GIT_OPTIONAL_LOCKS: "0" },
    extendEnv: false,
    stripFinalNewline: false,
    reject: false,
  });
  return end.exitCode === 0 ? end.stdout : null;
}

async function readWorks(world: ForgettingWorld, tasks: number): Promise<Works> {
  const works = new Map<string, Work>();
  for (let count = 1; count <= tasks; count += 1) {
    const id = `T-${count}`;
    const branch = `task-phase/${id}`;
    // One that has landed counts no more, also where a landing was cut off before it took the branch away.
    const isOpen = (await git(world, "rev-parse", "-q", "--verify", `refs/heads/${branch}`)) !== null;
    const ref = isOpen && (await git(world, "merge-base", "--is-ancestor", branch, "main")) === null ? branch : "main";
    const file = async (name: string): Promise<string> =>
      (await git(world, "show", `${ref}:tasks/${id}/${name}`)) ?? "";
    const lines = linesOf(await file("artifacts/journal.jsonl"));
    const verdicts = lines.flatMap(({ type, pass, verdict }) => (type === "verdict" ? [`${pass} ${verdict}`] : []));
    if (lines.some(isTorn)) verdicts.push("P3: the journal has a line that is no JSON");
    const state = await file("STATE.md");
    if (lines.length > 0 && state !== lines.findLast((line) => typeof line.state === "string")?.state)
      verdicts.push("P1: STATE.md is not that of the journal");
    const isDone = /^- Phase: done$/m.test(state);
    const source = await git(world, "show", `${ref}:src/${id}.mjs`);
    if (isDone && source !== "export const answer = 42;\n") verdicts.push(`P4: done without its work: ${source}`);
    works.set(id, { ref, verdicts, isDone });
  }
  return works;
}

function judgeWorks(before: Works, now: Works, told: ReadonlySet<string>): string[] {
  return [...now].flatMap(([id, { ref, verdicts }]) => {
    const known = before.get(id)?.verdicts ?? [];
    const owed = [...told].flatMap((one) => (one.startsWith(`${id} `) ? [one.slice(id.length + 1)] : []));
    const passes = verdicts.map((one) => one.split(" ")[0]);
    return [
      ...verdicts.filter((one) => /^P\d:/.test(one)),
      ...known.filter((one) => !verdicts.includes(one)).map((one) => `P8: ${one} is gone`),
      ...owed.filter((one) => one !== "landed" && !verdicts.includes(one)).map((one) => `P2: told, and gone: ${one}`),
      ...(owed.includes("landed") && ref !== "main" ? ["P2: told that it landed, and it has not"] : []),
      ...(new Set(passes).size === passes.length ? [] : [`P3: a pass has two verdicts: ${verdicts.join(", ")}`]),
      ...verdicts.filter((one) => one.endsWith(" rejected")).map((one) => `P4: ${one}`),
    ].map((problem) => `${id} on ${ref}: ${problem}`);
  });
}

async function judgeAll(world: ForgettingWorld, kept: readonly Kept[]): Promise<string[]> {
  const problems = await judgeRepo(world, kept);
  if ((await git(world, "rev-list", "--objects", "--all")) === null) problems.push("P8: a ref names what is not there");
  const check = await world.start("task-phase", ["check", "--history", "--git", world.path("repo")]).end;
  if (check.code !== 0 || /error|warning/.test(check.told)) problems.push(`check: ${check.code}, ${check.told}`);
  const cache = world.path("home", ".cache", "task-phase");
  const left = world.exists(cache) ? readdirSync(cache, { recursive: true, encoding: "utf8" }) : [];
  const odd = left.filter((name) => /^work\/\w+\/[^/]+\.json$|^clones\/\w+\//.test(name));
  return [...problems, ...(odd.length === 0 ? [] : [`left over: ${odd.slice(0, 5).join(", ")}`])];
}
