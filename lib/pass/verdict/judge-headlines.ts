import { writtenHeadlines } from "../../pages/markdown/evidence-parts.ts";
import { readHistory } from "../../rules/add-event.ts";
import type { TaskEvent } from "../../rules/events.ts";
import { headlineOf, isProven, renderProof } from "../../rules/headline.ts";
import type { TaskHistory } from "../../rules/history.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { readRegularFile } from "../../store/read-file.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";
import { shorten } from "../../text/shorten.ts";

/** As for EVIDENCE.md; SUMMARY.md is shorter. */
const maxBytes = 4 * 1024 * 1024;

/** The first line of a headline of `done` anywhere: readers do not see the comments around the runner's parts. */
const opening = /^> ?(?:\[!\w+\] )?\*\*(?=Done\b)/i;

interface ToldTask {
  readonly place: Pick<TaskPlace, "evidence" | "summary">;
  readonly history: Pick<TaskHistory, "phase" | "lastVerdict">;
  readonly journal: { readonly events: readonly TaskEvent[] };
}

/**
 * Compares `done` in EVIDENCE.md and SUMMARY.md, which people read without running a command, with the journal. An
 * error for each line that claims another proof than the runner made.
 */
export function judgeHeadlines({ place, history, journal }: ToldTask): Finding[] {
  const last = history.lastVerdict;
  const present = history.phase === "done" && last !== null ? proofLines(last) : null;
  // A reopened task keeps the report of its last `done`, which says so.
  const done = journal.events.findLastIndex((event) => event.type === "verdict" && event.to === "done");
  // With what came out once it was done.
  const told = journal.events[done + 1]?.type === "undelivered" ? done + 2 : done + 1;
  const { lastVerdict } = readHistory(journal.events.slice(0, told));
  const reported = lastVerdict === null ? null : proofLines(lastVerdict);
  return [
    ...judgeFile(place.evidence, present, `the task is in ${history.phase ?? "no phase"}`),
    ...judgeFile(place.summary, reported, "the task was never done"),
  ];
}

function judgeFile(file: string, proof: ProofLines | null, otherwise: string): Finding[] {
  const read = readRegularFile(file, maxBytes);
  if (read.kind !== "file") return [];
  const claims = listClaims(read.bytes.toString("utf8"));
  const wrong = claims.filter(({ said }) => proof === null || !proof.holds(said));
  const found = wrong.map(({ said, line }) => {
    const message = `it says '${shorten(said, 200)}', but by the journal ${proof === null ? otherwise : `it is '${proof.shown}'`}`;
    return errorFinding("TP_HEADLINE", message, { file, line, fix });
  });
  if (proof === null || claims.length > 0) return found;
  return [errorFinding("TP_HEADLINE", `it does not say what the journal does: '${proof.shown}'`, { file, fix })];
}

/** Also as a formatter wraps them. */
function listClaims(text: string): { readonly said: string; readonly line: number }[] {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const claims: { said: string; line: number }[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const from = at;
    if (!opening.test(lines[from] ?? "")) continue;
    while (lines[at]?.endsWith("**") === false && /^>\s*[^\s>]/.test(lines[at + 1] ?? "")) at += 1;
    if (lines[at]?.endsWith("**") !== true) continue;
    const words = lines.slice(from, at + 1).map((line, index) => line.replace(index === 0 ? opening : /^>\s*/, ""));
    const said = words.join(" ").slice(0, -2);
    if (!/^Done gate/i.test(said)) claims.push({ said, line: from + 1 });
  }
  return claims;
}

const fix = "take that line out if it is not the runner's, and write the pages anew: task-phase evidence";

interface ProofLines {
  readonly shown: string;
  readonly holds: (line: string) => boolean;
}

function proofLines(verdict: VerdictEvent): ProofLines {
  if (!isProven(verdict)) {
    const shown = "Done, but no proof is recorded";
    return { shown, holds: (line) => line === shown };
  }
  const { proof } = verdict;
  const shown = headlineOf(proof).text;
  const lines = new Set(writtenHeadlines(shown));
  return { shown, holds: (line) => lines.has(line) || saysMoved(line, renderProof(proof).shows) };
}

/** `task-phase evidence` adds how far the code had moved then, which claims nothing about the proof. */
function saysMoved(line: string, shows: string): boolean {
  const since = /^Done, (moved since: \d+ paths?|moved since \(.*?\)|it is not known whether .*?\))\. /.exec(line);
  if (since === null) return false;
  const rest = line.slice(since[0].length);
  const whole = writtenHeadlines(shows);
  const kept = rest.replace(/…`?$/, "");
  return whole.includes(rest) || (kept !== rest && kept !== "" && whole.some((one) => one.startsWith(kept)));
}
