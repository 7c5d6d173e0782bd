import type { EngineSetup } from "../fleet/engine/engine.ts";
import { readLedgerFacts } from "../fleet/ledger-facts.ts";
import type { EngineSettings } from "../fleet/read-remote.ts";
import type { FleetKeys } from "../rules/shapes/reports/fleet.ts";
import { plural } from "../rules/wording.ts";
import { formatDuration } from "../text/duration.ts";
import { TaskPhaseError } from "../text/errors.ts";
import { errorFinding, type Finding, warningFinding } from "../text/finding.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import {
  enginePlace,
  fleetPorts,
  type ReadRemotes,
  readRemotes,
  requireRemotes,
  requireSettings,
} from "./fleet-remotes.ts";
import { withSignals } from "./signals.ts";

/** With more, leases and days are those of another time than the one that people read here. */
const mostClockDifferenceMs = 5_000;

type Counted = NonNullable<FleetKeys["setup"]>["counted"];

/** `fleet setup`: makes schema, queue and tables, and counts what the journals spent if that was not done yet. */
export async function setUpFleet(context: CommandContext): Promise<CommandResult> {
  const urls = requireRemotes(context, "task-phase fleet setup");
  return await withSignals(context, async (signal) => {
    const read = await readRemotes(urls, context, signal);
    const settings = requireSettings(read);
    if (read.exitName !== null) throw new TaskPhaseError(read.exitName, read.findings);
    const { setupEngine } = await import("../fleet/engine/setup-engine.ts");
    const setup = await setupEngine(enginePlace(settings, context));
    const counted = await countLedger(setup, urls, read, settings, context, signal);
    return toResult(setup, counted);
  });
}

/** Null: the ledger was left as it is. "spent": the journals have spent something, and a count was not asked for. */
async function countLedger(
  setup: EngineSetup,
  urls: readonly string[],
  first: ReadRemotes,
  settings: EngineSettings,
  context: CommandContext,
  signal: AbortSignal,
): Promise<Counted | "spent"> {
  const isAsked = context.flags.on("rebuild");
  if (setup.rebuilt && !isAsked) return null;
  const ports = fleetPorts(context, signal);
  const before = await readLedgerFacts(first.remotes, ports);
  if (!isAsked && before.known.size + before.days.size > 0) return "spent";
  const { rebuildLedger } = await import("../fleet/engine/rebuild-ledger.ts");
  let counted: Counted = null;
  await rebuildLedger(enginePlace(settings, context), async () => {
    // Passes may have begun since the first look.
    const read = await readRemotes(urls, context, signal);
    if (read.exitName !== null) throw new TaskPhaseError(read.exitName, read.findings);
    const facts = await readLedgerFacts(read.remotes, ports);
    counted = { tasks: facts.tasks, days: facts.days.size, open: facts.open.length };
    return facts;
  });
  return counted;
}

function toResult(setup: EngineSetup, counted: Counted | "spent"): CommandResult {
  const { kind, postgres, pgBoss, node, clockDifferenceMs } = setup;
  const findings: Finding[] = [];
  if (Math.abs(clockDifferenceMs) > mostClockDifferenceMs) {
    const side = clockDifferenceMs > 0 ? "ahead of" : "behind";
    const message = `the engine's clock is ${formatDuration(Math.abs(clockDifferenceMs))} ${side} this machine's`;
    findings.push(warningFinding("TP_FLEET_CLOCK", message, { fix: "let both follow the same time servers" }));
  }
  const isOpen = counted === "spent";
  if (isOpen) {
    const message = "the journals have passes that this engine has not counted, so it grants no pass yet";
    const fix = "run task-phase fleet setup --rebuild with a --remote for each repository that uses this engine";
    findings.push(errorFinding("TP_FLEET_REBUILD", message, { fix }));
  }
  const words = { made: "made", upgraded: "brought up to this version", there: "there already" };
  const told = counted === null || isOpen ? null : counted;
  const json: FleetKeys = {
    ...{ now: null, rebuilt: !isOpen, tasks: [], differences: [], workers: [], days: [], cooldowns: [] },
    setup: { kind, postgres, pg_boss: pgBoss, node, clock_difference_ms: clockDifferenceMs, counted: told },
  };
  return {
    exitName: isOpen ? "config" : "ok",
    json,
    answer: [
      `engine: ${words[kind]} (PostgreSQL ${postgres}, pg-boss ${pgBoss}, Node ${node})`,
      ...(told === null
        ? []
        : [`ledger: counted from ${plural(told.tasks, "task")}, ${plural(told.open, "pass is", "passes are")} open`]),
    ],
    findings,
  };
}
