import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { judgeBase } from "../prove/find-base.ts";
import { answerStop } from "../prove/hook.ts";
import { type JudgedKeys, type JudgedProof, judgeProof } from "../prove/judge-proof.ts";
import type { Late } from "../prove/prove-change.ts";
import { renderPage } from "../prove/render-page.ts";
import { type ProveEnd, runProve } from "../prove/run-prove.ts";
import { renderVersion } from "../rules/matrix.ts";
import type { ProveKeys } from "../rules/shapes/reports/prove.ts";
import { adviseWatched, renderWatched } from "../rules/watched.ts";
import { plural } from "../rules/wording.ts";
import { storing } from "../store/error-code.ts";
import { leadsToFolder } from "../store/folder.ts";
import { cacheHome } from "../store/state-home.ts";
import { orElse } from "../text/attempt.ts";
import { formatDuration } from "../text/duration.ts";
import { usageError } from "../text/errors.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { livePass } from "./live-line.ts";
import { type Line, type Piece, paint } from "./paint.ts";
import { makePorts } from "./pass-ports.ts";
import { stoppedExit, watchSignals, withSignals } from "./signals.ts";

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { flags, cwd } = context;
  if (flags.on("hook")) return await runHook(context);
  const wanted = flags.text("require");
  if (wanted !== null && wanted !== "shown")
    throw usageError("TP_USAGE_BAD_VALUE", `--require expects shown, found '${wanted}'`, {
      fix: "write --require shown",
    });
  const limitMs = flags.number("timeout");
  const signals = watchSignals(context);
  const live = livePass(context);
  const out = flags.text("out");
  const page = out === null ? null : pageOf(resolve(cwd, out));
  const ports = {
    ...makePorts(context, signals.signal),
    tell: (_stage: string, line: string) => {
      live.say(line);
      if (context.verbose) context.tell(line);
    },
  };
  try {
    const call = {
      ...{ folder: cwd, quick: false, since: null },
      base: flags.text("base"),
      checks: flags.list("check"),
      config: flags.text("config"),
      page,
      late: limitMs === null ? null : lateAfter(limitMs),
    };
    const end = await runProve(call, ports);
    live.stop();
    if (end === null) return stopped(stoppedExit(signals.signal) ?? "failure");
    const wishes = { acceptTests: flags.on("accept-tests"), requireShown: wanted !== null };
    const judged = judgeProof(end.proven, end.base.name, wishes);
    const told = report(end, judged, page, context);
    // A file of a person: written through a link, and not in one step.
    if (page !== null) {
      const text = renderPage(told.json, end.repo, judged.tone);
      storing("write the page", page, () => writeFileSync(page, text));
    }
    return told;
  } finally {
    live.stop();
    signals.stop();
  }
}

function lateAfter(ms: number): Late {
  return { signal: AbortSignal.timeout(ms), reason: `the ${formatDuration(ms)} of --timeout are over` };
}

/** Refused before anything runs, so that no proof is lost; nor is a file of a person. */
function pageOf(file: string): string {
  const why = leadsToFolder(file)
    ? "it is a folder"
    : !leadsToFolder(dirname(file))
      ? `there is no folder ${dirname(file)}`
      : holdsOther(file)
        ? "that file is no page of prove"
        : null;
  if (why === null) return file;
  throw usageError("TP_USAGE_BAD_VALUE", `--out names ${file}, and ${why}`, {
    fix: "name a new file, or an earlier page, in a folder that exists",
  });
}

/** A file with bytes that no call of prove wrote, or that cannot be read; never a device, such as /dev/stdout. */
function holdsOther(file: string): boolean {
  return orElse(() => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || found.size === 0) return false;
    return !readFileSync(file, "utf8").includes("<title>Proof of a change: ");
  }, true);
}

function stopped(exitName: CommandResult["exitName"]): CommandResult {
  return { exitName, json: {}, story: ["stopped; nothing was written in the repo"], answer: [], findings: [] };
}

function report(
  { proven, base, known, findings }: ProveEnd,
  { keys, tone, exitName }: JudgedProof,
  page: string | null,
  context: CommandContext,
): CommandResult & { readonly json: ProveKeys } {
  const { duration_ms, at } = proven;
  const json: ProveKeys = { base, ...keys, duration_ms, proven_at: at, known, page };
  const style = { good: "good", amber: "warn", bad: "bad" } as const;
  const count = keys.changed.length;
  const ago = formatDuration(context.now().getTime() - Date.parse(at));
  const compared = `${plural(count, "path differs", "paths differ")} from ${base.name} (${base.commit.slice(0, 7)})`;
  const ran = known ? `proven ${ago} ago` : `${plural(keys.runs, "run")}, ${formatDuration(duration_ms)}`;
  return {
    exitName,
    json,
    answer: [
      [paint(style[tone], keys.headline)],
      ...(keys.checks.length === 0 ? [] : ["", ...table(keys.checks)]),
      ...listed(
        "fails",
        keys.failing.map(({ check, compared: how, log }) => `${check}${how === "" ? "" : ` (${how})`}; see ${log}`),
      ),
      ...listed(
        "changed",
        keys.watched.map((row) => `${renderWatched(row)}${row.asks ? " (a person has to look: --accept-tests)" : ""}`),
      ),
      ...listed(
        "with the tests and checks of the base",
        keys.old_failing.map(({ check, said, log }) => `${check} fails${said === null ? "" : `: ${said}`}; see ${log}`),
      ),
      ...listed("kept", advise(keys)),
      ...listed("not compared", keys.uncompared === null || count === 0 ? [] : [keys.uncompared]),
      ...listed("unnoticed", keys.unnoticed.map(renderVersion)),
      "",
      [paint("quiet", count === 0 ? compared : `${compared}; ${ran}`)],
    ],
    findings: count === 0 ? [...findings, ...judgeBase(base, context.flags.text("base"))] : findings,
  };
}

function advise({ grade, changed, watched }: JudgedKeys): string[] {
  const advice = grade === "kept" && changed.length > 0 ? adviseWatched(watched) : "";
  return advice === "" ? [] : [`${advice} below \`defaults\` of task-phase.yaml`];
}

const mostListed = 20;

function listed(word: string, texts: readonly string[]): Line[] {
  if (texts.length === 0) return [];
  const more = texts.length - mostListed;
  return [
    "",
    ...texts.slice(0, mostListed).map((text): Line => `${word}: ${text}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

const columns = ["before", "clean", "old_checks", "without"] as const;

/** A row a check and a column a run, with what each run has to show. */
function table(rows: JudgedKeys["checks"]): Line[] {
  const width = Math.max(...rows.map(({ name }) => name.length), "check".length);
  const wide = (text: string) => text.padEnd(Math.max(...columns.map((column) => column.length)) + 1);
  const head: Piece[] = [paint("quiet", ["check".padEnd(width + 1), ...columns.map(wide)].join(" ").trimEnd())];
  return [
    head,
    ...rows.map(
      (row): Line => [
        `${row.name.padEnd(width + 1)} `,
        ...columns.map((column, index) => {
          const mark = row[column];
          const pad = (text: string) => (index < columns.length - 1 ? `${wide(text)} ` : text);
          const text = mark === null ? "-" : mark.log === null ? "as clean" : mark.status.replace("_", " ");
          const isGood = column === "without" ? mark?.status !== "pass" : mark?.status === "pass";
          return mark === null || column === "before" ? pad(text) : paint(isGood ? "good" : "warn", pad(text));
        }),
      ],
    ),
  ];
}

/** The hosts' own limit is above it, and what runs is ended in seconds: within a minute the session is let go. */
const hookLimitMs = 50_000;
const mostInputBytes = 16 * 1024 * 1024;
const silentMs = 5_000;

/** `prove --hook`. Its exit code is always 0: the answer is in what it prints. */
async function runHook(context: CommandContext): Promise<CommandResult> {
  const { flags, env, home, stdin } = context;
  // Inside a pass the runner runs the checks, and holds what comes of them against the task.
  if (env.TASK_PHASE_PASS !== undefined) return hookResult(null, null);
  return await withSignals(context, async (signal) => {
    const { stdout, stderr } = await answerStop(() => stdin.read({ maxBytes: mostInputBytes, silentMs }), {
      limitMs: hookLimitMs,
      counts: join(cacheHome(env, home), "hooks"),
      now: () => context.now(),
      prove: async (folder, since, late) => {
        const call = {
          ...{ folder, quick: true, page: null, late: null, since },
          base: flags.text("base"),
          checks: flags.list("check"),
          config: flags.text("config"),
        };
        const either = AbortSignal.any([signal, late]);
        const end = await runProve(call, { ...makePorts(context, either), tell: () => undefined });
        if (end === null) return null;
        const { keys, exitName } = judgeProof(end.proven, end.base.name, { acceptTests: false, requireShown: false });
        return { ...keys, exitName };
      },
    });
    return hookResult(stdout, stderr);
  });
}

function hookResult(stdout: string | null, stderr: string | null): CommandResult {
  const lines = (text: string | null) => (text === null ? [] : [text]);
  return { exitName: "ok", json: {}, story: lines(stderr), answer: lines(stdout), findings: [] };
}
