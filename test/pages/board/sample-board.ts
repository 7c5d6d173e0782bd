import type { BoardInput } from "../../../lib/pages/board/groups.ts";
import type { BoardQuestion, BoardTask } from "../../../lib/pages/board/input.ts";
import { makeRow } from "../../../lib/pages/board/rows.ts";

const files = { state: true, evidence: true, page: false, decisions: false };

export const ask: BoardQuestion = {
  id: "Q1",
  title: "Which encoding?",
  question: "Which encoding does the export have?",
  options: "UTF-8, Latin-1",
  safeDefault: "UTF-8",
  end: "until 2026-11-21T19:00:00.000Z, then its safe default is taken",
};

/** A task that can run, changed as the test wants. */
export function boardTask(id: string, changes: Partial<BoardTask> = {}): BoardTask {
  return {
    folder: `${id}-work`,
    id,
    title: `Work of ${id}`,
    standing: "runnable",
    why: "a pass in implement comes next",
    who: "runner",
    tone: "working",
    phase: "implement",
    lastVerdict: { pass: 3, verdict: "accepted", reason: "every gate holds" },
    movedAt: "2026-11-20T10:00:05.000Z",
    passes: 3,
    spend: { knownUsd: 1.2, unknownPasses: 0, tokens: 45_210, timeMs: 90_000 },
    blockers: "none",
    questions: [],
    editUrl: null,
    dependsOn: [],
    problems: [],
    files,
    hosted: null,
    ...changes,
  };
}

export function done(id: string, changes: Partial<BoardTask> = {}): BoardTask {
  return boardTask(id, {
    standing: "done",
    who: "nobody",
    tone: "good",
    phase: "done",
    why: "proven by the runner",
    ...changes,
  });
}

export function asking(id: string, changes: Partial<BoardTask> = {}): BoardTask {
  return boardTask(id, {
    standing: "asks",
    who: "person",
    tone: "asking",
    phase: "needs_user_decision",
    why: "Q1 Which encoding? (DECISIONS.md:3; until 2026-11-21T19:00:00.000Z, then its safe default is taken)",
    questions: [ask],
    files: { ...files, decisions: true },
    ...changes,
  });
}

/** One task of each kind, with a circle and a dependency that nobody knows. */
export const sampleTasks: readonly BoardTask[] = [
  done("T-1", { movedAt: "2026-11-18T10:00:05.000Z", files: { ...files, page: true } }),
  boardTask("T-2", { dependsOn: ["T-1"] }),
  asking("T-3", { dependsOn: ["T-1"], spend: { knownUsd: null, unknownPasses: 3, tokens: 0, timeMs: 0 } }),
  boardTask("T-4", {
    ...{
      standing: "waits",
      who: "tasks",
      tone: "quiet",
      phase: "intake",
      why: "waits for T-2, T-3",
      dependsOn: ["T-2", "T-3"],
    },
    ...{
      lastVerdict: null,
      movedAt: null,
      passes: 0,
      spend: { knownUsd: null, unknownPasses: 0, tokens: 0, timeMs: 0 },
    },
  }),
  boardTask("T-5", {
    ...{ standing: "waits", who: "person", tone: "stopped", dependsOn: ["T-99", "T-2"] },
    ...{ why: "T-5 depends on T-99, and no readable task folder in tasks/ has that id" },
  }),
  boardTask("T-6", {
    ...{ standing: "blocked", phase: "blocked", who: "person", tone: "stopped" },
    ...{ why: "the staging database is gone", blockers: "the staging database is gone" },
    lastVerdict: { pass: 7, verdict: "rejected", reason: "tests failed" },
  }),
  boardTask("T-7", {
    standing: "waits",
    who: "person",
    tone: "stopped",
    why: "a circle: T-7, T-8",
    dependsOn: ["T-8"],
  }),
  boardTask("T-8", {
    standing: "waits",
    who: "person",
    tone: "stopped",
    why: "a circle: T-8, T-7",
    dependsOn: ["T-7"],
  }),
  boardTask("x", {
    ...{
      id: null,
      folder: "T-9-broken",
      title: null,
      phase: null,
      standing: "unreadable",
      who: "person",
      tone: "stopped",
    },
    ...{ why: "unknown key `validatrs`", problems: ["unknown key `validatrs`", "the title is missing"] },
    ...{
      lastVerdict: null,
      movedAt: null,
      passes: 0,
      spend: { knownUsd: null, unknownPasses: 0, tokens: 0, timeMs: 0 },
    },
  }),
  boardTask("T-10", { standing: "paused", who: "person", tone: "quiet", why: "a person paused it in CONTROL.md" }),
  boardTask("T-11", { standing: "running", why: "a runner holds it", phase: "verify", dependsOn: ["T-4"] }),
];

/** Each task of a sample is whole already. */
const rowOf: BoardInput["rowOf"] = (task) => makeRow(task as BoardTask);

export function sampleBoard(changes: Partial<BoardInput> = {}): BoardInput {
  return { root: "tasks", at: "2026-11-21T18:00:00.000Z", tasks: sampleTasks, rowOf, ...changes };
}

/** That many tasks, each with the one before as its dependency, where `chained` says so. */
export function manyTasks(
  count: number,
  chained: boolean,
  changes: (index: number) => Partial<BoardTask> = () => ({}),
) {
  return Array.from({ length: count }, (_, index) => {
    const dependsOn = chained && index > 0 ? [`T-${index - 1}`] : [];
    return boardTask(`T-${index}`, { dependsOn, ...changes(index) });
  });
}
