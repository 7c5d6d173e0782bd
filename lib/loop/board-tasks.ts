import type { PassPorts } from "../anchor/ports.ts";
import type { BoardTask, BriefTask } from "../board/input.ts";
import { locateDecisions, locateEvidence } from "../keep/hosted.ts";
import type { InspectedTask } from "../upkeep/inspect-task.ts";

/** The tasks of a root as a board shows them. Git says where the evidence is on a host; no network. */
export async function describeTasks(
  tasks: readonly InspectedTask[],
  ports: Pick<PassPorts, "env">,
): Promise<BoardTask[]> {
  const known = tasks.flatMap(({ place, contract, hasPage, hasGit }) =>
    contract === null ? [] : [{ place, config: contract.config, hasPage, hasGit }],
  );
  const located = await locateEvidence(known, ports);
  const asking = new Set(tasks.filter(({ asked }) => asked.length > 0).map(({ place }) => place));
  const editors = await locateDecisions(
    known.filter(({ place }) => asking.has(place)),
    ports,
  );
  return tasks.map((task) => {
    const { taskDir } = task.place;
    const link = located.get(taskDir)?.link ?? null;
    return describe(task, link === null ? null : { href: link.url, note: link.label }, editors.get(taskDir) ?? null);
  });
}

export function describeBriefly(task: InspectedTask): BriefTask {
  const { place, told, standing, who, history } = task;
  return {
    folder: place.name,
    id: told?.id ?? null,
    standing,
    who,
    movedAt: waitsSince(task) ?? task.movedAt,
    passes: history.lastPass,
    spend: history.spend,
    dependsOn: told?.dependsOn ?? none,
  };
}

const none: readonly never[] = [];

function describe(task: InspectedTask, hosted: BoardTask["hosted"], editUrl: string | null): BoardTask {
  const { place, history } = task;
  const last = history.lastVerdict;
  // A board is read elsewhere, where the folders of this machine say nothing.
  const plain = (text: string) => text.replaceAll(`${place.tasksRoot}/`, "");
  return {
    ...describeBriefly(task),
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
