import path from "node:path";
import { findGitTop } from "../git/list-paths.ts";
import { requireUsableEntry, requireUsableFolder } from "../init/look.ts";
import type { InitKeys } from "../shapes/reports/tasks.ts";
import { makeFolder } from "../store/folder.ts";
import { createFile } from "../store/put-file.ts";
import { readTemplate } from "../templates/render.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { show } from "./show-path.ts";

/** Where Claude Code and opencode look for skills of a repo. */
const skillFile = ".claude/skills/task-phase/SKILL.md";

/** `init --skill`: tells the person's own agent how to write briefs. In the repo around the current folder. */
export function makeSkill(context: CommandContext): CommandResult {
  const file = path.join(findGitTop(context.cwd) ?? context.cwd, skillFile);
  const folder = path.dirname(file);
  requireUsableFolder(folder);
  requireUsableEntry(file, "file");
  makeFolder(folder);
  const made = createFile(file, readTemplate("SKILL.md"));
  const names = [show(context, file)];
  return {
    exitName: "ok",
    json: {
      task: null,
      task_dir: null,
      made: made ? names : [],
      kept: made ? [] : names,
      config: null,
      checks: [],
      next: null,
    } satisfies InitKeys,
    story: [
      `${made ? "made" : "kept"} ${show(context, file)}`,
      "Claude Code and opencode read it there; Codex reads .agents/skills/task-phase/SKILL.md, so copy it there",
    ],
    answer: [file],
    findings: [],
  };
}
