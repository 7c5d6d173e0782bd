import type { FleetConfig } from "../documents/config/fleet-schema.ts";
import { type GitObjects, openObjects } from "../git/objects.ts";
import type { BranchTask } from "../queue/views/inspect-branches.ts";
import { addUsage, noUsage, type Usage } from "../rules/budgets.ts";
import { readAttempts } from "../rules/claim.ts";
import type { TaskEvent } from "../rules/events.ts";
import { readUsage } from "../rules/usage.ts";
import { maxJournalBytes, parseTaskJournal } from "../task/records/task-journal.ts";
import { orIfForeseen } from "../text/attempt.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { errorFinding } from "../text/finding.ts";
import { accountOf } from "./choose-jobs.ts";
import type { HeldCall, LedgerFacts } from "./engine/engine.ts";
import type { FleetPorts, FleetRemote } from "./read-remote.ts";

/** What the journals of all tasks of these remotes say. Throws a data error that names each journal that cannot be read. */
export async function readLedgerFacts(
  remotes: readonly FleetRemote[],
  ports: FleetPorts,
): Promise<LedgerFacts & { readonly tasks: number }> {
  const facts = { days: new Map<string, Usage>(), open: [] as HeldCall[], known: new Set<string>() };
  const unread: string[] = [];
  let tasks = 0;
  for (const remote of remotes) {
    unread.push(...remote.tasks.filter(({ id }) => id === null).map(({ place }) => place.name));
    for (const { task, events } of await readJournalsOf(remote, () => true, ports)) {
      if (events === null) unread.push(task);
      else addTask(facts, { repo: remote.repo, task, fleet: remote.config.fleet }, events);
      tasks += 1;
    }
  }
  if (unread.length === 0) return { ...facts, tasks };
  const message = (name: string) => `what ${name} has spent cannot be counted: its journal cannot be read`;
  const fix = "task-phase check --history --git on a clone shows what is wrong";
  const findings = unread.map((name) => errorFinding("TP_FLEET_JOURNAL", message(name), { fix }));
  throw new TaskPhaseError("data", findings);
}

function addTask(
  { days, open, known }: { days: Map<string, Usage>; open: HeldCall[]; known: Set<string> },
  { repo, task, fleet }: { readonly repo: string; readonly task: string; readonly fleet: FleetConfig | null },
  events: readonly TaskEvent[],
): void {
  const attempts = readAttempts(events);
  for (const { attempt } of attempts) known.add(attempt);
  const unfinished = new Set(attempts.filter(({ used }) => used === null).map(({ pass }) => pass));
  // What the reviewers of an open pass cost is settled with it.
  const isOpen = (event: TaskEvent) => event.type === "reviewed" && unfinished.has(event.pass);
  const whole = readUsage(events);
  const settled = readUsage(events.filter((event) => !isOpen(event)));
  for (const [day, used] of settled.days) days.set(day, addUsage(days.get(day) ?? noUsage, used));
  const reviews = sumOf(whole.days) - sumOf(settled.days);
  for (const { attempt, pass } of attempts.filter(({ used }) => used === null)) {
    const begun = events.findLast((event): event is Begun => isBegun(event) && event.runner?.attempt === attempt);
    // Without a model a pass uses nothing of an account.
    if (begun === undefined || begun.model === null) continue;
    const moneyUsd = (begun.estimate_usd ?? 0) + reviews;
    const estimate = { passes: 1, moneyUsd, tokens: whole.underWay?.tokens ?? 0, timeMs: 0 };
    const account = accountOf(begun.model, fleet).name;
    open.push({ attempt, repo, task, pass, account, estimate, at: new Date(begun.at) });
  }
}

type Begun = Extract<TaskEvent, { type: "pass_started" | "claimed" }>;

function isBegun(event: TaskEvent): event is Begun {
  return event.type === "pass_started" || event.type === "claimed";
}

function sumOf(days: ReadonlyMap<string, Usage>): number {
  return [...days.values()].reduce((sum, { moneyUsd }) => sum + moneyUsd, 0);
}

interface TaskEvents {
  readonly task: string;
  /** None if there is no journal; null if it cannot be read. */
  readonly events: readonly TaskEvent[] | null;
}

export async function readJournalsOf(
  { place, tasks }: Pick<FleetRemote, "place" | "tasks">,
  isWanted: (task: string) => boolean,
  { env }: Pick<FleetPorts, "env">,
): Promise<TaskEvents[]> {
  const wanted = tasks.filter(({ id }) => id !== null && isWanted(id));
  if (wanted.length === 0) return [];
  const objects = await openObjects(place, env);
  try {
    const read: TaskEvents[] = [];
    for (const task of wanted) read.push({ task: task.id ?? "", events: await readEvents(task, objects) });
    return read;
  } finally {
    objects.close();
  }
}

async function readEvents({ readAt }: BranchTask, objects: GitObjects): Promise<readonly TaskEvent[] | null> {
  // A line break would end the question to git.
  if (readAt === null || readAt.path.includes("\n")) return null;
  return await readEventsAt(objects, `${readAt.commit}:${readAt.path}/artifacts/journal.jsonl`);
}

/** The events of the journal that git has under this name; none if there is no such file, null if it cannot be read. */
export async function readEventsAt(objects: GitObjects, name: string): Promise<readonly TaskEvent[] | null> {
  const object = await objects.read(name, maxJournalBytes);
  if (object.kind !== "blob") return object.kind === "missing" ? [] : null;
  return orIfForeseen(() => parseTaskJournal(object.bytes, name).events, null);
}
