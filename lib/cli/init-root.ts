import { isUtf8 } from "node:buffer";
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { adapters } from "../agents/adapters/adapters.ts";
import { findInstalled, type InstalledCli } from "../agents/inspect/discover.ts";
import { findConfig, userConfigFolder } from "../documents/config/find-config.ts";
import { type ModelData, renderConfigFile } from "../documents/templates/render-task-files.ts";
import { findGitTop, findsTracked } from "../git/list-paths.ts";
import { addLines, gitLines } from "../scaffold/init/git-files.ts";
import { repoFiles } from "../scaffold/init/repo-files.ts";
import { entryKind } from "../scaffold/init/usable-entry.ts";
import { leadsToFolder } from "../store/folder.ts";
import { createFile, putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { gitMark, putNoted } from "../task/board-files.ts";
import { listTaskFolders } from "../task/guarded-paths.ts";
import { grantTrust, isTrusted, requireTrustedConfig, trustFix, untrusted } from "../task/trust.ts";
import { catchForeseen, catchForeseenIn, warningsOf } from "../text/attempt.ts";
import { configError, dataError } from "../text/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../text/finding.ts";
import { ignoreLists } from "../text/ignore-lists.ts";
import { asObject } from "../text/json-object.ts";
import type { CommandContext } from "./command.ts";
import { homeOf } from "./io.ts";

/**
 * `.gitattributes` and `.gitignore` of a tasks root, with the lines that they lack. None where git does not see them, and
 * none if the tasks root is the top of a repo: its rules are the app's own. The task is made without them all the same.
 */
export function completeGitFiles(
  context: CommandContext,
  tasksRoot: string,
): { readonly written: readonly string[]; readonly findings: readonly Finding[] } {
  const root = realpathSync(tasksRoot);
  const top = findGitTop(root);
  if (top === null || realpathSync(top) === root) return { written: [], findings: [] };
  const written: string[] = [];
  const findings: Finding[] = [];
  for (const wanted of gitLines(gitMark)) {
    const file = path.join(root, wanted.name);
    const warnings = warningsOf(() => {
      const text = addLines(readText(file), wanted);
      if (text === null) return;
      putNoted(root, { [file]: text }, context, putFile);
      written.push(path.join(tasksRoot, wanted.name));
    });
    findings.push(...warnings);
  }
  return { written, findings };
}

/** The line that keeps such a tool of the repo from the tasks: a check of its own would fail by them. */
export function offerIgnoreLines(tasksRoot: string): Finding[] {
  const root = realpathSync(tasksRoot);
  const top = findGitTop(root);
  if (top === null || realpathSync(top) === root) return [];
  const files = repoFiles(top);
  const manifest = files.json("package.json");
  const packages = ["dependencies", "devDependencies"].flatMap((key) => Object.keys(asObject(manifest?.[key]) ?? {}));
  const folder = path.relative(realpathSync(top), root);
  return ignoreLists.flatMap(({ tool, file, line }) => {
    const text = files.text(file) ?? "";
    const isUsed = packages.includes(tool) || files.has(file) || files.has(`.${tool}rc`);
    const isNamed = text.split(/[^\w./-]+/).some((word) => word.replace(/^\/|\/$/g, "") === folder);
    // A linter of code finds none in a folder of tasks but what an agent puts there.
    if (tool === "eslint" || !isUsed || isNamed) return [];
    return [
      infoFinding("TP_INIT_IGNORE", `${tool} of this repo reads the files of tasks too`, {
        file: path.join(top, file),
        fix: `if it runs as a check, add this line there: ${line(folder)}`,
      }),
    ];
  });
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

export type TaskConfig = ReturnType<typeof makeConfig>;

/** The task-phase.yaml that holds for this folder; null if one is to be made. One that was named must be there. */
export function findExistingConfig({ cwd, env, home, flags }: CommandContext, taskDir: string): string | null {
  const found = findConfig({ configFlag: flags.text("config"), env, home, taskDir, cwd });
  if (found === null) return null;
  if (entryKind(found.path) !== "missing") return found.path;
  const by = found.by === "flag" ? "--config" : "TASK_PHASE_CONFIG";
  throw configError("TP_CONFIG_FILE", `${by} names a file that does not exist`, {
    file: found.path,
    fix: `create the file, or omit ${by}`,
  });
}

/** Makes task-phase.yaml with the agent CLIs on PATH, unless another file holds already. */
export function makeConfig(context: CommandContext, existing: string | null, tasksRoot: string) {
  if (existing !== null) return { path: existing, made: false, models: [] };
  const file = path.join(tasksRoot, "task-phase.yaml");
  const models = findInstalled(context.env);
  const made = createFile(file, renderConfigFile(models.map(toModelData)));
  return { path: file, made, models: made ? models.map(({ name }) => name) : [] };
}

export function toModelData({ name, env }: InstalledCli): ModelData {
  return { name, env, example: adapters[name].knownEnv[0] ?? "MY_API_KEY" };
}

/**
 * True if a person makes this tasks root with this call: it holds no task yet, git tracks no file of it, and no
 * task-phase.yaml holds for it but the user's own or one that a trusted tasks root uses already. What is tracked may
 * have come with a clone, and what is not with an archive. To be asked before anything is written.
 */
export async function isNewRoot(tasksRoot: string, config: string | null, context: CommandContext): Promise<boolean> {
  if (leadsToFolder(tasksRoot) && listTaskFolders(tasksRoot).length > 0) return false;
  const isOwn = async () => {
    if (existsSync(tasksRoot) && (await findsTracked(realpathSync(tasksRoot), context.env))) return false;
    return config === null || isOwnConfig(config, context);
  };
  // A person has to say what git cannot.
  return await catchForeseenIn(isOwn, () => false);
}

/** True for the configuration of the user's own folder, and for one that a trusted tasks root beside or below it uses. */
function isOwnConfig(config: string, context: CommandContext): boolean {
  const ports = { env: context.env, home: homeOf(context.env) };
  if (config.startsWith(userConfigFolder(ports) + path.sep)) return true;
  const trusts = () => {
    requireTrustedConfig(config, ports);
    return true;
  };
  return catchForeseen(trusts, () => false);
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
  // The task is made; a run says what to do.
  return warningsOf(() => grantTrust(root, by, context));
}
