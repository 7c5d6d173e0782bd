import { tmpdir } from "node:os";
import { relative } from "node:path";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { type TaskCase, type TaskWorld, validator } from "../cli/task-world.ts";
import { watchDisk } from "../store/recorded-disk.ts";

export type DiskCalls = "changes" | "looks";

/** A fault that comes once, and how. */
export interface OneFault {
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

/** A task in verify, in a git repo, whose model proposes review: checks run in the repo and in a clean copy. */
export async function makeSubject(world: TaskWorld, name: string): Promise<TaskCase> {
  const task = await world.taskAt(name, "verify", { contract: [validator] });
  world.initRepo({}, relative(world.folder, `${task.folder}/repo`));
  task.propose({
    task: { "STATE.md": task.state().replace(/^- Phase: \w+$/m, "- Phase: review") },
    repo: { "new.txt": "new\n" },
  });
  return task;
}

/** How many calls count that one pass makes in its own folders and in that for temporary files. */
export async function countCalls(world: TaskWorld, which: DiskCalls, call?: RegExp): Promise<number> {
  const task = await makeSubject(world, `calls-${which}`);
  const { calls } = await runOn(task, which, () => undefined);
  return calls.filter(counter(which, call)).length;
}

/**
 * Does a pass in which one call of the disk fails once, and the next one. What is wrong with how they ended; empty if a
 * disk error is what it says, no verdict was made of it, and the next run accepted.
 */
export async function judgeFault(world: TaskWorld, { which, code, nth, call }: OneFault): Promise<string[]> {
  const task = await makeSubject(world, `${which}-${code}-${nth}`);
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
  const isAccepted = (event: TaskEvent): boolean => event.type === "verdict" && event.verdict === "accepted";
  const wrong: string[] = [];
  const claim = (holds: boolean, what: string): void => {
    if (!holds) wrong.push(what);
  };
  // A fault after the verdict, or of what only saves work, changes nothing.
  if (failed === null) return [noSuchCall];
  // Of a verdict that is durable the journal may come with the next run.
  const accepted = report.verdict === "accepted" || added().some(isAccepted);
  claim(end.code === 1 || (end.code === 0 && accepted), `exit ${end.code}: ${report.reason}`);
  if (end.code === 1)
    claim(
      report.findings.some(({ message }) => message.includes(code)),
      "no word of the disk",
    );
  const codes = report.findings.map(({ code: of, message }) => `${of} ${message}`);
  claim(!codes.some((of) => of.startsWith("TP_UNEXPECTED")), "an unexpected failure");
  if (!accepted) {
    const next = await task.run("--json");
    claim(next.code === 0, `the next run: ${next.code} ${next.stdout}`);
  }
  const verdicts = added().flatMap((event) => (event.type === "verdict" ? [event.verdict] : []));
  claim(accepted || verdicts.at(-1) === "accepted", "not accepted in the end");
  claim(
    verdicts.every((verdict) => verdict === "accepted" || verdict === "interrupted"),
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
