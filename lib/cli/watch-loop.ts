import type { BegunPass } from "../anchor/ports.ts";
import type { LoopWatch } from "../loop/loop-request.ts";
import { dollars } from "../machine/spend.ts";
import type { Finding } from "../report/finding.ts";
import type { PassReport } from "../task/request.ts";
import { formatDuration } from "../text/duration.ts";
import type { CommandContext } from "./command.ts";
import { paint, piecesOf } from "./paint.ts";
import { findingLine } from "./render.ts";
import { showAsks } from "./show-asks.ts";
import { describeStory } from "./show-pass.ts";

/** On a terminal a line that moves; elsewhere one line a pass, and nothing if nothing happened. */
export function watchLoop(context: CommandContext): LoopWatch & { readonly told: Finding[]; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const told: Finding[] = [];
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    context.show(null);
  };
  const live = (text: () => string) => {
    stop();
    if (!context.live) return;
    context.show(text());
    timer = setInterval(() => context.show(text()), 1000);
    timer.unref();
  };
  return {
    told,
    stop,
    began(pass) {
      const since = context.now();
      live(() => describeBegun(pass, context.now().getTime() - since.getTime()));
    },
    ended(report) {
      stop();
      if (!didSomething(report)) return;
      const [first = "", ...rest] = describeStory(report, context.cwd);
      const spent = report.verdict === null ? "" : describeSpent(report);
      context.tell([paint("heading", report.task ?? ""), "  ", ...piecesOf(first), spent]);
      if (context.verbose) for (const line of rest) context.tell(line);
      // Now, and behind the pass that they are about: a night may end without an end.
      for (const finding of report.findings) context.tell(findingLine(finding));
      told.push(...report.findings);
    },
    waiting(until, reason, asking) {
      if (context.verbose || context.live) {
        stop();
        const tasks = asking.map((task) => ({ ...task, editUrl: null }));
        for (const line of showAsks(tasks, context.cwd)) context.tell(line);
      }
      if (context.verbose) context.tell(`waiting until ${until.toISOString()}: ${reason}`);
      live(() => `waiting until ${until.toISOString()}: ${reason}`);
    },
  };
}

/** A pass, or a change of the task without one: a stop by the runner, an edit that was judged, a command obeyed. */
function didSomething({ verdict, noted }: PassReport): boolean {
  return verdict !== null || noted > 0;
}

function describeBegun({ task, phase, pass, model, spentUsd }: BegunPass, elapsedMs: number): string {
  const elapsed = elapsedMs < 1000 ? "0s" : formatDuration(Math.floor(elapsedMs / 1000) * 1000);
  const spent = spentUsd === null ? "" : `  ${dollars(spentUsd)} before`;
  return `${task}  ${phase}  pass ${pass}  ${model}  ${elapsed}${spent}`;
}

function describeSpent({ model, durationMs, costUsd }: PassReport): string {
  const cost = costUsd === null ? "" : `, ${dollars(costUsd)}`;
  return ` (${model ?? "no model"}, ${formatDuration(durationMs)}${cost})`;
}
