import { realpathSync } from "node:fs";
import path from "node:path";
import { readIfGood, taskFiles } from "../documents/read-task-file.ts";
import { findGitTop } from "../git/list-paths.ts";
import { askRemote } from "../git/remote.ts";
import { openEditor } from "../process/open-viewer.ts";
import { findHostTool } from "../scaffold/host-tools/host-tool.ts";
import { readIssue, readIssueName } from "../scaffold/host-tools/issue.ts";
import type { Written } from "../scaffold/init/apply.ts";
import { type BriefSource, readGivenBrief, refuseSaidTwice } from "../scaffold/init/given-brief.ts";
import { readRegularFile } from "../store/read-file.ts";
import { isDone, type ListedTask } from "../task/list-tasks.ts";
import { trustCommand } from "../task/trust.ts";
import { configError, dataError, usageError } from "../text/errors.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext } from "./command.ts";
import { findTasksRoot, newTasksRoot } from "./find-root.ts";
import { configFor } from "./init-checks.ts";
import type { TaskConfig } from "./init-root.ts";
import { untilStopped } from "./signals.ts";
import { show } from "./write-lines.ts";

const maxBytes = 1 << 20;
/** How long to wait for a pipe that was not asked for. Programs that start others often leave one open. */
const silentMs = 3_000;

/** The text of `--brief` or stdin; null if there is none. A finding if a pipe stayed silent. */
export async function readBriefSource(
  context: CommandContext,
): Promise<{ readonly source: BriefSource | null; readonly findings: Finding[] }> {
  const { flags, stdin } = context;
  const name = flags.text("brief");
  if (flags.on("edit") && stdin.kind !== "terminal") {
    throw usageError("TP_INIT_EDIT", "--edit needs a terminal for the editor", {
      fix: "omit it, and give the text with --brief FILE or through a pipe",
    });
  }
  const issue = flags.text("issue");
  if (issue !== null) return await readIssueSource(context, issue);
  if (name !== null && name !== "-") return { source: readFile(context, name), findings: [] };
  if (name === null && stdin.kind !== "text") return { source: null, findings: [] };
  const bytes = await stdin.read({ maxBytes, silentMs: name === null ? silentMs : Number.POSITIVE_INFINITY });
  if (bytes === null) return { source: null, findings: [silent()] };
  if (name === null && bytes.toString("latin1").trim() === "") return { source: null, findings: [] };
  return { source: readSource(context, bytes, "stdin"), findings: [] };
}

function readFile(context: CommandContext, name: string): BriefSource {
  const file = path.resolve(context.cwd, name);
  const read = readRegularFile(file, maxBytes);
  if (read.kind === "file") return readSource(context, read.bytes, show(context, file));
  const problem = read.kind === "too_big" ? `it has more than ${maxBytes} bytes` : `it is ${words[read.kind]}`;
  throw dataError("TP_INIT_BRIEF", `the brief cannot be read: ${problem}`, {
    file,
    fix: "write --brief FILE, or --brief - for stdin",
  });
}

const words = {
  missing: "missing",
  link: "a link",
  folder: "a folder",
  special: "a device, socket or pipe",
  unreadable: "not readable",
} as const;

function readSource({ flags }: CommandContext, bytes: Buffer, from: string): BriefSource {
  const given = readGivenBrief(bytes, from);
  const keys = ["title", "id", "repo", "priority", "depends-on", "validator", "user-facing"] as const;
  // `--validator` adds one to `validators`.
  const keyOf = (flag: string) => (flag === "validator" ? "validators" : flag.replace("-", "_"));
  const said = keys.filter((key) => flags.on(key)).map((key) => [keyOf(key), `--${key}`] as const);
  refuseSaidTwice(given, from, new Map(said));
  return { given, from };
}

function silent(): Finding {
  return warningFinding("TP_INIT_STDIN_SILENT", "stdin is a pipe that delivered nothing, so no text was read from it", {
    fix: "write --brief - to wait for the text, or < /dev/null to go without one",
  });
}

/** Opens a file in the person's editor and waits; a finding if the editor fails. */
export function editFile({ env, cwd }: CommandContext, file: string): Finding[] {
  const failed = openEditor(file, env, cwd);
  if (failed === null) return [];
  return [
    warningFinding("TP_INIT_EDIT", `the editor failed: ${failed}`, {
      file,
      fix: "edit the file by hand, or correct VISUAL or EDITOR",
    }),
  ];
}

export interface Foretold {
  /** Reasons for which the first run would refuse, as warnings. An empty new brief is the next step, not a mistake. */
  readonly findings: readonly Finding[];
  /** Its task-phase.yaml names no model. */
  readonly lacksModel: boolean;
}

interface InitOutcome {
  readonly taskDir: string;
  readonly foretold: Foretold;
  /** False: nothing of its tasks root runs until a person trusts it. */
  readonly isTrusted: boolean;
  /** All of its tasks root, this one too. */
  readonly tasks: readonly ListedTask[];
  /** Null if a brief that was there cannot be read. */
  readonly id: string | null;
  readonly written: Written;
  readonly config: TaskConfig;
  /** Where the text of a new brief came from; null: from the template. */
  readonly from: string | null;
  readonly chosen: readonly string[];
  /** The files for git that were made or completed. */
  readonly forGit: readonly string[];
}

/** What was made, what was chosen and why, and the one next step. */
export function renderInit(context: CommandContext, outcome: InitOutcome): { story: string[]; next: string } {
  const { taskDir, written, config, from, chosen, forGit } = outcome;
  const folder = show(context, taskDir);
  const whole = written.kept.length === 0;
  const next = nextStep(context, outcome);
  return {
    story: [
      ...(whole ? [`made ${folder}`] : written.made.map((name) => `made ${path.join(folder, name)}`)),
      ...(written.kept.length === 0 ? [] : [`kept in ${folder}: ${written.kept.join(", ")}`]),
      ...(config.made ? [`made ${show(context, config.path)}${renderModels(config)}`] : []),
      ...(forGit.length === 0
        ? []
        : [`${forGit.map((file) => show(context, file)).join(" and ")}: pull requests fold the runner's files`]),
      ...(from === null ? [] : [`brief: from ${from}`]),
      ...chosen,
      next,
    ],
    next,
  };
}

function renderModels({ models }: TaskConfig): string {
  if (models.length === 0) return " without a model: no agent CLI is on PATH";
  return ` with the agent CLIs on PATH: ${models.join(", ")} (task-phase probe checks whether they answer)`;
}

function nextStep(context: CommandContext, outcome: InitOutcome): string {
  const { taskDir, id, config, foretold } = outcome;
  const name = nameOf(context, taskDir, id);
  if (isDone(realpathSync(taskDir)))
    return `${id ?? name} is done; task-phase resume ${name} --to intake --reason WHY opens it again`;
  const brief = show(context, path.join(taskDir, "README.md"));
  const wanted = [
    ...(readIfGood(taskFiles.brief, taskDir)?.isEmpty === true ? [`what ${id ?? name} is about`] : []),
    ...(foretold.findings.some(({ code }) => code === "TP_NO_CHECK") ? ["which command checks it"] : []),
  ];
  const steps = [
    ...(wanted.length === 0 ? [] : [`say in ${brief} ${wanted.join(" and ")}`]),
    ...(foretold.lacksModel ? [`name a model in ${show(context, config.path)}`] : []),
    ...(outcome.isTrusted ? [] : [trustCommand(show(context, path.dirname(taskDir)))]),
  ];
  const first = firstOf(outcome);
  const run =
    first === null
      ? `task-phase run ${name}`
      : `task-phase run ${nameOf(context, first.folder, first.id)}, since ${id ?? name} waits for it`;
  return steps.length === 0 ? `next: ${run}` : `next: ${steps.join(", and ")}; then: ${run}`;
}

/** The task that has to be done before all else that this one waits for; null if it waits for none. */
function firstOf({ id, tasks }: InitOutcome): ListedTask | null {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const seen = new Set<string>();
  const below = (of: string): ListedTask | null => {
    const task = byId.get(of);
    if (task === undefined || seen.has(of) || isDone(task.folder)) return null;
    seen.add(of);
    for (const needed of task.dependsOn) {
      const first = below(needed);
      if (first !== null) return first;
    }
    return task;
  };
  const first = id === null ? null : below(id);
  return first?.id === id ? null : first;
}

/** As short as the other commands understand it from here. */
function nameOf({ cwd }: CommandContext, taskDir: string, id: string | null): string {
  const root = findTasksRoot(cwd);
  const found = id !== null && root !== null && realpathSync(root) === realpathSync(path.dirname(taskDir));
  return quoteWord(found ? id : show({ cwd }, taskDir));
}

/** The brief of `--issue`: from the remote of the repo, or from the address that was given. */
async function readIssueSource(context: CommandContext, given: string) {
  const { flags, env, home, cwd } = context;
  if (flags.on("brief"))
    throw usageError("TP_USAGE_TWO_BRIEFS", "--issue and --brief cannot be combined", { fix: "omit one of them" });
  const name = readIssueName(given);
  const repo = path.resolve(cwd, flags.text("repo") ?? "");
  const url = name.url ?? (await askRemote(repo, [], env))?.url ?? null;
  if (url === null)
    throw configError("TP_INIT_ISSUE", `no git remote is known here that could have issue ${name.number}`, {
      file: repo,
      fix: "write its address: --issue https://github.com/OWNER/REPO/issues/42",
    });
  const root = newTasksRoot(cwd);
  const evidence = name.url === null ? configFor(context, { taskDir: path.join(root, "any") })?.evidence : null;
  const config = evidence ?? { hostKind: null, webBase: null };
  const tool = flags.text("with") ?? name.tool;
  const agents = [findGitTop(repo) ?? repo, root];
  const { host, issue } = await untilStopped(context, async (signal) => {
    const host = await findHostTool({ url, tool, env, home, agents, config, signal });
    return { host, issue: await readIssue(host, name.number) };
  });
  const source: BriefSource = {
    given: { front: null, body: issue.body, heading: issue.title },
    from: issue.url,
    issue: { id: `issue-${name.number}`, url: issue.url },
  };
  const closed = warningFinding("TP_INIT_ISSUE_CLOSED", `issue ${name.number} is closed on ${host.host}`);
  return { source, findings: issue.isOpen ? [] : [closed] };
}
