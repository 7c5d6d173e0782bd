import { type Branch, findSameRefs, renderSameRefs } from "../../git/task-branches.ts";
import { isHeld, nameRunner, type OpenClaim } from "../../rules/claim.ts";
import { landLine } from "../../rules/land-line.ts";
import { warningFinding } from "../../text/finding.ts";
import { type InspectedTask, withFacts } from "./inspect-task.ts";

/** `refs/heads/main` as people write it; what was fetched keeps the name of its remote. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|remotes)\//, "");
}

/** The task as claimed by the runner of its open pass, as long as the claim lasts. */
export function withClaim<Task extends InspectedTask>(task: Task, claim: OpenClaim | null, now: Date): Task {
  if (claim === null || claim.runner === null) return task;
  const { pass, until, runner } = claim;
  const who = nameRunner(runner);
  if (isHeld(claim, now)) {
    return { ...withFacts(task, { locked: true, cutOff: false }), why: `${who} holds pass ${pass} until ${until}` };
  }
  if (!task.facts.cutOff) return task;
  return { ...task, why: `the claim of ${who} to pass ${pass} ended at ${until}; the next run recovers it` };
}

/** What a task waits for may be done and only not merged yet, which a person does. */
export function withUnmerged<Task extends InspectedTask>(
  task: Task,
  tasks: readonly InspectedTask[],
  base: Branch | null,
): Task {
  if (task.standing !== "waits" || base === null) return task;
  const done = tasks.filter(({ id, phase }) => id !== null && phase === "done" && task.waitsFor.includes(id));
  if (done.length === 0) return task;
  const ids = done.map(({ id }) => `${id}`);
  const what = `${ids.join(", ")} ${ids.length === 1 ? "is" : "are"} done but not merged into ${shortRef(base.ref)}`;
  return { ...task, why: `${task.why}; ${what} ${landLine(ids)}` };
}

/** Tasks whose branches are one for some hosts and disks say so; a claimed pass refuses them. */
export function withSameRefs<Task extends InspectedTask>(tasks: readonly Task[]): readonly Task[] {
  const groups = findSameRefs(tasks.flatMap(({ id }) => id ?? []));
  if (groups.length === 0) return tasks;
  return tasks.map((task) => {
    const same = groups.find((ids) => task.id !== null && ids.includes(task.id));
    if (same === undefined) return task;
    const fix = "give each its own id; `run --claim` refuses them until then";
    return { ...task, findings: [...task.findings, warningFinding("TP_TASK_REF", renderSameRefs(same), { fix })] };
  });
}

/**
 * A function that gives tasks with places in git for the folders that they were read from. `origins`: the place of each
 * folder, all of them in `root`.
 */
export function relocator(root: string, origins: ReadonlyMap<string, string>) {
  // The longest first: the name of one folder may be the beginning of another's.
  const known = [...origins].sort(([one], [other]) => other.length - one.length);
  const say = (text: string): string => {
    if (!text.includes(root)) return text;
    return known.reduce((said, [folder, origin]) => said.replaceAll(folder, () => origin), text);
  };
  return <Task extends InspectedTask>(task: Task): Task => ({
    ...task,
    why: say(task.why),
    findings: task.findings.map((finding) => ({
      ...finding,
      message: say(finding.message),
      file: finding.file === null ? null : say(finding.file),
      fix: finding.fix === null ? null : say(finding.fix),
    })),
  });
}
