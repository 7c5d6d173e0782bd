import { isAbsolute } from "node:path";
import type { LoopWatch } from "../queue/loop/loop-request.ts";
import { didSomething } from "../queue/loop/one-pass.ts";
import type { RunDigest } from "../queue/loop/run-report.ts";
import { dollars } from "../rules/spend.ts";
import type { PassReport } from "../task/request.ts";
import { formatDuration } from "../text/duration.ts";
import type { Finding } from "../text/finding.ts";
import { nameSome, shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import { livePass } from "./live-line.ts";
import { type Line, paint, piecesOf, type Style, toneStyles } from "./paint.ts";
import { showAsks } from "./show-asks.ts";
import { renderStory } from "./show-pass.ts";
import { landAll } from "./show-status.ts";
import { findingLine, show } from "./write-lines.ts";

/** A longer wait is also reported in a log. */
const longestSilenceMs = 60_000;

/** On a terminal a line a pass that moves; elsewhere one line a pass, and nothing if nothing happened. */
export function watchLoop(context: CommandContext): LoopWatch & { told: Finding[]; stop(): void } {
  const told: Finding[] = [];
  const waits = new Set<string>();
  const { of, say, stop } = livePass(context);
  return {
    told,
    stop,
    livePass: of,
    ended(report) {
      if (!didSomething(report)) return;
      for (const one of [...report.details.moves, report]) reportPass(one, context);
      // Now, and behind the pass that they are about: a night may end without an end.
      for (const finding of report.findings) context.tell(findingLine(asTyped(finding, context)));
      told.push(...report.findings);
    },
    waiting(until, reason, asking) {
      const text = `waiting until ${until.toISOString()}: ${reason}`;
      const isLong = until.getTime() - context.now().getTime() > longestSilenceMs;
      // In a log, too: to its reader, or to the caller of the loop, the process would seem to hang.
      const tells = context.verbose || (!context.live && isLong && !waits.has(text));
      waits.add(text);
      stop();
      if (tells) context.tell(text);
      if (tells || context.live) {
        const tasks = asking.map((task) => ({ ...task, editUrl: null, onBranch: !task.hasState }));
        for (const line of showAsks(tasks, context.cwd)) context.tell(line);
      }
      say(text);
    },
  };
}

/** One line a pass, with details under `--verbose`. */
function reportPass(report: PassReport, context: CommandContext): void {
  const [first, ...rest] = renderStory(report, context.cwd);
  if (first === undefined) return;
  const spent = report.verdict === null ? "" : renderSpent(report);
  context.tell([paint("heading", report.task ?? ""), "  ", ...piecesOf(first), spent]);
  if (context.verbose) for (const line of rest) context.tell(line);
}

/** The path as in the other lines of the story. */
function asTyped(finding: Finding, context: CommandContext): Finding {
  const { file } = finding;
  return file === null || !isAbsolute(file) ? finding : { ...finding, file: show(context, file) };
}

function renderSpent({ model, duration_ms: durationMs, cost_usd: costUsd }: PassReport): string {
  const cost = costUsd === null ? "" : `, ${dollars(costUsd)}`;
  return ` (${model === null ? "" : `${model}, `}${formatDuration(durationMs)}${cost})`;
}

/** Together with the line above it at most nine lines: what a person reads in the morning. */
const mostStopped = 3;
const mostNamed = 10;
const longestWhy = 160;

/** The last lines of a run: what is done, what stopped and why, what is left, what it took, and where to read on. */
export function renderDigest(digest: RunDigest, cwd: string, isOnBranch = false): Line[] {
  const { done, unproven, stopped, left, cost, timeMs, report, evidence } = digest;
  const named = firstStopped(digest);
  const more = stopped.slice(named.length).map(({ name }) => name);
  const lands = isOnBranch && done.length + unproven.length > 0 ? landAll : null;
  const act = stopped.find((task) => task.act !== null)?.act ?? lands;
  return [
    ...(done.length === 0 ? [] : [labelled("good", "done", nameSome(done, mostNamed))]),
    ...(unproven.length === 0 ? [] : [labelled("warn", "done without proof", nameSome(unproven, mostNamed))]),
    ...named.map(({ name, standing, why, tone }) => [
      paint(toneStyles[tone], "stopped"),
      `: ${name} `,
      paint(toneStyles[tone], standing),
      `, ${shorten(why, longestWhy)}`,
    ]),
    ...(more.length === 0 ? [] : [labelled("bad", "stopped", nameSome(more, mostNamed))]),
    ...(left.length === 0 ? [] : [labelled("note", "not done", nameSome(left, mostNamed))]),
    ...(act === null ? [] : [labelled("heading", "next", act)]),
    labelled("heading", "this call", `${cost}, ${formatDuration(timeMs)}`),
    // The working tree has no page for a task on a branch.
    ...(evidence === null || isOnBranch ? [] : [labelled("heading", "evidence", show({ cwd }, evidence))]),
    ...(report === null ? [] : [labelled("heading", "report", show({ cwd }, report))]),
  ];
}

/** The reason why a run ended, without why a task is stopped if the digest says it. */
export function shortenReason(reason: string, digest: RunDigest | null): string {
  const named = digest === null ? [] : firstStopped(digest);
  return named.reduce(
    (text, { name, standing, status }) => text.replace(`${name} is ${status}`, () => `${name} is ${standing}`),
    reason,
  );
}

function firstStopped({ stopped }: RunDigest): RunDigest["stopped"] {
  return stopped.slice(0, stopped.length > mostStopped ? mostStopped - 1 : mostStopped);
}

function labelled(style: Style, label: string, text: string): Line {
  return [paint(style, label), `: ${text}`];
}
