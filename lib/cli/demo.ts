import { cpSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../agents/inspect/ask-program.ts";
import { exampleFolder } from "../documents/templates/package-files.ts";
import { makeFirstCommit } from "../git/first-commit.ts";
import { runPass } from "../pass/run-pass.ts";
import type { DemoKeys } from "../rules/shapes/reports/people.ts";
import { errorCode, passMachineFault } from "../store/error-code.ts";
import { evidenceJson, type PassReport } from "../task/request.ts";
import { diskError } from "../text/errors.ts";
import { createRedactor } from "../text/redact.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { livePass } from "./live-line.ts";
import { paint } from "./paint.ts";
import { makePorts } from "./pass-ports.ts";
import { renderStory } from "./show-pass.ts";
import { stoppedExit, withSignals } from "./signals.ts";
import { findingLine } from "./write-lines.ts";

/** The recordings make three calls of `run`. */
const mostPasses = 10;

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  return await withSignals(context, async (signal) => {
    const demo = await makeDemoFolder(context.env);
    context.tell([paint("heading", `playing an example in ${demo.folder}`)]);
    context.tell("the agent is a recording, so no model is called and nothing is paid; the checks really run");
    const reports = await play(demo, context, signal);
    const stopped = stoppedExit(signal);
    return stopped === null ? toResult(demo, reports) : clearAway(demo, reports, stopped);
  });
}

async function play({ folder, taskDir, home, env }: DemoFolder, context: CommandContext, signal: AbortSignal) {
  const reports: PassReport[] = [];
  const live = livePass(context);
  const ports = { ...makePorts(context, signal), env, home, cwd: folder, redactor: createRedactor(env), ...live.ports };
  const request = { taskDir, repo: null, model: null, models: null, timeoutMs: null, config: null, run: null };
  try {
    while (reports.length < mostPasses && !signal.aborted) {
      const report = await runPass({ ...request, dryRun: false }, ports);
      live.stop();
      reports.push(report);
      for (const finding of report.findings) context.tell(findingLine(finding));
      for (const one of [...report.details.moves, report])
        for (const line of renderStory({ ...one, evidence: evidenceJson(null, null), overridden: [] }, folder))
          context.tell(line);
      if (report.to === "done" || report.exit_name !== "ok") break;
    }
  } finally {
    live.stop();
  }
  return reports;
}

function toResult({ folder, taskDir }: DemoFolder, reports: readonly PassReport[]): CommandResult {
  const last = reports.at(-1);
  const page = join(taskDir, "artifacts", "evidence.html");
  return {
    exitName: last?.to === "done" ? "ok" : "failure",
    json: jsonOf(folder, reports, true),
    findings: [],
    story: [
      [paint("heading", "where to look:"), " the page in a browser, the others wherever Markdown is shown"],
      `the work itself is in ${join(folder, "app")}; rm -r ${folder} removes all of it`,
    ],
    answer: [join(taskDir, "STATE.md"), join(taskDir, "EVIDENCE.md"), page],
  };
}

/** A demo that was stopped is not kept. */
function clearAway(
  { folder }: DemoFolder,
  reports: readonly PassReport[],
  exitName: CommandResult["exitName"],
): CommandResult {
  const removed = removeFolder(folder);
  return {
    exitName,
    json: jsonOf(folder, reports, !removed),
    findings: [],
    story: [removed ? `stopped; ${folder} was removed` : `stopped; part of ${folder} is left: remove it by hand`],
    answer: [],
  };
}

function jsonOf(folder: string, reports: readonly PassReport[], kept: boolean): DemoKeys {
  return { folder, kept, passes: reports.length, phase: reports.at(-1)?.to ?? null };
}

type DemoFolder = Awaited<ReturnType<typeof makeDemoFolder>>;

/**
 * Copies the example of the package, with its tasks root and the recordings of the agent, into a new temporary folder, as
 * the repo that it was before its task. It has a home and a state folder, so that nothing is written into the person's.
 */
async function makeDemoFolder({ PATH, LANG, TMPDIR }: NodeJS.ProcessEnv) {
  const from = exampleFolder();
  const folder = copyInto(TMPDIR ?? tmpdir(), from);
  const home = join(folder, ".home");
  const env = {
    PATH,
    LANG,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    XDG_CONFIG_HOME: join(home, "config"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    TASK_PHASE_TRUST: "1",
    // The checks are npm scripts, and npm would ask its registry for news.
    npm_config_update_notifier: "false",
  };
  // Without git it is only a folder, and the evidence has no diff.
  await makeFirstCommit(folder, env);
  mkdirSync(home, { mode: 0o700 });
  return { folder, taskDir: join(folder, "tasks", "T-001-stream-csv"), home, env };
}

function copyInto(parent: string, from: string): string {
  try {
    const folder = realpathSync(mkdtempSync(join(parent, "task-phase-demo-")));
    cpSync(from, folder, { recursive: true });
    return folder;
  } catch (cause) {
    if (["EMFILE", "ENFILE"].includes(errorCode(cause))) passMachineFault(cause);
    const fix = "set TMPDIR to a folder with a few megabytes of free space";
    const message = `the example could not be copied: ${(cause as Error).message}`;
    throw diskError("TP_DISK", message, { file: parent, fix }, cause);
  }
}
