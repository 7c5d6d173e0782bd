import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { parseTaskEvent } from "../../lib/rules/shapes/events.ts";
import { hashImage, type Image, listPaths, materialise } from "./disk-image.ts";
import { FollowedDisk } from "./followed-disk.ts";
import { readStanding, type Stage, type Standing } from "./stage.ts";

/** Task folders that `check` has already looked at. */
export type Checked = Set<string>;

/** A disk, and what the call owes by then. */
export interface State {
  readonly image: Image;
  /** It had told of its verdict. */
  readonly isTold: boolean;
  /** The agent had written its words, and the power cut did not take them. */
  readonly hasWords: boolean;
}

/** Puts the disk in this state, recovers once, and says which promise does not hold; null if all do. */
export async function judgeState(stage: Stage, state: State, checked: Checked): Promise<string | null> {
  const { world, task, words } = stage;
  const { image, isTold, hasWords } = state;
  materialise(image, world.folder);
  const end = await stage.recover();
  if (![0, 64].includes(end.code)) return `the recovering run ends with ${end.code}: ${end.output}`;
  const now = readStanding(task);
  const wrong = judgeStanding(stage, now, isTold);
  if (wrong !== null) return wrong;
  const folder = new FollowedDisk(join(task.taskDir, "..")).base;
  if (hasWords && words !== null && !holdsWords(folder, words)) return "what the agent wrote is lost";
  const left = listLeft(stage);
  if (left.length > 0) return `left over: ${left.join(", ")}`;
  const hash = hashImage(folder);
  if (checked.has(hash)) return null;
  const check = await stage.check();
  if (check.code !== 0 || /error|warning/.test(check.output)) return `check ends with ${check.code}: ${check.output}`;
  checked.add(hash);
  return null;
}

export function judgeStanding(
  { before, after }: Pick<Stage, "before" | "after">,
  now: Standing,
  isTold: boolean,
): string | null {
  if (!now.journal.startsWith(before.journal)) return "P3: the journal does not go on from where it was";
  const fresh = eventsOf(now.journal.slice(before.journal.length));
  if (fresh === null) return "P3: the journal has a line that is none";
  const expected = eventsOf(after.journal.slice(before.journal.length)) ?? [];
  const states = [before.state, ...statesOf(expected)];
  if (!states.includes(now.state)) return "P1: STATE.md is neither the last accepted nor the newly accepted one";
  if (now.state !== [before.state, ...statesOf(fresh)].at(-1)) return "P1: STATE.md is not that of the journal";
  if (isTold && !now.journal.startsWith(after.journal)) return "P2: a verdict that was told is gone";
  const verdicts = fresh.filter(({ type }) => type === "verdict");
  const started = fresh.filter(({ type }) => type === "pass_started").length;
  if (verdicts.length !== started) return `P3: ${started} passes have ${verdicts.length} verdicts`;
  const legal = ["interrupted", ...expected.map(verdictOf)];
  const odd = verdicts.map(verdictOf).filter((verdict) => !legal.includes(verdict));
  if (odd.length > 0) return `P4: verdicts ${odd.join(", ")}`;
  const moves = fresh.filter(({ type }) => type === "advanced").length;
  const lines = linesOf(now.log) - linesOf(before.log);
  if (lines !== verdicts.length + moves) return `P3: ${lines} lines of log.txt for ${verdicts.length} verdicts`;
  const accepted = verdicts.map(verdictOf).filter((verdict) => verdict === "accepted").length;
  const progress = linesOf(now.progress) - linesOf(before.progress);
  return progress === accepted ? null : `P3: ${progress} lines of progress.txt for ${accepted} accepted verdicts`;
}

/** Null if a line is torn or no event. */
function eventsOf(journal: string): TaskEvent[] | null {
  if (journal !== "" && !journal.endsWith("\n")) return null;
  const events = journal.split("\n").slice(0, -1).map(parseTaskEvent);
  return events.some((event) => typeof event === "string") ? null : (events as TaskEvent[]);
}

function statesOf(events: readonly TaskEvent[]): string[] {
  return events.flatMap((event) => ("state" in event && typeof event.state === "string" ? [event.state] : []));
}

function verdictOf(event: TaskEvent): string {
  return event.type === "verdict" ? event.verdict : "none";
}

function linesOf(text: string): number {
  return text.split("\n").length - 1;
}

export function holdsWords(image: Image, words: string): boolean {
  return [...listPaths(image)].some(
    ([path, , node]) => node.kind === "file" && path.includes("T-1/") && node.bytes.includes(words),
  );
}

/** Records and half-written files that only a run in progress may have. */
function listLeft({ world, task }: Stage): string[] {
  const anchors = world.path("state", "task-phase", "tasks");
  const records = readdirSync(anchors).flatMap((anchor) =>
    ["current.json", "commit.json", "process.json"].map((name) => join(anchors, anchor, name)),
  );
  const names = readdirSync(task.taskDir, { recursive: true, encoding: "utf8" });
  return [...records.filter((path) => existsSync(path)), ...names.filter((name) => /\.tp-[0-9a-f]+\.tmp$/.test(name))];
}
