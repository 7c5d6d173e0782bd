import { withPlainEnds } from "../../documents/brief.ts";
import { readOptionalFile } from "../../documents/read-task-file.ts";
import { readState } from "../../documents/state.ts";
import { isFilled } from "../../rules/state-view.ts";
import type { TaskSession } from "../../task/session.ts";
import { readKeptBrief } from "./settle-state.ts";

/** A person's change of what the brief wants, that nothing has answered yet. */
export interface OpenBrief {
  /** The first digits of the digest of the brief as it is now. */
  readonly mark: string;
  /** The lines that differ since the frame was stated, as `-` and `+`; null if the earlier brief is not known. */
  readonly diff: string | null;
}

interface Change {
  readonly was: string;
  readonly now: string;
  readonly frame: string;
}

/**
 * The changes since the objective was stated, taken together. Answered by another Objective or Done gate, or by a line
 * `Brief MARK: why` in STATE.md. `proposed`: the whole STATE.md of a proposal.
 */
export function findOpenBrief({ place, journal }: TaskSession, proposed: string | null = null): OpenBrief | null {
  let open = null as Change | null;
  // What changed before anybody worked by the brief needs no answer.
  let isRead = false;
  for (const event of journal.events) {
    if (event.type === "pass_started") isRead = true;
    if (event.type === "brief_changed") {
      if (!isRead) continue;
      const isWish = event.keys?.some((key) => key === "text" || key === "title") === true;
      const frame = isWish ? frameIn(event.state) : null;
      if (frame !== null)
        open = { was: open?.was ?? event.was, now: event.contract_sha256, frame: open?.frame ?? frame };
    } else if (open !== null && "state" in event && event.state !== null && answers(open, event.state)) open = null;
  }
  if (open === null || (proposed !== null && answers(open, proposed))) return null;
  const was = readKeptBrief(place, open.was);
  // A preview keeps no copy.
  const now = readKeptBrief(place, open.now) ?? readOptionalFile(place.readme)?.toString("utf8") ?? null;
  return { mark: markOf(open), diff: was === null || now === null ? null : diffLines(was, now) };
}

function markOf({ now }: Change): string {
  return now.slice(0, 8);
}

/** Null before an objective is stated: the pass that states it reads the brief as it is. */
function frameIn(state: string): string | null {
  const read = readState(Buffer.from(state), "STATE.md");
  if (read.kind !== "state") return null;
  const { fields } = read.document.view;
  return isFilled("objective", fields.objective) ? JSON.stringify([fields.objective, fields.done_gate]) : null;
}

function answers(change: Change, state: string): boolean {
  const said = new RegExp(`^\\W*brief ${markOf(change)}\\W*:.*\\p{L}{2}`, "imu");
  return said.test(state) || (frameIn(state) ?? change.frame) !== change.frame;
}

/** What is between the first and the last line that differ. */
function diffLines(was: string, now: string): string {
  const linesOf = (text: string) => withPlainEnds(text).trimEnd().split("\n");
  const [before, after] = [linesOf(was), linesOf(now)];
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let same = 0;
  const most = Math.min(before.length, after.length) - start;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  const gone = before.slice(start, before.length - same).map((line) => `-${line}`);
  const added = after.slice(start, after.length - same).map((line) => `+${line}`);
  return [...gone, ...added].join("\n");
}
