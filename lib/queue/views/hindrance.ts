import { resolve } from "node:path";
import { judgeChecks, readyPlace } from "../../checks/require-ready.ts";
import { activeLoopFile } from "../../documents/ralph-loop.ts";
import { judgeCosts } from "../../pass/budget/money.ts";
import { readRootUsage } from "../../pass/budget/root-usage.ts";
import { expectedOf, isSet, nextUtcMidnight, renderSpent } from "../../pass/budget/task-budgets.ts";
import { type Budget, findSpent, type Usage } from "../../rules/budgets.ts";
import type { Hindered } from "../../rules/standing-facts.ts";
import { findRepo } from "../../task/load-contract.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { isTrusted, trustCommand, trustFix, untrusted } from "../../task/trust.ts";
import { catchForeseen, orIfForeseen } from "../../text/attempt.ts";
import { quoteWord } from "../../text/shell-words.ts";
import type { InspectedTask, InspectPorts } from "./inspect-task.ts";
import { newestEvents, type RootView, usageBeside } from "./root-view.ts";

/**
 * Looks whether a runnable task is hindered by what no file of it says: the models, programs, the day's budget, another
 * loop. For who reads; a run finds it out itself. The tasks that one of these is asked for are of one root, whose day
 * is added up once, and what many of them have in common is looked at once.
 */
export function watchHindrances(ports: InspectPorts): (task: InspectedTask) => Hindered | null {
  const now = ports.now();
  let day: Usage | null = null;
  const trusted = new Map<string, boolean>();
  const repoOf = watchRepos(ports);
  const inRepo = watchTaskHindrances(ports, repoOf);
  return (task) => {
    const { contract, models, callsModel } = task;
    if (!callsModel || contract === null) return null;
    const { tasksRoot } = task.place;
    const isOurs = trusted.get(tasksRoot) ?? isTrusted(tasksRoot, ports);
    trusted.set(tasksRoot, isOurs);
    if (!isOurs) return { why: `${untrusted}; ${trustFix(tasksRoot)}`, mend: trustCommand(tasksRoot), until: null };
    // In the order of a run.
    const ofTask = inRepo(task);
    if (ofTask !== null) return ofTask;
    const noRepo = repoOf(task) === null ? whyNoRepo(task, contract, ports) : null;
    if (noRepo !== null) return { why: noRepo, until: null };
    if (models.unavailable !== null) return { why: models.unavailable, mend: "task-phase doctor", until: null };
    const [costs] = judgeCosts(task, contract, contract.config.models, false);
    if (costs !== undefined) {
      const mend = `task-phase run ${quoteWord(task.facts.name)} --dry-run`;
      return { why: `${costs.message}; ${costs.fix}`, mend, until: null };
    }
    return findDayHindrance(task, contract, () => (day ??= usageOfDay(task, ports.view, now)), now);
  };
}

type Loaded = NonNullable<InspectedTask["contract"]>;

/** The next run has to name one with --repo. */
function whyNoRepo({ place }: InspectedTask, { contract }: Loaded, ports: InspectPorts): string | null {
  return catchForeseen(
    () => findRepo(place, contract, null, ports) && null,
    ({ message, findings: [finding] }) => (finding === undefined ? message : `${finding.message}; ${finding.fix}`),
  );
}

/** Only what is wrong with the task and its repo: a board is also read by who runs nothing here. */
export function watchTaskHindrances(
  ports: InspectPorts,
  repoOf = watchRepos(ports),
): (task: InspectedTask) => Hindered | null {
  const inRepo = watchRepoHindrances(ports, repoOf);
  return (task) => {
    const { callsModel, contract, facts } = task;
    if (facts.hindered !== null || contract === null || !callsModel) return facts.hindered;
    const why = inRepo(task, contract);
    return why === null ? null : { why, until: null };
  };
}

function watchRepoHindrances(
  ports: InspectPorts,
  repoOf: ReturnType<typeof watchRepos>,
): (task: InspectedTask, loaded: Loaded) => string | null {
  const loops = new Map<string, string | null>();
  const missing = watchMissing(ports);
  return (task, loaded) => {
    // The next run may name one with --repo.
    const repo = repoOf(task);
    if (repo === null) return null;
    const problem = missing(task, loaded, repo);
    if (problem !== null) return problem;
    const other = loops.has(repo) ? (loops.get(repo) ?? null) : activeLoopFile(repo);
    loops.set(repo, other);
    return other === null ? null : `another loop is active in the repo: ${other}`;
  };
}

/** The first check that cannot start. Contracts that share their checks have one look in common. */
function watchMissing(ports: InspectPorts): (task: InspectedTask, loaded: Loaded, repo: string) => string | null {
  const seen = new Map<string, { readonly scenarios: unknown; readonly why: string | null }>();
  const keys = new Map<unknown, number>();
  return ({ place, history }, loaded, repo) => {
    const { validators, scenarios, heldOut } = loaded.contract;
    const judge = () => judgeChecks(loaded, readyPlace(place, history.lastPass), repo, ports.env)[0]?.message ?? null;
    if (heldOut.length > 0) return judge();
    keys.set(validators, keys.get(validators) ?? keys.size);
    const key = `${keys.get(validators)} ${repo}`;
    const known = seen.get(key);
    if (known?.scenarios === scenarios) return known.why;
    const why = judge();
    seen.set(key, { scenarios, why });
    return why;
  };
}

/** Each task counts where it is newest. */
function usageOfDay({ place }: InspectedTask, view: RootView | undefined, now: Date): Usage {
  const { tasksRoot, name, journal } = place;
  const others = view !== undefined && { otherUsage: () => usageBeside(tasksRoot, name, view) };
  const own = { events: newestEvents(view, name, journal) };
  return readRootUsage(place, own, null, { now: () => now, ...others }).day;
}

/** Hindered only if no model that may be called fits into what the day has left. */
function findDayHindrance(task: InspectedTask, { config }: Loaded, day: () => Usage, now: Date): Hindered | null {
  const limits = config.budget.day;
  if (!isSet(limits)) return null;
  const budget: Budget = { scope: "day", limits, used: day() };
  const cooling = task.models.cooldowns.map(({ model }) => model);
  const calls = config.models
    .filter(({ name }) => !cooling.includes(name))
    .map((model) => ({ name: model.name, spent: findSpent([budget], expectedOf(task, model, 1))[0] }));
  const [first] = calls;
  if (first?.spent === undefined || calls.some(({ spent }) => spent === undefined)) return null;
  return { why: renderSpent(first.spent, first.name), until: nextUtcMidnight(now) };
}

type InRepo = Pick<InspectedTask, "place" | "contract" | "hasGit">;

/**
 * The repo that a run of the task would use without `--repo`; null if none is found, or the brief cannot be read. Tasks
 * of one root that name one folder share the look-up.
 */
export function watchRepos(ports: Pick<PassPorts, "env" | "home" | "cwd">): (task: InRepo) => string | null {
  const seen = new Map<string, string | null>();
  const keys = new Map<string, string | null>();
  return (task) => {
    if (task.contract === null) return null;
    const key = sharedKey(task, keys);
    const known = key === null ? undefined : seen.get(key);
    if (known !== undefined) return known;
    const repo = find(task, ports);
    if (key !== null) seen.set(key, repo);
    return repo;
  };
}

/**
 * Null if the answer may be another one for another task: a repo must not be inside the folder of its task. `keys`:
 * those that the same words have given before.
 */
function sharedKey({ place, contract, hasGit }: InRepo, keys: Map<string, string | null>): string | null {
  const named = contract?.contract.repo ?? null;
  if (named === null) return hasGit ? null : `\0${place.tasksRoot}`;
  // From the folder above on, every task of the root means the same by it.
  const words = named.startsWith("../") ? `${place.tasksRoot}\0${named}` : null;
  const known = words === null ? undefined : keys.get(words);
  if (known !== undefined) return known;
  const path = resolve(place.taskDir, named);
  const key = path.startsWith(place.tasksRoot) ? null : path;
  if (words !== null) keys.set(words, key);
  return key;
}

function find({ place, contract }: InRepo, ports: Pick<PassPorts, "env" | "home" | "cwd">): string | null {
  if (contract === null) return null;
  return orIfForeseen(() => findRepo(place, contract.contract, null, ports), null);
}
