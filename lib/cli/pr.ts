import { showShort } from "../documents/templates/visible.ts";
import { writeSetting } from "../git/git-settings.ts";
import { readStatus } from "../git/head.ts";
import { pushBranch } from "../git/push.ts";
import { showUrl, withoutCredentials } from "../git/push-target.ts";
import { runGit } from "../git/run-git.ts";
import { pinFile, readPin } from "../pass/checkpoint/git-capture.ts";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { renderPullRequest } from "../queue/actions/rebuild-evidence.ts";
import { findMovedOnTip, findTaskBranch, type WorkBranch } from "../queue/views/task-branch.ts";
import { renderMovedSince } from "../rules/headline.ts";
import type { PrKeys } from "../rules/shapes/reports/tasks.ts";
import { findHostTool } from "../scaffold/host-tools/host-tool.ts";
import { openRepository, type PullRequest } from "../scaffold/host-tools/pull-request.ts";
import { removeAll } from "../store/folder.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import { openTask } from "../task/open-task.ts";
import { locateTask } from "../task/records/task-place.ts";
import { openPreview, type TaskSession } from "../task/session.ts";
import { TaskPhaseError, usageError } from "../text/errors.ts";
import { errorFinding, type Finding, warningFinding } from "../text/finding.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { makePorts } from "./pass-ports.ts";
import { untilStopped } from "./signals.ts";
import { chooseTask } from "./target.ts";

/** `pr`: pushes the branch of a task, and makes or updates its pull request. Nothing is pushed before all is judged. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  return await untilStopped(context, (signal) => propose(context, signal));
}

/** `signal` ends the push and gh or glab: one that worked on would make its request beside that of the next call. */
async function propose(context: CommandContext, signal: AbortSignal): Promise<CommandResult> {
  const { flags, env, home } = context;
  const place = locateTask(chooseTask(context), context.cwd);
  const config = flags.text("config");
  const ports = makePorts(context, signal);
  const task = openTask(place, config, ports);
  const session = openPreview(place, ports);
  const { id, title } = task.contract;
  const tree = context.ahead?.tree ?? null;
  const branch = await findTaskBranch(session, task, flags.text("repo"), tree);
  const agents = [branch.git.top, branch.copy.top, place.tasksRoot];
  const from = { url: branch.url, tool: flags.text("with"), config: task.config.evidence };
  const { tool, ask, ...at } = await findHostTool({ ...from, env, home, agents, signal });
  const repository = await openRepository({ tool, ask, ...at });
  const wanted = flags.text("base");
  if ([wanted, repository.defaultBranch].includes(branch.name))
    throw usageError("TP_PR_DEFAULT", `pull requests go to ${branch.name}, so it cannot be proposed itself`, {
      file: branch.git.top,
      fix: `make a branch of the work: git switch -c ${quoteWord(`task-phase/${id}`)}`,
    });
  const known = await repository.list(branch.name);
  const open = known.find(({ state }) => state === "open");
  const last = open ?? known[0];
  const base = wanted ?? open?.base ?? repository.defaultBranch;
  const isOver = last?.state === "merged" && last.commit === branch.commit;
  if (last?.state === "closed") {
    const fix = `${tool === "gh" ? `gh pr reopen ${last.url}` : `glab mr reopen ${last.number}`}, then again; or leave it`;
    const message = `#${last.number} of this branch was closed without a merge: ${last.url}`;
    throw new TaskPhaseError("needs_user_decision", [errorFinding("TP_PR_CLOSED", message, { fix })]);
  }
  if (!isOver) await refuseUnproven(session, id, branch);

  const dryRun = flags.on("dry-run");
  const findings = [
    ...(await warnUncommitted(session, branch)),
    ...(isOver || dryRun ? [] : await push(session, branch)),
  ];
  if (tree !== null) await nameRemote(branch, !dryRun, env);
  // After the push, when the address of the evidence is known.
  const text = { title: showShort(title, 200), body: await renderPullRequest(place, config, session.ports) };
  const asDraft = flags.on("draft") || session.history.phase !== "done";
  let request = isOver ? last : open;
  if (request === undefined && !dryRun) request = await repository.create(text, branch.name, base, asDraft);
  else if (open !== undefined && !dryRun) await repository.update(open, text, base);
  const isDraft = request?.isDraft ?? asDraft;
  const action = isOver ? "merged" : open === undefined ? "created" : "updated";
  const tip = `${branch.name} (${branch.commit.slice(0, 12)})`;
  const what = `${request === undefined ? "a pull request" : `#${request.number}`} into ${base}${isDraft ? `, ${renderDraft(session, tool, request, action === "updated")}` : ""}`;
  const would = dryRun ? "would have " : "";
  return {
    exitName: "ok",
    json: {
      ...{ task: id, branch: branch.name, commit: branch.commit, base, action, draft: isDraft },
      ...{ number: request?.number ?? null, url: request?.url ?? null },
    } satisfies PrKeys,
    story: isOver
      ? [`#${last.number} was merged with exactly ${tip}; nothing to do`]
      : [`${would}pushed ${tip} to ${showUrl(branch.url)}`, `${would}${action} ${what}: ${text.title}`],
    answer: [dryRun ? text.body.trimEnd() : (request?.url ?? "")],
    findings,
  };
}

/** Whether one that is there is a draft belongs to people. */
function renderDraft({ history }: TaskSession, tool: string, request: PullRequest | undefined, isOld: boolean): string {
  if (request === undefined || history.phase !== "done") return "a draft";
  return `${isOld ? "still " : ""}a draft (${tool === "gh" ? `gh pr ready ${request.url}` : `glab mr update ${request.number} --ready`})`;
}

/** As before each push of the runner: what is pushed is what was proven, or nothing is. */
async function refuseUnproven(session: TaskSession, id: string, branch: WorkBranch): Promise<void> {
  const moved = await findMovedOnTip(session, branch);
  if (moved === null) return;
  const again = `task-phase resume ${quoteWord(id)} --to intake --reason 'the branch changed'`;
  const fix = `if the work is only in the working tree: git add -A && git commit; else let it be proven again: ${again}`;
  const message = `not pushed: ${branch.name} does not hold what was proven for ${id} (${renderMovedSince(moved)})`;
  throw new TaskPhaseError("failure", [errorFinding("TP_GIT_UNCHECKED", message, { file: branch.git.top, fix })]);
}

/** The text shows such work too. Of a task that is done it is a draft, or the branch was refused. */
async function warnUncommitted({ place, history, ports }: TaskSession, branch: WorkBranch): Promise<Finding[]> {
  const { repo, git, copy, name } = branch;
  const status = await readStatus(copy, repo, fingerprintExcludes(place, repo), ports.env);
  if (history.phase === "done" || status.branch !== name || !status.dirty) return [];
  const what = `there are changes that are not committed, and so not in ${name}`;
  return [warningFinding("TP_PR_UNCOMMITTED", what, { file: git.top, fix: "git add -A && git commit, then again" })];
}

/** The copy that the text is made from then knows where its files are on the host. */
async function nameRemote({ copy, url, name, commit }: WorkBranch, isPushed: boolean, env: NodeJS.ProcessEnv) {
  await writeSetting(copy, "remote.origin.url", withoutCredentials(url), env);
  if (isPushed) await runGit(copy, ["update-ref", `refs/remotes/origin/${name}`, commit], { env });
}

/** Only to where the repo was pushed to before a model ran, if that is recorded. */
async function push({ ports }: TaskSession, { repo, git, copy, ...tip }: WorkBranch): Promise<readonly Finding[]> {
  const file = pinFile(git.gitDir, ports);
  const scratch = makeTemporaryFolder("git");
  try {
    const pinned = readPin(file);
    const expected = pinned === null ? null : { url: pinned, file };
    const request = { repo: git === copy ? repo : git.top, tip, expected, scratch, unwelcome: () => [], fence: null };
    const { pushed, findings } = await pushBranch({ ...request, env: ports.env, signal: ports.signal });
    if (pushed) return findings;
    throw new TaskPhaseError(
      "failure",
      findings.map((each) => ({ ...each, severity: "error" })),
    );
  } finally {
    removeAll(scratch);
  }
}
