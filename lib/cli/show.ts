import { basename } from "node:path";
import { openViewer } from "../process/open-viewer.ts";
import { renderPullRequest } from "../queue/actions/rebuild-evidence.ts";
import { worstExit } from "../queue/loop/select-task.ts";
import { inspectTask } from "../queue/views/inspect-root.ts";
import type { ShowKeys, TaskStatus } from "../rules/shapes/reports/status.ts";
import { readRegularFile } from "../store/read-file.ts";
import { locateTask, stands } from "../task/records/task-place.ts";
import { infoFinding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type Line, paint } from "./paint.ts";
import { makePorts } from "./pass-ports.ts";
import { showAsks } from "./show-asks.ts";
import { showTask } from "./show-status.ts";
import { toShow } from "./status.ts";
import { toTaskKeys } from "./status-json.ts";
import { chooseTask } from "./target.ts";
import { show as shownPath } from "./write-lines.ts";

type Place = ReturnType<typeof locateTask>;

const newestLines = 10;
const longestLine = 300;

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { cwd, env, flags } = context;
  const place = locateTask(chooseTask(context), cwd);
  const task = await toShow(inspectTask(place, flags.text("config"), context), context);
  const log = readNewest(place.log);
  const files = listFiles(place);
  const wanted = flags.on("open");
  const pr = flags.on("pr") ? await renderPullRequest(place, flags.text("config"), makePorts(context)) : null;
  const problem = !wanted ? null : stands(place.page) ? await openViewer(place.page, env, cwd) : "there is no page yet";
  const showWhole = (): Line[] => [
    ...showTask(task, cwd),
    `read: ${nameFiles(files, cwd)}`,
    ...showAsks([task], cwd),
    ...(log.length === 0 ? [] : [[paint("heading", "log")], ...log.map((line) => `  ${shorten(line, longestLine)}`)]),
  ];
  return {
    exitName: worstExit([task]) ?? "ok",
    json: { ...toTaskKeys(task), log, files, pr, opened: wanted && problem === null } satisfies TaskStatus & ShowKeys,
    answer: [
      ...(pr === null ? [] : [pr.trimEnd()]),
      ...(wanted ? [place.page] : []),
      ...(pr === null && !wanted ? showWhole() : []),
    ],
    findings: [
      ...task.findings,
      ...(problem === null ? [] : [infoFinding("TP_NOT_OPENED", `evidence.html was not opened: ${problem}`)]),
    ],
  };
}

/** The first with its folder, the others beside it, and which of two that look alike is the proof. */
function nameFiles({ state, ...others }: ShowKeys["files"], cwd: string): string {
  const beside = Object.values(others).flatMap((file) => (file === null ? [] : [basename(file)]));
  const which = others.summary === null ? "" : "; EVIDENCE.md is the proof, SUMMARY.md a report without its details";
  return [shownPath({ cwd }, state), ...beside].join(", ") + which;
}

/** A log that is gone or is no file has no lines; a run says what is wrong with it. */
function readNewest(path: string): string[] {
  const read = readRegularFile(path, 64 * 1024 * 1024);
  if (read.kind !== "file") return [];
  const lines = read.bytes.toString("utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").slice(-newestLines);
}

function listFiles({ state, evidence, summary, decisions, log }: Place): ShowKeys["files"] {
  const there = (file: string) => (stands(file) ? file : null);
  return {
    state,
    evidence: there(evidence),
    summary: there(summary),
    decisions: there(decisions),
    log: there(log),
  };
}
