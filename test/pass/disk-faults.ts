import { tmpdir } from "node:os";
import { relative } from "node:path";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { goodRepo, type TaskCase, type TaskWorld, validator } from "../cli/task-world.ts";
import { watchDisk } from "../store/recorded-disk.ts";

export type DiskCalls = "changes" | "looks";

/** A pass of a task in this phase whose model proposes that one, in a git repo with these files, and how it ends. */
export interface FaultyPass {
  readonly phase: Parameters<TaskWorld["taskAt"]>[1];
  readonly to: string;
  readonly repo: Readonly<Record<string, string>>;
  readonly verdict: "accepted" | "redirected" | "rejected";
}

/** Checks run in the repo and in a clean copy. */
const usual: FaultyPass = { phase: "verify", to: "review", repo: goodRepo, verdict: "accepted" };

/** A fault that comes once, and how. */
export interface OneFault {
  /** The usual one without it. */
  readonly pass?: FaultyPass;
  readonly which: DiskCalls;
  readonly code: string;
  /** The call that fails: of those that count the nth, from 1. */
  readonly nth: number;
  /** Missing: all calls count; else only those that match, once the model has been called. */
  readonly call?: RegExp;
}

/** What is wrong if the fault never came. */
export const noSuchCall = "there was no such call";

/** Says of each call, in their order, whether it counts. */
function counter(which: DiskCalls, call: RegExp | undefined): (made: string) => boolean {
  let hasBegun = call === undefined;
  return (made) => {
    hasBegun ||= /^open \S+staging\/stdout\.log$/.test(made);
    const isLook = /^(?:l?stat|readdir|readlink|realpath|read) /.test(made);
    return hasBegun && isLook === (which === "looks") && call?.test(made) !== false;
  };
}

async function makeSubject(world: TaskWorld, name: string, { phase, to, repo }: FaultyPass): Promise<TaskCase> {
  const task = await world.taskAt(name, phase, { contract: [validator], repo });
  world.initRepo({}, relative(world.folder, `${task.folder}/repo`));
  task.propose({
    task: { "STATE.md": task.state().replace(/^- Phase: \w+$/m, `- Phase: ${to}`) },
    repo: { "new.txt": "new\n" },
  });
  return task;
}

/** How many calls count that one pass makes in its own folders and in that for temporary files. */
export async function countCalls(world: TaskWorld, which: DiskCalls, call?: RegExp): Promise<number> {
  const task = await makeSubject(world, `calls-${which}`, usual);
  const { calls } = await runOn(task, which, () => undefined);
  return calls.filter(counter(which, call)).length;
}

/**
 * Does a pass in which one call of the disk fails once, and the next one. What is wrong with how they ended; empty if a
 * disk error is what it says, no verdict was made of it, and the next run made the one that was due.
 */
export async function judgeFault(world: TaskWorld, fault: OneFault): Promise<string[]> {
  const { which, code, nth, call, pass = usual } = fault;
  const task = await makeSubject(world, `${pass.verdict}-${which}-${code}-${nth}`, pass);
  const due = pass.verdict === "rejected" ? 20 : 0;
  const before = task.events().length;
  const counts = counter(which, call);
  let count = 0;
  let failed: string | null = null;
  const { end } = await runOn(task, which, (made) => {
    if (!counts(made)) return;
    count += 1;
    if (count !== nth) return;
    failed = made;
    throw Object.assign(new Error(`${code}: refused`), { code, syscall: "use", path: made });
  });
  const report = end.json() as {
    findings: readonly { code: string; message: string }[];
    reason?: string;
    verdict?: string;
  };
  const added = (): TaskEvent[] => task.events().slice(before);
  const isDue = (event: TaskEvent): boolean => event.type === "verdict" && event.verdict === pass.verdict;
  const wrong: string[] = [];
  const claim = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(what);
  };
  // A fault after the verdict, or of what only saves work, changes nothing.
  if (failed === null) return [noSuchCall];
  // Of a verdict that is durable the journal may come with the next run.
  const isDone = report.verdict === pass.verdict || added().some(isDue);
  claim(end.code === 1 || (end.code === due && isDone), `exit ${end.code}: ${report.reason}`);
  if (end.code === 1)
    claim(
      report.findings.some(({ message }) => message.includes(code)),
      "no word of the disk",
    );
  const codes = report.findings.map(({ code: of, message }) => `${of} ${message}`);
  claim(!codes.some((of) => of.startsWith("TP_UNEXPECTED")), "an unexpected failure");
  if (!isDone) {
    const next = await task.run("--json");
    claim(next.code === due, `the next run: ${next.code} ${next.stdout}`);
  }
  const verdicts = added().flatMap((event) => (event.type === "verdict" ? [event.verdict] : []));
  claim(isDone || verdicts.at(-1) === pass.verdict, `not ${pass.verdict} in the end`);
  claim(
    verdicts.every((verdict) => verdict === pass.verdict || verdict === "interrupted"),
    `verdicts: ${verdicts.join(", ")}`,
  );
  return wrong.map((what) => `${code} at call ${nth}, ${failed}: ${what}; ${codes.join("; ")}`);
}

async function runOn(task: TaskCase, which: DiskCalls, fault: (call: string) => void) {
  const disk = watchDisk(tmpdir(), fault, which === "looks" ? "all" : which);
  try {
    const end = await task.run("--json");
    return { end, calls: [...disk.calls] };
  } finally {
    disk.restore();
  }
}
