import { lstatSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { shorten } from "../text/shorten.ts";
import { findExecutable } from "./find-executable.ts";
import type { ProcessIdentity } from "./identity.ts";
import { procRoot, readTable } from "./proc-table.ts";
import { runHelper } from "./spawn-child.ts";

/** The mount at an absolute, real path of the sandbox: the outside path with other rights, an empty folder, or a file that nobody can read. */
export interface Mount {
  readonly kind: "writable" | "read_only" | "empty";
  readonly path: string;
}

export interface SandboxSpec {
  /** The program of bubblewrap; absolute. */
  readonly bwrap: string;
  /** If several say something of one path, the longest decides, and of equals the strictest. */
  readonly mounts: readonly Mount[];
  /**
   * Stands, writable, in place of the system's folder for temporary files, unless a mount says something of that
   * folder itself.
   */
  readonly temporary: string;
  readonly cwd: string;
  readonly argv: readonly string[];
}

/** Where programs expect to write, whatever they are told; TMPDIR says the same inside. A link on some systems. */
export const temporaryFolder = realOr("/tmp");
/**
 * bubblewrap reads the whole table of mounts again for each of them: 1,000 take 3 s, 2,000 take 14 s (0.8.0), and
 * with 9,000 words on its command line it gives up.
 */
export const mostMounts = 1_000;

/**
 * Sockets of programs that do on request what the one who asks may not: a file system that can only be read does not
 * keep from writing to them. Folders are empty inside, sockets are not there.
 */
const doors = ["user", "dbus", "docker", "containerd", "podman", "docker.sock", "systemd/private"].flatMap((name) => [
  `/run/${name}`,
  `/var/run/${name}`,
]);
/** Root could change the kernel's settings through them with no right but its number; nobody else can. */
const kernelDoors = ["/proc/sys", "/proc/sysrq-trigger"];
/** The capabilities that root needs to work on files of other users; with any more it could undo the mounts. */
const keptCapabilities = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"];

/** The command line that runs `argv` in the sandbox. */
export function sandboxArgv(spec: SandboxSpec): string[] {
  const mounts = inOrder(spec.mounts);
  const ownTemporary = mounts.some(({ path }) => isUnder(temporaryFolder, [path]));
  return [
    spec.bwrap,
    ...outerWords(),
    ...(ownTemporary ? [] : ["--bind", spec.temporary, temporaryFolder]),
    ...mounts.flatMap(mountWords),
    // At the end, since a folder that is needed may lie in an empty one.
    ...mounts.flatMap(({ kind, path }) => (kind === "empty" && !isFile(path) ? ["--remount-ro", path] : [])),
    ...["--setenv", "TMPDIR", temporaryFolder, "--chdir", spec.cwd, "--"],
    ...spec.argv,
  ];
}

/**
 * bubblewrap, as PATH leads to it; null if it does not. One in a folder that an agent can write to does not count:
 * it would run outside.
 */
export function findBwrap(pathVariable: string, writable: readonly string[]): string | null {
  return findOutside("bwrap", pathVariable, writable);
}

/** The same of another program that must not come from a folder that an agent can write to. */
export function findOutside(program: string, pathVariable: string, writable: readonly string[]): string | null {
  for (const folder of pathVariable.split(":").filter((entry) => entry.startsWith("/"))) {
    const found = findExecutable(program, folder, folder);
    if (found !== null && ![found, realpathSync(found)].some((path) => isUnder(path, writable))) return found;
  }
  return null;
}

/** The command line that shows whether a sandbox can be made: bubblewrap says its version in one with nothing in it. */
export function trialArgv(bwrap: string): readonly [string, ...string[]] {
  return [bwrap, ...outerWords(), "--", bwrap, "--version"];
}

/** Makes a sandbox with nothing in it. Null if that works; else what was said. */
export function trySandbox(bwrap: string): string | null {
  const [program, ...words] = trialArgv(bwrap);
  const problem = runHelper(program, words);
  return problem === null ? null : shorten(problem, 300);
}

/** Bubblewrap's message if it could not make the sandbox or start the program in it; null if it could. */
export function setupProblem(end: {
  readonly exitCode: number | null;
  readonly stdout: { readonly bytes: number };
  readonly stderrTail: string;
}): string | null {
  const alone = end.exitCode === 1 && end.stdout.bytes === 0 && /^(?:bwrap: [^\n]*\n?)+$/.test(end.stderrTail);
  return alone ? shorten(end.stderrTail.trim(), 300) : null;
}

/**
 * The number of the program inside, as it is outside: bubblewrap waits for its first process, which collects all
 * others, and whose first child is the program. Null before it has started.
 */
export function findInside(head: ProcessIdentity, root: string = procRoot): number | null {
  const rows = [...readTable(root).values()].filter((row) => !row.ended);
  const first = rows.find((row) => row.parent === head.pid);
  const children = rows.filter((row) => row.parent === first?.pid);
  const oldest = children.toSorted((a, b) => Number(a.startTime) - Number(b.startTime) || a.pid - b.pid)[0];
  return oldest?.pid ?? null;
}

/** Everything is there and can be read, no process outside can be seen, and nothing outlives the one who started it. */
function outerWords(): string[] {
  const root = process.geteuid?.() === 0;
  return [
    ...["--die-with-parent", "--unshare-pid", "--unshare-ipc"],
    ...(root ? ["--cap-drop", "ALL", ...keptCapabilities.flatMap((name) => ["--cap-add", name])] : []),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...(root ? kernelDoors.flatMap((path) => ["--ro-bind-try", path, path]) : []),
    ...[...new Set(doors.map(realOr))].flatMap(closeDoor),
  ];
}

function closeDoor(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return ["--tmpfs", path];
  return stats?.isSocket() === true ? ["--ro-bind", "/dev/null", path] : [];
}

function mountWords({ kind, path }: Mount): string[] {
  if (kind === "empty") return isFile(path) ? ["--ro-bind", "/dev/null", path] : ["--tmpfs", path];
  return [kind === "writable" ? "--bind" : "--ro-bind", path, path];
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const strictness = { writable: 0, read_only: 1, empty: 2 } as const;

/** A later entry is mounted later, and so on top; one for each path. */
function inOrder(mounts: readonly Mount[]): Mount[] {
  const strictest = new Map<string, Mount>();
  for (const mount of mounts) {
    const other = strictest.get(mount.path);
    if (other === undefined || strictness[mount.kind] > strictness[other.kind]) strictest.set(mount.path, mount);
  }
  return [...strictest.values()].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1));
}

function depth(path: string): number {
  return path.split(sep).filter((part) => part !== "").length;
}

/** The path with no link in it, where anything is there: bubblewrap does not find its way through links. */
function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** True for each of these folders, and for what is in one. */
export function isUnder(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(folder === sep ? sep : `${folder}${sep}`));
}
