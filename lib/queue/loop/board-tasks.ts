import type { BoardTask, BriefTask } from "../../pages/board/input.ts";
import { type HostedTask, locateDecisions, locateEvidence } from "../../pass/checkpoint/hosted.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { InspectedTask } from "../views/inspect-task.ts";

/**
 * The tasks of a root as a board shows them, one at a time. Git says where the evidence is on a host; no network. `tasks`
 * is gone through twice, so that not all of them are held at once.
 */
export async function toBoardTasks(
  tasks: Iterable<InspectedTask>,
  ports: Pick<PassPorts, "env">,
): Promise<Iterable<BoardTask>> {
  const [known, asking]: [HostedTask[], HostedTask[]] = [[], []];
  for (const { place, contract, hasPage, hasGit, asked } of tasks) {
    if (contract === null) continue;
    const hosted = { place, config: contract.config, hasPage, hasGit };
    known.push(hosted);
    if (asked.length > 0) asking.push(hosted);
  }
  const located = await locateEvidence(known, ports);
  const editors = await locateDecisions(asking, ports);
  return (function* describeEach() {
    for (const task of tasks) {
      const { taskDir } = task.place;
      const link = located.get(taskDir)?.link ?? null;
      const hosted = link === null ? null : { href: link.url, note: link.label };
      yield toBoardTask(task, hosted, editors.get(taskDir) ?? null);
    }
  })();
}

export function toBriefTask(task: InspectedTask): BriefTask {
  const { place, told, standing, who, tone, history } = task;
  return {
    folder: place.name,
    id: told?.id ?? null,
    standing,
    who,
    tone,
    movedAt: waitsSince(task) ?? task.movedAt,
    passes: Object.values(history.started).reduce((sum, count) => sum + count, 0),
    spend: history.spend,
    dependsOn: told?.dependsOn ?? none,
  };
}

const none: readonly never[] = [];

function toBoardTask(task: InspectedTask, hosted: BoardTask["hosted"], editUrl: string | null): BoardTask {
  const { place, history } = task;
  const last = history.lastVerdict;
  // A board is read elsewhere, where the folders of this machine say nothing.
  const plain = (text: string) => text.replaceAll(`${place.tasksRoot}/`, "");
  return {
    ...toBriefTask(task),
    title: task.told?.title ?? null,
    why: plain(task.why),
    tone: task.tone,
    phase: task.phase,
    lastVerdict: last === null ? null : { pass: last.pass, verdict: last.verdict, reason: last.reason },
    blockers: task.blockers ?? "",
    questions: task.asked.map(({ id, title, question, options, safeDefault, end }) => ({
      ...{ id, title, question, options, safeDefault },
      end: plain(end),
    })),
    editUrl,
    problems: task.findings.filter(({ severity }) => severity === "error").map(({ message }) => plain(message)),
    files: { state: task.hasState, evidence: task.hasEvidence, page: task.hasPage, decisions: task.hasDecisions },
    hosted,
  };
}

function waitsSince({ standing, asked, history }: InspectedTask): string | null {
  if (standing !== "asks") return null;
  return asked.flatMap(({ id }) => history.askedAt[id] ?? []).sort()[0] ?? null;
}
