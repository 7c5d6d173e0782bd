import { realpathSync, rmSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { configError } from "../report/errors.ts";
import { lookAt, syncFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import { listFolder } from "../store/walk.ts";
import { parseObject } from "../text/json-object.ts";
import { sha256 } from "../text/sha256.ts";
import { quoteWord } from "../text/shell-words.ts";

/**
 * Which tasks roots may run commands on this machine. A tasks root names programs, in its briefs and in
 * task-phase.yaml, and they run with your rights: one that came with a clone runs none before you said so. Trust holds
 * for a folder by its real path, as in editors, so that later edits continue unattended. It is kept in the state
 * folder, where no clone brings it along.
 */

interface TrustPorts {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
}

/** `tasksRoot` is a real path. TASK_PHASE_TRUST=1 trusts every folder. */
export function isTrusted(tasksRoot: string, ports: TrustPorts): boolean {
  return ports.env.TASK_PHASE_TRUST === "1" || readTrusted(trustFile(tasksRoot, ports)) === tasksRoot;
}

/** Durable. `by` is the calling command. */
export function grantTrust(
  tasksRoot: string,
  by: "init" | "import" | "trust",
  ports: TrustPorts & { now(): Date },
): void {
  const file = trustFile(tasksRoot, ports);
  openPrivateFolder(dirname(file));
  const record = { version: 1, path: tasksRoot, by, at: ports.now().toISOString() };
  putFile(file, `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

/** Durable. False if it was not trusted. */
export function revokeTrust(tasksRoot: string, ports: TrustPorts): boolean {
  const file = trustFile(tasksRoot, ports);
  if (lookAt(file) === null) return false;
  rmSync(file, { force: true });
  syncFolder(dirname(file));
  return true;
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

export const untrusted =
  "this tasks root was not made on this machine, and nobody has allowed its commands to run here";

export function trustFix(tasksRoot: string): string {
  return `read its briefs and task-phase.yaml, then: task-phase trust ${quoteWord(tasksRoot)}`;
}

/** For a task-phase.yaml used without a task, as by `probe`: trusted if a trusted tasks root reads it too. */
export function requireTrustedConfig(file: string, ports: TrustPorts): void {
  const folder = dirname(realpathSync(file));
  const roots = ports.env.TASK_PHASE_TRUST === "1" ? [folder] : listTrusted(ports);
  if (roots.some((root) => root === folder || root.startsWith(folder === sep ? sep : folder + sep))) return;
  throw configError("TP_UNTRUSTED", "this configuration belongs to no tasks root that is trusted on this machine", {
    file,
    fix: trustFix(folder),
  });
}

function listTrusted(ports: TrustPorts): string[] {
  const folder = trustFolder(ports);
  if (lookAt(folder) === null) return [];
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
