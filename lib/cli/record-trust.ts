import { existsSync, realpathSync } from "node:fs";
import { grantTrust, isTrusted, trustFix, untrusted } from "../config/trust.ts";
import { findsTracked } from "../git/list-paths.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { leadsToFolder } from "../store/folder.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import type { CommandContext } from "./command.ts";

/**
 * True if a person makes this tasks root with this call: it holds no task yet, and git tracks neither a file of it nor
 * the task-phase.yaml that holds for it. What is tracked may have come with a clone. To be asked before anything is
 * written.
 */
export async function isNewRoot(tasksRoot: string, config: string | null, context: CommandContext): Promise<boolean> {
  if (leadsToFolder(tasksRoot) && listTaskFolders(tasksRoot).length > 0) return false;
  const there = [tasksRoot, config].filter((file): file is string => file !== null && existsSync(file));
  try {
    for (const file of there) if (await findsTracked(realpathSync(file), context.env)) return false;
    return true;
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    // A person has to say what git cannot.
    return false;
  }
}

/** Notes that the commands of a new tasks root may run here; a warning if those of an old one may not. */
export function recordTrust(
  tasksRoot: string,
  isNew: boolean,
  by: "init" | "import",
  context: CommandContext,
): Finding[] {
  const root = realpathSync(tasksRoot);
  if (!isNew) {
    const said = warningFinding("TP_UNTRUSTED", untrusted, { file: root, fix: trustFix(root) });
    return isTrusted(root, context) ? [] : [said];
  }
  try {
    grantTrust(root, by, context);
    return [];
  } catch (error) {
    // The task is made; a run says what to do.
    if (!(error instanceof TaskPhaseError)) throw error;
    return error.findings.map((finding) => warningFinding(finding.code, finding.message, finding));
  }
}
