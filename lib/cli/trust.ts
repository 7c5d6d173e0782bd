import { realpathSync } from "node:fs";
import path from "node:path";
import { requireRemote, withoutCredentials } from "../git/push-target.ts";
import type { TrustKeys } from "../rules/shapes/reports/people.ts";
import { leadsToFolder } from "../store/folder.ts";
import { grantTrust, isTrusted, remoteKey, revokeTrust } from "../task/trust.ts";
import { usageError } from "../text/errors.ts";
import { quoteWord } from "../text/shell-words.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { findTasksRoot, isFile } from "./find-root.ts";

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const remote = context.flags.text("remote");
  const shown = remote === null ? requireRoot(context) : withoutCredentials(requireRemote(remote, context.cwd));
  const root = remote === null ? shown : remoteKey(shown);
  const before = isTrusted(root, { ...context, env: { ...context.env, TASK_PHASE_TRUST: undefined } });
  const revoke = context.flags.on("revoke");
  if (revoke) revokeTrust(root, context);
  else grantTrust(root, "trust", context);
  const named = remote === null ? quoteWord(shown) : `--remote ${quoteWord(shown)}`;
  const undo = `task-phase trust --revoke ${named}`;
  return {
    exitName: "ok",
    json: { tasks_root: shown, trusted: !revoke, trusted_before: before } satisfies TrustKeys,
    story: revoke
      ? [before ? "its commands no longer run here" : "it was not trusted"]
      : [
          "commands named by its briefs and task-phase.yaml run here with your rights, now and after later edits",
          ...(remote === null ? ["the same holds in each `git worktree` of its repository"] : []),
          `to undo: ${undo}`,
        ],
    answer: [shown],
    findings: [],
  };
}

function requireRoot({ flags, cwd }: CommandContext): string {
  const given = flags.text("tasks-root") ?? findTasksRoot(cwd);
  if (given === null)
    throw usageError("TP_USAGE_NO_TARGET", "there is no tasks root here or above", {
      fix: "name it: task-phase trust FOLDER",
    });
  const folder = path.resolve(cwd, given);
  if (!leadsToFolder(folder)) {
    throw usageError("TP_TASKS_ROOT", "the tasks root is not a folder", {
      file: folder,
      fix: "name the folder that contains the task folders",
    });
  }
  const root = realpathSync(folder);
  if (isFile(path.join(root, "STATE.md"))) {
    throw usageError("TP_TASKS_ROOT", "this is a task folder; trust applies to a whole tasks root", {
      file: root,
      fix: `write task-phase trust ${quoteWord(path.dirname(root))}`,
    });
  }
  return root;
}
