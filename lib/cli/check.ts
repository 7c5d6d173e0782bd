import { basename, join, resolve } from "node:path";
import { findGitPlace, findGitTop, type GitPlace } from "../git/place.ts";
import type { AllowedSigners } from "../git/signatures.ts";
import { checkAttestation, saysDone } from "../pass/attest/check-attestation.ts";
import { checkTask } from "../queue/actions/check-task.ts";
import { judgeProposal, type ProposalReport } from "../queue/actions/judge-proposal.ts";
import { realRoot } from "../queue/views/inspect-root.ts";
import { watchMoved } from "../queue/views/moved-since.ts";
import type { AheadTask } from "../queue/views/root-view.ts";
import type { CheckKeys } from "../rules/shapes/reports/check.ts";
import { plural } from "../rules/wording.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import { listOnce } from "../task/list-tasks.ts";
import { locateTask, placeOf, stands, type TaskPlace } from "../task/records/task-place.ts";
import { catchForeseenIn } from "../text/attempt.ts";
import { TaskPhaseError, usageError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { distinctFindings, type Finding, hasErrors } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import { annotate, plainLogLine, readAnnotationFormat } from "./annotations.ts";
import { checkRepository } from "./check-branches.ts";
import { checkCommitted, findVerifier, readSigners, requireSigners, warnOfOwn } from "./check-history.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { type Line, paint } from "./paint.ts";
import { makePorts } from "./pass-ports.ts";
import { chooseRepository } from "./read-branches.ts";
import { chooseTarget, chooseTask, type Target } from "./target.ts";

/** `check`: judges task files, journal and verdicts; with `--history` their commits. Changes nothing. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  if (context.flags.on("proposal")) return checkProposal(context);
  const format = readAnnotationFormat(context);
  if (context.flags.text("since") !== null && !context.flags.on("history")) {
    throw usageError("TP_USAGE_SINCE", "--since limits --history, but --history was not given", {
      fix: "add --history, or omit --since",
    });
  }
  requireSigners(context);
  const repository = chooseRepository(context);
  if (repository !== null) return printed(format, () => judgeBranches(repository, context), repository.top);
  const target = chooseTarget(context);
  return printed(format, () => judge(context, target), target.kind === "task" ? target.taskDir : target.tasksRoot);
}

/** `folder`: what the paths of findings are relative to. */
async function printed(
  format: ReturnType<typeof readAnnotationFormat>,
  look: () => Promise<Judged>,
  folder: string,
): Promise<CommandResult> {
  if (format === null) return look();
  // An error that ended the call early is an annotation like any other.
  const result = await catchForeseenIn(look, ({ exitName, findings }) => {
    return { exitName, json: {}, story: [], answer: [], findings };
  });
  const lines = annotate(format, result.findings, folder);
  if (format === "gitlab") return { ...result, answer: lines };
  // GitHub shows each annotation in the log as well, and takes commands from stderr too.
  return { ...result, answer: [...lines, ...result.answer.map(plainLogLine)], tells: "nothing" };
}

async function judgeBranches(repository: GitPlace, context: CommandContext): Promise<Judged> {
  if (context.flags.on("attestation")) {
    const message = "--attestation judges a task folder, and this repository has none checked out";
    const fix = "check out the branch of the task: git worktree add FOLDER task-phase/ID";
    throw usageError("TP_USAGE_ATTESTATION", message, { file: repository.top, fix });
  }
  const allowed = readSigners(context);
  const { result, exits } = await checkRepository(repository, allowed, context);
  const own = allowed === null ? [] : warnOfOwn(allowed, repository.top);
  return { ...result, findings: [...own, ...result.findings], exitName: worstOf(exits) };
}

type Judged = CommandResult & { readonly answer: readonly Line[] };

async function judge(context: CommandContext, target: Target): Promise<Judged> {
  const newest =
    target.kind === "task"
      ? [{ place: locateTask(target.taskDir, context.cwd), ahead: null, wrong: null }]
      : await findNewest(realRoot(target.tasksRoot), context);
  const places = newest.map(({ place }) => place);
  const [root] = newest.flatMap(({ place, ahead }) => (ahead === null ? place.tasksRoot : []));
  const listed = root === undefined ? undefined : listOnce(root);
  const repo = context.flags.text("repo");
  const movedOf = watchMoved({ ...makePorts(context), repo });
  const found: Finding[] = [];
  const exits: ExitName[] = [];
  const tasks: CheckKeys["tasks"][number][] = [];
  const answer: Line[] = [];
  const tasksOf = listed?.();
  const ids = new Map(tasksOf?.ids().flatMap((id) => tasksOf.find(id).map(({ folder }) => [folder, id] as const)));
  for (const { place, ahead, wrong } of newest) {
    if (ahead !== null) ids.set(place.taskDir, ahead.id);
    const config = ahead?.config ?? context.flags.text("config");
    const beside = ahead === null ? listed : listOnce(place.tasksRoot);
    const report =
      wrong === null
        ? await checkTask(place, config, repo, makePorts(context), beside, movedOf)
        : { findings: wrong.findings, exits: [wrong.exitName], verdicts: 0 };
    const ok = !hasErrors(report.findings);
    const warned = report.findings.filter(({ severity }) => severity === "warning").length;
    const fine = warned === 0 ? "nothing is wrong" : `no error, ${plural(warned, "warning")}`;
    found.push(...report.findings);
    exits.push(...report.exits);
    tasks.push({ folder: place.taskDir, ok, verdicts: report.verdicts });
    answer.push([
      `${ids.get(place.taskDir) ?? place.name}: `,
      paint(ok ? "good" : "bad", ok ? fine : "wrong"),
      `, ${plural(report.verdicts, "verdict")} decided again`,
    ]);
  }
  const allowed = readSigners(context);
  const top = allowed === null ? null : findGitTop(target.kind === "task" ? target.taskDir : target.tasksRoot);
  found.push(...(allowed === null ? [] : warnOfOwn(allowed, top)));
  const idOf = (place: TaskPlace) => ids.get(place.taskDir) ?? place.name;
  const attested = context.flags.on("attestation")
    ? await checkAttested(places, idOf, allowed, target.kind, context)
    : null;
  const standing = places.map(({ name }) => name);
  const id = target.kind === "task" ? (ids.get(places[0]?.taskDir ?? "") ?? null) : null;
  const committed = context.flags.on("history")
    ? await checkCommitted(target, standing, allowed === null ? null : { allowed, id }, context)
    : null;
  for (const part of [attested, committed].filter((one) => one !== null)) {
    found.push(...part.findings);
    exits.push(...part.exits);
    answer.push(...part.answer);
  }
  const findings = distinctFindings(found);
  const json: CheckKeys = {
    ok: !hasErrors(findings),
    tasks,
    ...(committed === null ? {} : { history: committed.json }),
    ...(attested === null ? {} : { attestations: attested.json }),
  };
  return { exitName: worstOf(exits), json, story: [], answer, findings };
}

interface NewestTask {
  readonly place: TaskPlace;
  readonly ahead: { readonly id: string; readonly config: string | null } | null;
  readonly wrong: TaskPhaseError | null;
}

/** The tasks of a root, each in its folder or, if it is newer there, in a working tree of its branch. */
async function findNewest(tasksRoot: string, context: CommandContext): Promise<NewestTask[]> {
  const [tree, view = new Map<string, AheadTask>()] = [findGitPlace(tasksRoot), context.view];
  const folders = listTaskFolders(tasksRoot);
  if (tree === null || view.size === 0)
    return folders.map((folder) => ({ place: placeOf(folder), ahead: null, wrong: null }));
  const names = new Set([...folders.map((folder) => basename(folder)), ...view.keys()]);
  const { openViewClone } = await import("../fleet/view-clone.ts");
  const { settingsOf, wrongBranch } = await import("./workspace.ts");
  const { config } = settingsOf(tasksRoot, context.flags.text("config"), context);
  const found: NewestTask[] = [];
  for (const name of [...names].sort()) {
    const task = view.get(name);
    const isThere = task?.row.kind === "read";
    const taskDir = isThere ? await openViewClone(tree, task, makePorts(context)) : join(tasksRoot, name);
    found.push({
      place: placeOf(taskDir),
      ahead: isThere ? { id: task.id, config } : null,
      wrong: task === undefined ? null : wrongBranch(task),
    });
  }
  return found;
}

/** Files that cannot be read weigh most, then verdicts and edits that do not hold, then a wrong contract. */
function worstOf(exits: readonly ExitName[]): ExitName {
  return (["failure", "data", "rejected"] as const).find((name) => exits.includes(name)) ?? exits[0] ?? "ok";
}

/** Judges the attestation of the task that was named; of a root, those of its tasks that have one or should. */
async function checkAttested(
  places: readonly TaskPlace[],
  idOf: (place: TaskPlace) => string,
  allowedSigners: AllowedSigners | null,
  target: Target["kind"],
  { env }: CommandContext,
): Promise<{
  readonly findings: readonly Finding[];
  readonly exits: readonly ExitName[];
  readonly json: NonNullable<CheckKeys["attestations"]>;
  readonly answer: readonly Line[];
}> {
  const asked = places.filter((place) => target === "task" || stands(place.attestation) || saysDone(place));
  const [first] = asked;
  if (first === undefined || allowedSigners === null) {
    return { findings: [], exits: [], json: [], answer: ["attestations: no task is done"] };
  }
  try {
    const tool = await findVerifier(first.tasksRoot, env);
    const findings: Finding[] = [];
    const json: { folder: string; ok: boolean; signer: string | null }[] = [];
    const answer: Line[] = [];
    for (const place of asked) {
      const checked = await checkAttestation(place, idOf(place), { tool, allowedSigners });
      const ok = checked.findings.length === 0;
      findings.push(...checked.findings);
      json.push({ folder: place.taskDir, ok, signer: checked.signer });
      const by = checked.signer === null ? "" : `, signed by ${shorten(checked.signer, 100)}`;
      answer.push([`attestation of ${idOf(place)}: `, paint(ok ? "good" : "bad", ok ? "holds" : "does not hold"), by]);
    }
    return { findings, exits: findings.length > 0 ? ["data"] : [], json, answer };
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName === "usage") throw error;
    return { findings: error.findings, exits: [error.exitName], json: [], answer: ["attestations: not judged"] };
  }
}

/** `check --proposal`: what the proposal in STATE.md would come to, apart from the checks. Within a pass: its own. */
async function checkProposal(context: CommandContext): Promise<CommandResult> {
  const { flags } = context;
  const others = ["since", "annotations", "tasks-root"] as const;
  const other = flags.on("history") ? "history" : others.find((name) => flags.text(name) !== null);
  if (other !== undefined) {
    const message = `--proposal judges one task as it is now, so it cannot be combined with --${other}`;
    throw usageError("TP_USAGE_PROPOSAL", message, { fix: `omit --${other} or --proposal` });
  }
  const own = flags.text("task-dir") === null ? context.env.TASK_PHASE_TASK_DIR : undefined;
  const place = locateTask(own === undefined ? chooseTask(context) : resolve(own), context.cwd);
  const report = await judgeProposal(
    place,
    { config: flags.text("config"), repo: flags.text("repo") },
    makePorts(context),
  );
  const { from, proposed, gates } = report;
  return {
    exitName: report.findings.length === 0 ? "ok" : "rejected",
    json: { ok: report.findings.length === 0, tasks: [], proposal: { from, proposed, gates: [...gates] } },
    answer: [`${place.name}: ${renderProposal(report)}`],
    findings: report.findings,
  };
}

function renderProposal({ from, proposed, gates, findings }: ProposalReport): string {
  const move = from === proposed ? `the proposal stays in ${from}` : `the proposal is ${from} → ${proposed}`;
  if (findings.length > 0) return `${move}; the runner would not accept it as it is`;
  const held =
    gates.length === 0 ? "" : `; ${gates.length === 1 ? "its gate holds" : `all ${gates.length} gates hold`}`;
  return `${move}${held}. The runner itself runs the checks, compares what no pass may change, and requires progress`;
}
