import { isAbsolute } from "node:path";
import type { LoopWatch } from "../loop/loop-request.ts";
import { dollars } from "../machine/spend.ts";
import type { Finding } from "../report/finding.ts";
import type { PassReport } from "../task/request.ts";
import { formatDuration } from "../text/duration.ts";
import type { CommandContext } from "./command.ts";
import { type LivePass, livePass } from "./live-pass.ts";
import { paint, piecesOf } from "./paint.ts";
import { findingLine } from "./render.ts";
import { showAsks } from "./show-asks.ts";
import { describeStory } from "./show-pass.ts";
import { show } from "./show-path.ts";

/** A wait that is longer is told in a log, too. */
const longestSilenceMs = 60_000;

/** On a terminal a line that moves; elsewhere one line a pass, and nothing if nothing happened. */
export function watchLoop(context: CommandContext): LoopWatch & Pick<LivePass, "ports" | "stop"> & { told: Finding[] } {
  const told: Finding[] = [];
  const waits = new Set<string>();
  const { ports, say, stop } = livePass(context);
  return {
    told,
    ports,
    stop,
    ended(report) {
      stop();
      if (!didSomething(report)) return;
      const [first = "", ...rest] = describeStory(report, context.cwd);
      const spent = report.verdict === null ? "" : describeSpent(report);
      context.tell([paint("heading", report.task ?? ""), "  ", ...piecesOf(first), spent]);
      if (context.verbose) for (const line of rest) context.tell(line);
      // Now, and behind the pass that they are about: a night may end without an end.
      for (const finding of report.findings) context.tell(findingLine(asTyped(finding, context)));
      told.push(...report.findings);
    },
    waiting(until, reason, asking) {
      const text = `waiting until ${until.toISOString()}: ${reason}`;
      const isLong = until.getTime() - context.now().getTime() > longestSilenceMs;
      // A log, too: whoever reads it, or called the loop, would see a process that hangs.
      const tells = context.verbose || (!context.live && isLong && !waits.has(text));
      waits.add(text);
      stop();
      if (tells) context.tell(text);
      if (tells || context.live) {
        const tasks = asking.map((task) => ({ ...task, editUrl: null }));
        for (const line of showAsks(tasks, context.cwd)) context.tell(line);
      }
      say(text);
    },
  };
}

/** A pass, or a change of the task without one: a stop by the runner, an edit that was judged, a command obeyed. */
function didSomething({ verdict, details: { noted } }: PassReport): boolean {
  return verdict !== null || noted > 0;
}

/** The path as in the other lines of the story. */
function asTyped(finding: Finding, context: CommandContext): Finding {
  const { file } = finding;
  return file === null || !isAbsolute(file) ? finding : { ...finding, file: show(context, file) };
}

function describeSpent({ model, duration_ms: durationMs, cost_usd: costUsd }: PassReport): string {
  const cost = costUsd === null ? "" : `, ${dollars(costUsd)}`;
  return ` (${model ?? "no model"}, ${formatDuration(durationMs)}${cost})`;
}
