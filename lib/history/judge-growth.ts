import { isFile, type TreeEntry } from "../git/list-tree.ts";
import { plural } from "../rules/wording.ts";
import { isPrefix, type JournalVersion, sharedEvents } from "./journal-chain.ts";
import type { Problem } from "./problem.ts";
import type { TaskJournals } from "./read-journals.ts";
import type { CommittedStep, TaskAt } from "./walk-tasks.ts";

/** The journal to continue, by commit, where it is not the commit's own. */
export type Bases = Map<TaskAt, JournalVersion>;

interface Growth {
  readonly version: JournalVersion | null;
  readonly problem: Pick<Problem, "severity" | "code" | "exit" | "text" | "line" | "fix"> | null;
}

const putBack =
  "restore the journal of the previous commit and remove this commit from the branch; only task-phase writes it";

/** Whether it continues a parent's journal byte for byte; else notes in `bases` what later ones may continue. */
export function judgeGrowth(step: CommittedStep, journals: TaskJournals, bases: Bases): Growth {
  const olds = step.before.map((at) => oldOf(at, journals, bases));
  const known = olds.find((old) => old !== null) ?? null;
  const fall = (version: JournalVersion | null, problem: Growth["problem"]): Growth => {
    if (known !== null) bases.set(step.now, known.version);
    return { version, problem };
  };
  const { state, journal } = step.now;
  if (journal === null) {
    // Without STATE.md too, the folder was removed: that is no move.
    const fine = state === null || olds.some((old) => old === null || !old.stands);
    return fall(null, fine ? null : wrong("REMOVED", "the journal is gone, but STATE.md is still there"));
  }
  const version = readEntry(journal, journals);
  if (typeof version === "string")
    return fall(null, unreadable("UNREADABLE", `the journal cannot be read: ${version}`));
  if (version.problem !== null) {
    const old = olds.some((one) => one?.version.problem?.text === version.problem?.text);
    const { line, text } = version.problem;
    return fall(version, old ? null : { ...unreadable("BROKEN", text), line });
  }
  if (olds.some((old) => old === null || old.versions.some((one) => isPrefix(one, version)))) {
    return { version, problem: null };
  }
  if (olds.every((old) => old?.stands === false)) return { version, problem: replaced };
  return fall(version, renderChange(known?.version ?? version, version));
}

function oldOf(at: TaskAt, journals: TaskJournals, bases: Bases) {
  const own = at.journal === null ? null : readEntry(at.journal, journals);
  // Alternatives that may be continued.
  const versions = [bases.get(at) ?? null, typeof own === "string" ? null : own].filter((one) => one !== null);
  const [version] = versions;
  if (version === undefined) return null;
  // `stands` is false if the folder was removed since.
  return { version, versions, stands: at.state !== null || at.journal !== null };
}

function readEntry(entry: TreeEntry, { versions }: TaskJournals): JournalVersion | string {
  if (!isFile(entry)) return "it is not a regular file";
  return versions.get(entry.oid) ?? "it is not in this repository";
}

function renderChange(old: JournalVersion, now: JournalVersion): Growth["problem"] {
  const shared = sharedEvents(old, now);
  const lost = old.count - shared;
  const cut = shared === now.count;
  const events = plural(lost, "event");
  const end = cut
    ? lost === 1
      ? "is gone"
      : "are gone"
    : lost === 1
      ? "was changed or removed"
      : "were changed or removed";
  const text = `the journal was ${cut ? "cut" : "rewritten"}: from line ${shared + 1} on ${events} of the previous commit ${end}`;
  return { ...wrong("REWRITTEN", `${text}; expected only lines added at its end`), line: shared + 1 };
}

const replaced: Growth["problem"] = {
  severity: "warning",
  code: "TP_HISTORY_JOURNAL_REPLACED",
  exit: "rejected",
  text: "the folder was removed earlier and is back with another journal, which is judged as a whole",
  line: 1,
  fix: "check the last state of the removed folder",
};

function wrong(code: string, text: string) {
  return {
    severity: "error" as const,
    code: `TP_HISTORY_JOURNAL_${code}`,
    exit: "rejected" as const,
    text,
    line: null,
    fix: putBack,
  };
}

function unreadable(code: string, text: string) {
  return { ...wrong(code, text), exit: "data" as const };
}
