import { realpathSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { findGitTop, findOuterGit } from "../git/place.ts";
import { statEntry, syncFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { listFolder } from "../store/walk.ts";
import { configError } from "../text/errors.ts";
import { parseObject } from "../text/json-object.ts";
import { sha256 } from "../text/sha256.ts";
import { quoteWord } from "../text/shell-words.ts";

/**
 * Which tasks roots may run commands on this machine. A tasks root names programs, in its briefs and in
 * task-phase.yaml, and they run with your rights: one that came with a clone runs none before you said so. Trust holds
 * for a folder by its real path, as in editors, so that later edits continue unattended, and for the same folder in each
 * linked working tree of its repository, since only its own git makes one. It is kept in the state folder, where no
 * clone brings it along.
 */

interface TrustPorts {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
}

/** `tasksRoot` is a real path. TASK_PHASE_TRUST=1 trusts every folder. */
export function isTrusted(tasksRoot: string, ports: TrustPorts): boolean {
  const isKept = (key: string | null) => key !== null && readTrusted(trustFile(key, ports)) === key;
  return ports.env.TASK_PHASE_TRUST === "1" || isKept(tasksRoot) || isKept(repositoryKey(tasksRoot)?.key ?? null);
}

/**
 * The name of a tasks root in every working tree of its repository: by the common git folder, and the place below the
 * top. A linked tree counts if that folder names it too, since anyone can write a `.git` file. Null without a repository.
 */
function repositoryKey(tasksRoot: string): { readonly key: string; readonly isLinked: boolean } | null {
  const top = tasksRoot.startsWith(sep) ? findGitTop(tasksRoot) : null;
  if (top === null) return null;
  const marker = join(top, ".git");
  const isLinked = statEntry(marker)?.isDirectory() !== true;
  const common = isLinked ? findOuterGit(top)[0] : marker;
  return common === undefined ? null : { key: `repo:${common}:${relative(top, tasksRoot)}`, isLinked };
}

/** Durable. `by` is the calling command. */
export function grantTrust(
  tasksRoot: string,
  by: "init" | "import" | "trust",
  ports: TrustPorts & { now(): Date },
): void {
  openPrivateFolder(trustFolder(ports));
  const repository = repositoryKey(tasksRoot);
  // Trust in a root made in a linked tree does not cover its counterpart in other trees.
  const isShared = repository !== null && (by === "trust" || !repository.isLinked);
  for (const path of [tasksRoot, ...(isShared ? [repository.key] : [])]) {
    const record = { version: 1, path, by, at: ports.now().toISOString() };
    putFile(trustFile(path, ports), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  }
}

/** Durable. False if it was not trusted. */
export function revokeTrust(tasksRoot: string, ports: TrustPorts): boolean {
  const keys = [tasksRoot, repositoryKey(tasksRoot)?.key ?? tasksRoot];
  const files = keys.map((key) => trustFile(key, ports)).filter((file) => statEntry(file) !== null);
  for (const file of files) rmSync(file, { force: true });
  if (files.length > 0) syncFolder(trustFolder(ports));
  return files.length > 0;
}

export function requireTrust(tasksRoot: string, ports: TrustPorts): void {
  if (isTrusted(tasksRoot, ports)) return;
  throw configError("TP_UNTRUSTED", untrusted, { file: tasksRoot, fix: trustFix(tasksRoot) });
}

/** For a remote whose tasks are cloned for each pass, so that no folder lasts. */
export function requireTrustedRemote(url: string, ports: TrustPorts): void {
  if (isTrusted(remoteKey(url), ports)) return;
  throw configError("TP_UNTRUSTED", "nobody has allowed the commands of this remote to run on this machine", {
    file: url,
    fix: `read its briefs and task-phase.yaml, then: task-phase trust --remote ${quoteWord(url)}`,
  });
}

/** The name under which trust in a remote is kept: no path begins so. `url` is without credentials. */
export function remoteKey(url: string): string {
  return `remote:${url}`;
}

export const untrusted = "this tasks root is not trusted: nobody has allowed its commands to run here";

export function trustFix(tasksRoot: string): string {
  return `read its briefs and task-phase.yaml, then: ${trustCommand(tasksRoot)}`;
}

export function trustCommand(tasksRoot: string): string {
  return `task-phase trust ${quoteWord(tasksRoot)}`;
}

/** For a task-phase.yaml used without a task, as by `probe`: trusted if a trusted tasks root reads it too. */
export function requireTrustedConfig(file: string, ports: TrustPorts): void {
  const folder = dirname(realpathSync(file));
  const roots = isTrusted(folder, ports) ? [folder] : listTrusted(ports);
  if (roots.some((root) => root === folder || root.startsWith(folder === sep ? sep : folder + sep))) return;
  throw configError("TP_UNTRUSTED", "this configuration belongs to no tasks root that is trusted on this machine", {
    file,
    fix: trustFix(folder),
  });
}

function listTrusted(ports: TrustPorts): string[] {
  const folder = trustFolder(ports);
  if (statEntry(folder) === null) return [];
  return listFolder(Buffer.from(folder)).flatMap(({ name }) => readTrusted(join(folder, name.toString())) ?? []);
}

function readTrusted(file: string): string | null {
  const read = readRegularFile(file, 64 * 1024);
  const record = read.kind === "file" ? parseObject(read.bytes.toString("utf8")) : null;
  // Anything else is not ours.
  return record?.version === 1 && typeof record.path === "string" ? record.path : null;
}

function trustFile(tasksRoot: string, ports: TrustPorts): string {
  return join(trustFolder(ports), `${sha256(tasksRoot).slice(0, 32)}.json`);
}

function trustFolder({ env, home }: TrustPorts): string {
  return join(stateHome(env, home), "trusted");
}
