import type { TestContext } from "node:test";
import { journalFile, makeTaskWorld, type TaskCase, type TaskWorld, validator } from "../cli/task-world.ts";
import { claimed, landed } from "./branch-stage.ts";
import { materialise, replay } from "./disk-image.ts";
import { holdsWords, judgeState } from "./judge-state.ts";
import { makeRecoveryStage, makeStage, type Stage } from "./stage.ts";
import type { Recorded } from "./try-states.ts";

export interface Scenario {
  readonly name: string;
  /** How many moments with losses there were when this was written: far fewer mean that the recorder sees less. */
  readonly losses: number;
  readonly make: (t: TestContext) => Promise<Recorded>;
  /** So many losses are taken at most, where all of them would take a night. */
  readonly most?: number;
}

/** Only the agent writes them. */
const words = "words that only the agent wrote";
const contract = [validator, "proof: { without: off, fresh: 0 }"];

/** The present STATE.md in another phase, with the agent's words. */
function proposed(task: TaskCase, phase: string): string {
  return task
    .state()
    .replace(/^- Phase: \w+$/m, `- Phase: ${phase}`)
    .replace("go on", words);
}

function proposes(task: TaskCase, phase: string, repo: Readonly<Record<string, string>> = {}): void {
  task.propose({ task: { "STATE.md": proposed(task, phase) }, repo });
}

function addConfig(world: TaskWorld, lines: string): void {
  const file = "cases/one/tasks/task-phase.yaml";
  world.write(file, `${world.read(file)}${lines}\n`);
}

/** After a first pass, so that all folders are there. */
async function accepted(t: TestContext): Promise<Stage> {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "verify", { contract });
  task.propose({ task: { "STATE.md": task.state().replace("go on", "go on and on") } });
  await task.pass();
  proposes(task, "review");
  return await makeStage({ world, task, words });
}

async function first(t: TestContext): Promise<Stage> {
  const world = makeTaskWorld(t);
  const task = await world.makeTask("one", { state: { phase: "intake" }, contract, events: null });
  proposes(task, "shape");
  return await makeStage({ world, task, words });
}

async function rejected(t: TestContext): Promise<Stage> {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "shape", { contract });
  proposes(task, "done");
  return await makeStage({ world, task, words });
}

async function redirected(t: TestContext): Promise<Stage> {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "verify", { contract, repo: { "bad.txt": "bad\n" } });
  proposes(task, "review");
  return await makeStage({ world, task, words });
}

/** Two moves without a model, and the pass after them. */
async function advanced(t: TestContext): Promise<Stage> {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "intake", { contract: [...contract, "advance: auto"] });
  proposes(task, "verify", { "new.txt": "new\n" });
  return await makeStage({ world, task, words });
}

/** The agent writes a journal in which it is done, and everything that follows from that. */
async function tampered(t: TestContext): Promise<Stage> {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "implement", { contract });
  const state = proposed(task, "done");
  const forged = journalFile([
    ...task.events(),
    { type: "resumed", at: "2026-01-02T03:04:05.000Z", from: "implement", to: "implement", reason: "forged", state },
  ]);
  task.propose({
    task: {
      "STATE.md": state,
      "artifacts/journal.jsonl": forged,
      "artifacts/checkpoint.json": "{}",
      "log.txt": "forged\n",
    },
  });
  return await makeStage({ world, task, words: null });
}

async function done(t: TestContext, config: string): Promise<Stage> {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "verify", { contract });
  addConfig(world, config);
  proposes(task, "review", { "new.txt": "new\n" });
  await task.pass();
  const own = `${words} at the end`;
  task.propose({ task: { "STATE.md": proposed(task, "done").replace(words, own) } });
  return await makeStage({ world, task, words: own });
}

async function committed(t: TestContext): Promise<Stage> {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("one", "verify", { contract });
  addConfig(world, "checkpoint: commit");
  world.initRepo({}, "cases/one/repo");
  proposes(task, "review", { "new.txt": "new\n" });
  return await makeStage({ world, task, words });
}

/** The power goes once more, while what it left is recovered. */
async function again(t: TestContext, last: RegExp): Promise<Stage> {
  const stage = await accepted(t);
  const { base, ops } = stage.trace;
  // Of what another program writes, a busy machine also sees the empty file before its words.
  const hasWords = (at: number): boolean => holdsWords(replay(base, ops, at + 1, new Map()), words);
  const at = ops.findIndex(({ call }, index) => last.test(call) && hasWords(index));
  if (at < 0) throw new Error(`no step is ${last}`);
  materialise(replay(base, ops, at + 1, new Map()), stage.world.folder);
  return await makeRecoveryStage(stage);
}

const judged =
  (make: (t: TestContext) => Promise<Stage>) =>
  async (t: TestContext): Promise<Recorded> => {
    const stage = await make(t);
    return { ...stage, judge: (state, checked) => judgeState(stage, state, checked) };
  };

export const scenarios: readonly Scenario[] = [
  { name: "accepted", losses: 9700, make: judged(accepted) },
  { name: "first", losses: 5900, make: judged(first) },
  { name: "rejected", losses: 5700, make: judged(rejected) },
  { name: "redirected", losses: 7500, make: judged(redirected) },
  { name: "moves without a model", losses: 8700, make: judged(advanced) },
  { name: "tampering", losses: 11100, make: judged(tampered) },
  { name: "done with keep: proof", losses: 12400, make: judged((t) => done(t, "keep: proof")) },
  { name: "accepted with checkpoint: commit", losses: 40000, make: judged(committed) },
  {
    name: "recovery of a pass at work",
    losses: 820,
    make: judged((t) => again(t, /another program: write .*STATE\.md$/)),
  },
  { name: "recovery of half a verdict", losses: 1120, make: judged((t) => again(t, /pass\.json$/)) },
  { name: "recovery of an accepted verdict", losses: 225, make: judged((t) => again(t, /rename .*commit\.json$/)) },
  { name: "a pass that is claimed on a branch", losses: 16500, make: claimed, most: 1000 },
  { name: "a landing", losses: 1900, make: landed, most: 1000 },
];
