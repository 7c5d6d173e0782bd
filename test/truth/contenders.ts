import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ProveKeys } from "../../lib/rules/shapes/reports/prove.ts";
import { quoteWord } from "../../lib/text/shell-words.ts";
import { programWords } from "../cli/arrange.ts";
import type { TruthCase } from "./case.ts";
import { type End, readEnd } from "./ends.ts";
import { agentProgram, type PlayWorld } from "./play-world.ts";
import { runProgram } from "./run-program.ts";

export const contenderNames = ["task-phase", "ralph", "ralph-tests"] as const;
/** What is played only where it is named: of the cases that `standsAlone` gives, `prove` on the same work. */
export const extraNames = ["prove"] as const;
export type ContenderName = (typeof contenderNames)[number] | (typeof extraNames)[number];
export type Contender = (one: TruthCase, world: PlayWorld) => Promise<End>;

const promise = "<promise>COMPLETE</promise>";
/** How often a Ralph loop calls the agent at most. */
const turns = 4;

export const contenders: Readonly<Record<ContenderName, Contender>> = {
  "task-phase": playTaskPhase,
  ralph: (_one, world) => playRalph(world, async () => true),
  "ralph-tests": (_one, world) => playRalph(world, () => checksPass(world)),
  prove: playProve,
};

/** Whether a case says the same without a task: no key of its brief, file of its folder, answer, home or later act counts. */
export function standsAlone({
  contract,
  expect,
  hidden,
  task,
  answers,
  undoes,
  brief,
  script,
  ignored,
}: TruthCase): boolean {
  const own = [contract, expect, hidden, task, answers, undoes, brief, ignored];
  return own.every((part) => part === undefined) && !/"(?:task|home|config|tmp|above):/.test(JSON.stringify(script));
}

/** All of the agent's edits at once, and the proof of what differs from the first commit then. */
async function playProve(one: TruthCase, world: PlayWorld): Promise<End> {
  const place = { cwd: world.repo, env: world.env, timeoutMs: 60_000 };
  const { stdout: start } = await runProgram(["git", "rev-parse", "HEAD"], place);
  const words = ["edits", ...(one.script.repair === undefined || one.kind === "cheat" ? [] : ["repairs"])];
  for (const word of words) await runProgram([process.execPath, agentProgram, world.plan, word], place);
  const checks = Object.values(world.validators).flatMap((command) => ["--check", command.map(quoteWord).join(" ")]);
  const { code, stdout, stderr } = await runBin(world, [
    "task-phase",
    "prove",
    "--json",
    "--base",
    start.trim(),
    ...checks,
  ]);
  const { grade = null, headline: why = `${code}: ${stdout || stderr}` } = JSON.parse(
    stdout || "{}",
  ) as Partial<ProveKeys>;
  if (code === 22) return { kind: "asks", grade: null, why };
  return code === 0 && grade !== null ? { kind: "done", grade, why } : { kind: "stopped", grade: null, why };
}

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
