import { existsSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { userConfigFolder } from "../config/find-config.ts";
import { grantTrust, isTrusted, requireTrustedConfig, trustFix, untrusted } from "../config/trust.ts";
import { findsTracked } from "../git/list-paths.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { leadsToFolder } from "../store/folder.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import type { CommandContext } from "./command.ts";
import { homeOf } from "./io.ts";

/**
 * True if a person makes this tasks root with this call: it holds no task yet, git tracks no file of it, and no
 * task-phase.yaml holds for it but the user's own or one that a trusted tasks root uses already. What is tracked may
 * have come with a clone, and what is not with an archive. To be asked before anything is written.
 */
export async function isNewRoot(tasksRoot: string, config: string | null, context: CommandContext): Promise<boolean> {
  if (leadsToFolder(tasksRoot) && listTaskFolders(tasksRoot).length > 0) return false;
  try {
    if (existsSync(tasksRoot) && (await findsTracked(realpathSync(tasksRoot), context.env))) return false;
    return config === null || isOwnConfig(config, context);
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    // A person has to say what git cannot.
    return false;
  }
}

/** True for the configuration of the user's own folder, and for one that a trusted tasks root beside or below it uses. */
function isOwnConfig(config: string, context: CommandContext): boolean {
  const home = homeOf(context.env);
  if (config.startsWith(userConfigFolder({ env: context.env, home }) + sep)) return true;
  try {
    requireTrustedConfig(config, { env: context.env, home });
    return true;
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
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
