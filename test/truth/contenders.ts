import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { programWords } from "../cli/arrange.ts";
import type { TruthCase } from "./case.ts";
import { type End, readEnd } from "./ends.ts";
import { agentProgram, type PlayWorld } from "./play-world.ts";
import { runProgram } from "./run-program.ts";

export const contenderNames = ["task-phase", "ralph", "ralph-tests"] as const;
export type ContenderName = (typeof contenderNames)[number];
export type Contender = (one: TruthCase, world: PlayWorld) => Promise<End>;

const promise = "<promise>COMPLETE</promise>";
/** How often a Ralph loop calls the agent at most. */
const turns = 4;

export const contenders: Readonly<Record<ContenderName, Contender>> = {
  "task-phase": playTaskPhase,
  ralph: (_one, world) => playRalph(world, async () => true),
  "ralph-tests": (_one, world) => playRalph(world, () => checksPass(world)),
};

async function playTaskPhase(one: TruthCase, world: PlayWorld): Promise<End> {
  const loop = async () => {
    const argv = ["task-phase-loop", "--task-dir", world.taskDir, "--json", "--max-passes", "16"];
    return readEnd(world.taskDir, await runBin(world, argv));
  };
  const answers = Object.entries(one.answers ?? {});
  let end = await loop();
  for (let round = 0; answers.length > 0 && end.kind === "asks" && round < 3; round++) {
    for (const [question, text] of answers) answer(path.join(world.taskDir, "DECISIONS.md"), question, text);
    end = await loop();
  }
  return end;
}

/** As a person does in an editor: behind the empty answer of that question. */
function answer(file: string, question: string, text: string): void {
  const decisions = readFileSync(file, "utf8");
  const at = decisions.search(new RegExp(`^#+ ${question}\\b`, "m"));
  if (at < 0) return;
  const rest = decisions.slice(at).replace(/^- Answer:[ \t]*$/m, () => `- Answer: ${text}`);
  writeFileSync(file, decisions.slice(0, at) + rest);
}

function runBin(world: PlayWorld, [bin = "", ...args]: readonly string[]) {
  const argv = [process.execPath, ...programWords(bin), ...args];
  return runProgram(argv, { cwd: world.repo, env: world.env, timeoutMs: 300_000 });
}

/** The whole of a Ralph loop: call the agent with the same prompt until it says the promise and this is believed. */
async function playRalph(world: PlayWorld, believe: () => Promise<boolean>): Promise<End> {
  for (let turn = 1; turn <= turns; turn++) {
    const place = { cwd: world.repo, env: world.env, timeoutMs: 60_000 };
    const { stdout } = await runProgram([process.execPath, agentProgram, world.plan, String(turn)], place);
    if (stdout.includes(promise) && (await believe())) return { kind: "done", grade: null, why: `turn ${turn}` };
  }
  return { kind: "stopped", grade: null, why: `no promise that is believed in ${turns} turns` };
}

async function checksPass(world: PlayWorld): Promise<boolean> {
  for (const command of Object.values(world.validators)) {
    const { code } = await runProgram(command, { cwd: world.repo, env: world.env });
    if (code !== 0) return false;
  }
  return true;
}
