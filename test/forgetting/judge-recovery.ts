import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";
import type { ForgettingWorld } from "./forgetting-world.ts";

/** What is left of a task to judge it by. A file that is not there is empty. */
export interface Standing {
  readonly state: string;
  readonly journal: string;
}

/** What a person committed, and when it was on the disk for long. */
export interface Kept {
  readonly commit: string;
  readonly files: Readonly<Record<string, string>>;
}

/** What the program said that it had decided: `PASS VERDICT`. */
export type Told = readonly string[];

/** An event of the journal, read by no code of the program. */
export interface Line {
  readonly type: string;
  readonly pass?: number;
  readonly verdict?: string;
  readonly state?: string;
  readonly reason?: string;
}

export function readStanding(world: ForgettingWorld, id: string): Standing {
  return { state: readText(world, id, "STATE.md"), journal: readText(world, id, "artifacts/journal.jsonl") };
}

function readText(world: ForgettingWorld, id: string, name: string): string {
  const file = world.taskPath(id, name);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** The verdicts in what `run` and `loop` print. */
export function readTold(text: string): Told {
  const lines = text.matchAll(/ pass (\d+) +\S+ → \S+ +(accepted|redirected|rejected|interrupted)/g);
  return [...lines].map(([, pass, verdict]) => `${pass} ${verdict}`);
}

/**
 * Which promises do not hold for a task after a cut and one recovery. `mayReject`: what the reason of a rejected pass
 * may be; null: none may be rejected.
 */
export async function judgeRecovery(
  world: ForgettingWorld,
  id: string,
  before: Standing,
  told: Told,
  kept: readonly Kept[],
  mayReject: RegExp | null,
): Promise<string[]> {
  const problems = judgeStanding(world, id, before, told, mayReject);
  const left = listLeft(world, id);
  if (left.length > 0) problems.push(`left over: ${left.join(", ")}`);
  const words = ["check", "--tasks-root", world.path("repo", "tasks"), "--history"];
  const check = await world.start("task-phase", words).end;
  if (check.code !== 0 || /error|warning/.test(check.told)) problems.push(`check: ${check.code}, ${check.told}`);
  return [...problems, ...(await judgeRepo(world, kept))];
}

function judgeStanding(
  world: ForgettingWorld,
  id: string,
  before: Standing,
  told: Told,
  mayReject: RegExp | null,
): string[] {
  const after = readStanding(world, id);
  if (!after.journal.startsWith(before.journal)) return ["P3: the journal does not go on from where it was"];
  if (after.journal !== "" && !after.journal.endsWith("\n")) return ["P3: the journal has half a line"];
  const all = linesOf(after.journal);
  if (all.some(isTorn)) return ["P3: the journal has a line that is no JSON"];
  const fresh = all.slice(linesOf(before.journal).length);
  const verdicts = all.filter(({ type }) => type === "verdict");
  const state = fresh.findLast((line) => line.state !== undefined)?.state ?? before.state;
  const known = verdicts.map(({ pass, verdict }) => `${pass} ${verdict}`);
  const odd = verdicts.filter(
    ({ verdict = "", reason = "" }) =>
      !["accepted", "redirected", "interrupted"].includes(verdict) && mayReject?.test(reason) !== true,
  );
  const started = all.filter(({ type }) => type === "pass_started").length;
  const accepted = verdicts.filter(({ verdict }) => verdict === "accepted").length;
  const count = (name: string): number => readText(world, id, name).split("\n").length - 1;
  return [
    ...(after.state === state ? [] : ["P1: STATE.md is not the one that was accepted last"]),
    ...told.filter((one) => !known.includes(one)).map((one) => `P2: told, and gone: pass ${one}`),
    ...(started === verdicts.length ? [] : [`P3: ${started} passes have ${verdicts.length} verdicts`]),
    ...(count("log.txt") === verdicts.length ? [] : [`P3: ${count("log.txt")} lines for ${verdicts.length} verdicts`]),
    ...(count("progress.txt") === accepted ? [] : [`P3: ${count("progress.txt")} lines of progress for ${accepted}`]),
    ...odd.map(({ pass, verdict, reason }) => `P4: pass ${pass} is ${verdict}: ${reason}`),
  ];
}

/** A line that is no JSON, as one that was not synced may be, is only torn. */
export function linesOf(journal: string): Line[] {
  return journal
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      try {
        return JSON.parse(line) as Line;
      } catch {
        return { type: "torn" };
      }
    });
}

export function isTorn({ type }: Line): boolean {
  return type === "torn";
}

/** Records and half-written files that only a run in progress may have. */
function listLeft(world: ForgettingWorld, id: string): string[] {
  const anchors = world.path("state", "task-phase", "tasks");
  const records = (existsSync(anchors) ? readdirSync(anchors) : []).flatMap((anchor) =>
    ["current.json", "commit.json", "process.json"].map((name) => path.join(anchors, anchor, name)),
  );
  const names = readdirSync(world.taskPath(id), { recursive: true, encoding: "utf8" });
  return [...records.filter((name) => existsSync(name)), ...names.filter((name) => /\.tp-[0-9a-f]+\.tmp$/.test(name))];
}

/** What a person committed is there, in the branch and in the folder, and git can work with both. */
export async function judgeRepo(world: ForgettingWorld, kept: readonly Kept[]): Promise<string[]> {
  const git = async (...words: string[]): Promise<{ readonly ok: boolean; readonly text: string }> => {
    const end = await execa("git", words, {
      cwd: world.path("repo"),
      // Otherwise git status would write the index, and sync nothing.
      env: { ...world.env, GIT_OPTIONAL_LOCKS: "0" },
      extendEnv: false,
      stripFinalNewline: false,
      reject: false,
    });
    return { ok: end.exitCode === 0, text: end.exitCode === 0 ? end.stdout : end.stderr };
  };
  const problems: string[] = [];
  for (const words of [
    ["status", "--porcelain"],
    ["rev-list", "--objects", "HEAD"],
  ]) {
    const { ok, text } = await git(...words);
    if (!ok) problems.push(`git ${words[0]}: ${text}`);
  }
  for (const { commit, files } of kept) {
    if (!(await git("merge-base", "--is-ancestor", commit, "HEAD")).ok) problems.push(`commit ${commit} is gone`);
    for (const [name, text] of Object.entries(files)) {
      if ((await git("show", `${commit}:${name}`)).text !== text) problems.push(`${name} of ${commit} is gone`);
      if (!world.exists(`repo/${name}`) || world.read(`repo/${name}`) !== text) problems.push(`${name} has changed`);
    }
  }
  return problems;
}
