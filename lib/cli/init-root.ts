import { isUtf8 } from "node:buffer";
import { realpathSync } from "node:fs";
import path from "node:path";
import { findGitTop } from "../git/list-paths.ts";
import { addLines, gitLines } from "../init/git-files.ts";
import { dataError, TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { gitMark, putNoted } from "../task/board-files.ts";
import type { CommandContext } from "./command.ts";

export interface RootFiles {
  /** Absolute; made, or completed. */
  readonly written: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * `.gitattributes` and `.gitignore` of a tasks root, with the lines that they lack. None where git does not see them, and
 * none if the tasks root is the top of a repo: its rules are the app's own. The task is made without them all the same.
 */
export function completeGitFiles(context: CommandContext, tasksRoot: string): RootFiles {
  const root = realpathSync(tasksRoot);
  const top = findGitTop(root);
  if (top === null || realpathSync(top) === root) return { written: [], findings: [] };
  const written: string[] = [];
  const findings: Finding[] = [];
  for (const wanted of gitLines(gitMark)) {
    const file = path.join(root, wanted.name);
    try {
      const text = addLines(readText(file), wanted);
      if (text === null) continue;
      putNoted(root, { [file]: text }, context, putFile);
      written.push(path.join(tasksRoot, wanted.name));
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      findings.push(...error.findings.map(({ code, message, ...place }) => warningFinding(code, message, place)));
    }
  }
  return { written, findings };
}

/** Empty if there is none. */
function readText(file: string): string {
  const read = readRegularFile(file, 1 << 20);
  if (read.kind === "missing") return "";
  const fix = "add the lines by hand: docs/task-folder.md has them";
  if (read.kind !== "file")
    throw dataError("TP_INIT_GIT_FILE", `is not a regular file (${read.kind}), so it was left alone`, { file, fix });
  if (!isUtf8(read.bytes)) throw dataError("TP_INIT_GIT_FILE", "is not UTF-8, so it was left alone", { file, fix });
  return read.bytes.toString("utf8");
}
