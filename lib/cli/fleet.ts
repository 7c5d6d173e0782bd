import { keyOf } from "../fleet/choose-jobs.ts";
import type { EngineStanding, Hold, JobStanding } from "../fleet/engine/engine.ts";
import { type Difference, findDifferences } from "../fleet/find-differences.ts";
import type { FleetRemote } from "../fleet/read-remote.ts";
import type { BranchTask } from "../queue/views/inspect-branches.ts";
import type { Usage } from "../rules/budgets.ts";
import type { FleetKeys } from "../rules/shapes/reports/fleet.ts";
import { dollars } from "../rules/spend.ts";
import { plural } from "../rules/wording.ts";
import { compact } from "../text/compact.ts";
import { usageError } from "../text/errors.ts";
import { renderKnownNames } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { connect, readRemotes, requireRemotes, requireSettings } from "./fleet-remotes.ts";
import { type Line, paint, titledColumns } from "./paint.ts";
import { withSignals } from "./signals.ts";

const acts = ["status", "setup"] as const;

/** `fleet status`: git beside the engine. `fleet setup`: makes the engine ready, and counts its ledger anew. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const given = context.flags.text("act");
  const act = acts.find((name) => name === given);
  if (act === undefined) {
    const what = given === null ? "fleet needs the word status or setup" : `unknown word '${shorten(given)}'`;
    throw usageError("TP_USAGE_FLEET", what, { fix: renderKnownNames(given ?? "", acts, "it is one of") });
  }
  if (act === "setup") return await (await import("./fleet-setup.ts")).setUpFleet(context);
  if (context.flags.on("rebuild"))
    throw usageError("TP_USAGE_FLEET", "--rebuild is only for setup", {
      fix: "write task-phase fleet setup --rebuild",
    });
  return await showFleet(context);
}

/** `fleet status`: each task as git has it, beside its job, its lease and its holds in the engine. */
async function showFleet(context: CommandContext): Promise<CommandResult> {
  const urls = requireRemotes(context, "task-phase fleet status");
  return await withSignals(context, async (signal) => {
    const read = await readRemotes(urls, context, signal);
    const engine = await connect(requireSettings(read), context);
    try {
      const standing = await engine.standing();
      const differences = findDifferences(read.remotes, standing);
      return {
        exitName: read.exitName ?? "ok",
        json: toFleetKeys(read.remotes, standing, differences),
        answer: [...showTasks(read.remotes, standing), ...showEngine(standing), ...showDifferences(differences)],
        findings: read.findings,
      };
    } finally {
      await engine.close();
    }
  });
}

function toFleetKeys(
  remotes: readonly FleetRemote[],
  standing: EngineStanding,
  differences: readonly Difference[],
): FleetKeys {
  const { now, rebuilt, jobs, holds, workers, days, cooldowns } = standing;
  const byKey = new Map(jobs.map((one) => [keyOf(one.job), one]));
  return {
    now: now.toISOString(),
    rebuilt,
    tasks: remotes.flatMap(({ url, repo, tasks }) =>
      tasks.map((task) => {
        const key = keyOf({ repo, task: task.id ?? "" });
        return {
          ...{ task: task.id, url, phase: task.phase, standing: task.standing, why: task.why },
          attempt: task.claim?.runner?.attempt ?? null,
          job: toJobKeys(byKey.get(key)),
          holds: holds.filter((hold) => keyOf(hold) === key).map(toHoldKeys),
        };
      }),
    ),
    differences: [...differences],
    workers: workers.map(({ name, slots, seen, alive }) => ({ name, slots, seen: seen.toISOString(), alive })),
    days: days.map(({ day, spent, held }) => ({ day, spent: toUsageKeys(spent), held: toUsageKeys(held) })),
    cooldowns: [...cooldowns].map(([account, { until, reason }]) => ({ account, until: until.toISOString(), reason })),
    setup: null,
  };
}

function toJobKeys(found: JobStanding | undefined): FleetKeys["tasks"][number]["job"] {
  if (found === undefined) return null;
  const { state, due, deliveries, why, lease } = found;
  const held = lease === null ? null : { ...lease, until: lease.until.toISOString() };
  return { state, due: due.toISOString(), deliveries, why, lease: held };
}

function toHoldKeys({ attempt, pass, account, estimate, at, alive }: Hold) {
  return { attempt, pass, account, estimate: toUsageKeys(estimate), at: at.toISOString(), alive };
}

function toUsageKeys({ passes, moneyUsd, tokens, timeMs }: Usage) {
  return { passes, money_usd: moneyUsd, tokens, time_ms: timeMs };
}

function showTasks(remotes: readonly FleetRemote[], { jobs }: EngineStanding): Line[] {
  const byKey = new Map(jobs.map((one) => [keyOf(one.job), one]));
  const row = (repo: string, task: BranchTask): string[] => {
    const job = byKey.get(keyOf({ repo, task: task.id ?? "" }));
    const why = job?.state === "waiting" && job.why !== null ? `put back: ${job.why}` : task.why;
    return [task.id ?? task.place.name, task.phase ?? "-", task.standing, renderJob(job), why];
  };
  const rows = remotes.flatMap(({ repo, tasks }) => tasks.map((task) => row(repo, task)));
  return titledColumns(["task", "phase", "standing", "job", "why"], rows);
}

function renderJob(job: JobStanding | undefined): string {
  if (job === undefined) return "-";
  if (job.lease !== null) return `leased by ${job.lease.worker}`;
  return job.state === "waiting" ? `waits until ${job.due.toISOString()}` : "queued";
}

function showEngine({ rebuilt, workers, days, cooldowns, holds }: EngineStanding): Line[] {
  const [today] = days;
  const living = workers.filter(({ alive }) => alive);
  const slots = living.reduce((sum, one) => sum + one.slots, 0);
  return compact([
    `workers: ${living.length} with ${plural(slots, "slot")}`,
    today !== undefined &&
      `${today.day}: ${plural(today.spent.passes, "pass", "passes")} and ${dollars(today.spent.moneyUsd)} spent, ${dollars(today.held.moneyUsd)} held for ${plural(holds.length, "pass", "passes")}`,
    ...[...cooldowns].map(
      ([account, { until, reason }]) => `${account} cools down until ${until.toISOString()}: ${reason}`,
    ),
    ...(rebuilt
      ? []
      : ["no pass is granted until task-phase fleet setup --rebuild has counted the spending in the journals"]),
  ]);
}

function showDifferences(differences: readonly Difference[]): Line[] {
  if (differences.length === 0) return ["git and the engine agree"];
  return differences.map(({ kind, task, why }) => [paint("warn", kind), `${task === null ? "" : ` ${task}`}: ${why}`]);
}
