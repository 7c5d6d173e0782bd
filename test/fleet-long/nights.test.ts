import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";
import { findLiving } from "../process/find-living.ts";
import { chooseActs, describeOwn, seeded } from "./person.ts";

const tasks = ["T-1", "T-2", "T-3", "T-4"] as const;
const ask = `printf '## Q1: Which?\\n\\n- Question: Which?\\n- Answer:\\n' > "$TASK_PHASE_TASK_DIR/DECISIONS.md"; exit 0`;

/** Lines of shell of the agent: it sleeps, asks, commits or does nothing of its own. */
function planOf(random: () => number): string[] {
  const lines = ["", "", "", "sleep 0.4", "sleep 1", ask, "cd $TASK_PHASE_REPO && git commit -q --allow-empty -m own"];
  return Array.from({ length: 2 }, () => lines[Math.floor(random() * lines.length)] ?? "");
}

interface Night {
  readonly world: BranchWorld;
  readonly random: () => number;
  readonly story: string[];
}

/** The loop until it ends by itself; whoever kills it has it started again. Gives the last exit code. */
async function loopOn({ world, random, story }: Night, kills: number): Promise<number | null> {
  for (let left = kills; ; left -= 1) {
    let child: ChildProcess | null = null;
    const run = world.run("task-phase", ["loop", "--jobs", "4"], { cwd: "repo", onStart: (own) => (child = own) });
    const killed = left > 0 && sleep(500 + random() * 4_000).then(() => "late" as const);
    const first = await Promise.race([run, ...(killed === false ? [] : [killed])]);
    if (first === "late") {
      const signal = random() < 0.75 ? "SIGKILL" : "SIGINT";
      story.push(signal);
      (child as ChildProcess | null)?.kill(signal);
    }
    const end = await run;
    story.push(`loop ended: ${end.code ?? end.signal}`);
    if (first !== "late") return end.code;
  }
}

async function answerAll({ world, story }: Night): Promise<void> {
  for (const task of tasks) {
    const { code } = await world.call("task-phase", ["answer", task, "Q1", "this"], { cwd: "repo" });
    story.push(`answer ${task}: ${code}`);
  }
}

/** Plays until all tasks are done, and compares with the same acts in a repository without any loop. */
async function playNight(t: TestContext, seed: number): Promise<void> {
  const random = seeded(seed);
  const plans = Object.fromEntries(tasks.map((task) => [task, { plan: planOf(random) }]));
  const night: Night = { world: makeBranchWorld(t, plans), random, story: [] };
  const { world, story } = night;
  cpSync(world.path("repo"), world.path("twin", "repo"), { recursive: true, preserveTimestamps: true });
  const acts = chooseActs(random, 8);
  const looping = loopOn(night, Math.floor(random() * 3));
  for (const act of acts) {
    await sleep(random() * 1_200);
    story.push(act.name);
    act.play(world, "repo");
    if (random() < 0.3) await world.run("task-phase", random() < 0.5 ? [] : ["show", "T-2"], { cwd: "repo" });
  }
  await looping;
  for (let round = 0; round < 4 && (await phases(world)).some((phase) => phase !== "done"); round += 1) {
    await answerAll(night);
    await loopOn(night, 0);
  }
  for (const act of acts) act.play(world, "twin/repo");
  const told = `seed ${seed}\n${story.join("\n")}`;
  assert.deepEqual(await phases(world), ["done", "done", "done", "done"], told);
  const [mine, twin] = ["repo", "twin/repo"].map((repo) => linesOf(describeOwn(world, repo), world.path(repo)));
  assert.deepEqual({ more: without(mine, twin), less: without(twin, mine) }, { more: [], less: [] }, told);
  assert.deepEqual(mine, twin, told);
  for (const task of tasks) checkJournal(world, task, told);
  const checked = await world.call("task-phase", ["check", "--history", "--git", ".", "--tasks-root", "tasks"], {
    cwd: "repo",
  });
  assert.equal(checked.code, 0, `${told}\n${checked.stdout}\n${checked.stderr}`);
  assert.deepEqual(listClones(world), [], told);
  // A git that answered the last question may be ending.
  for (let look = 0; look < 100 && findLiving(world.folder).length > 0; look += 1) await sleep(50);
  assert.deepEqual(findLiving(world.folder), [], told);
}

function linesOf(text: string, folder: string): string[] {
  return text.replaceAll(folder, "").split("\n");
}

/** First what differs: a report that is cut off in the middle of all lines says nothing. */
function without(lines: readonly string[] = [], others: readonly string[] = []): string[] {
  return lines.filter((line) => !others.includes(line));
}

async function phases(world: BranchWorld): Promise<string[]> {
  const { stdout } = await world.call("task-phase", ["status", "--json"], { cwd: "repo" });
  return (JSON.parse(stdout) as { tasks: { phase: string }[] }).tasks.map(({ phase }) => phase);
}

function checkJournal(world: BranchWorld, task: string, told: string): void {
  const lines = world.onBranch(task, "artifacts/journal.jsonl").trim().split("\n");
  const verdicts = lines.flatMap((line) => {
    const event = JSON.parse(line) as { type: string; pass?: number };
    return event.type === "verdict" ? [event.pass] : [];
  });
  assert.deepEqual(verdicts, [...new Set(verdicts)], `${task}: two verdicts of one pass\n${told}`);
}

function listClones(world: BranchWorld): string[] {
  const clones = world.path("home", ".cache", "task-phase", "clones");
  return readdirSync(clones).flatMap((key) => readdirSync(`${clones}/${key}`));
}

/** TASK_PHASE_NIGHTS=FROM-TO plays those seeds instead. */
const [from = 1, to = 2] = (process.env.TASK_PHASE_NIGHTS ?? "1-2").split("-").map(Number);

describe("a night of loop --jobs 4 beside a person who works in the same repository", () => {
  for (let seed = from; seed <= to; seed += 1) {
    test(`seed ${seed}: nothing of the person's changes, and every task ends`, async (t) => await playNight(t, seed));
  }
});
