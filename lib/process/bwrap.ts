import { lstatSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { orElse } from "../text/attempt.ts";
import { shorten } from "../text/shorten.ts";
import { findExecutable } from "./find-executable.ts";
import type { ProcessIdentity } from "./identity.ts";
import { procRoot, readTable } from "./proc-table.ts";
import { runHelper } from "./spawn-child.ts";

/** How an absolute, real path appears inside: with other rights, as an empty folder, or as an unreadable file. */
export interface Mount {
  readonly kind: "writable" | "read_only" | "empty";
  readonly path: string;
}

interface SandboxSpec {
  /** Absolute. */
  readonly bwrap: string;
  /** For one path, the longest mount decides, and of equals the strictest. */
  readonly mounts: readonly Mount[];
  /** Replaces the system's temporary folder, writable, unless a mount covers that folder. */
  readonly temporary: string;
  readonly cwd: string;
  readonly argv: readonly string[];
}

/** Where programs write by habit; TMPDIR names it too. A link on some systems. */
export const temporaryFolder = realOr("/tmp");
/** bubblewrap rereads the mount table for each: 1,000 take 3 s, 2,000 take 14 s (0.8.0); it fails at 9,000 words. */
export const mostMounts = 1_000;

/** Doors past a read-only file system: sockets of programs with more rights. */
const doors = ["user", "dbus", "docker", "containerd", "podman", "docker.sock", "systemd/private"].flatMap((name) => [
  `/run/${name}`,
  `/var/run/${name}`,
]);
/** Root could change kernel settings through them by its user number alone. */
const kernelDoors = ["/proc/sys", "/proc/sysrq-trigger"];
/** Enough for root to work on files of other users; any more could undo the mounts. */
const keptCapabilities = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"];

export function sandboxArgv(spec: SandboxSpec): string[] {
  const mounts = inOrder(spec.mounts);
  const ownTemporary = mounts.some(({ path }) => isUnder(temporaryFolder, [path]));
  return [
    spec.bwrap,
    ...outerWords(),
    ...(ownTemporary ? [] : ["--bind", spec.temporary, temporaryFolder]),
    ...mounts.flatMap(mountWords),
    // Last, since a needed folder may lie in an empty one.
    ...mounts.flatMap(({ kind, path }) => (kind === "empty" && !isFile(path) ? ["--remount-ro", path] : [])),
    ...["--setenv", "TMPDIR", temporaryFolder, "--chdir", spec.cwd, "--"],
    ...spec.argv,
  ];
}

interface SeparateSpec extends Pick<SandboxSpec, "bwrap" | "cwd" | "argv"> {
  /** Absolute, real: seen as empty folders that can be written to. */
  readonly hidden: readonly string[];
  /** In one of those, and seen as they are all the same. */
  readonly kept: readonly string[];
  /** Seen in the place of the system's temporary folder; null: that is one of the hidden, or seen as it is. */
  readonly temporary: string | null;
}

/**
 * Runs on this machine, but with other folders for what programs share, another host name, no other process, and none
 * of the hidden folders: such a check finds nothing that was left for it. It can do whatever it could do outside.
 */
export function separateArgv({ bwrap, hidden, kept, temporary, cwd, argv }: SeparateSpec): string[] {
  const covered = [...hidden, ...(temporary === null ? [] : [temporaryFolder])];
  const mounts = inOrder([
    ...hidden.map((path) => ({ kind: "empty", path }) as const),
    ...kept.filter((path) => isUnder(path, covered)).map((path) => ({ kind: "writable", path }) as const),
  ]);
  return [
    ...[bwrap, "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "elsewhere"],
    ...["--dev-bind", "/", "/", "--proc", "/proc"],
    // With the right to mount, it could remove the empty folders.
    ...(process.geteuid?.() === 0 ? ["--cap-drop", "CAP_SYS_ADMIN", "--cap-drop", "CAP_SYS_PTRACE"] : []),
    ...(temporary === null ? [] : ["--bind", temporary, temporaryFolder]),
    ...mounts.flatMap(mountWords),
    ...["--chdir", cwd, "--"],
    ...argv,
  ];
}

/** bubblewrap on PATH, unless it is in a folder that an agent can write to: it runs outside. */
export function findBwrap(pathVariable: string, writable: readonly string[]): string | null {
  return findOutside("bwrap", pathVariable, writable);
}

/** A program on PATH that is in no folder an agent can write to. */
export function findOutside(program: string, pathVariable: string, writable: readonly string[]): string | null {
  for (const folder of pathVariable.split(":").filter((entry) => entry.startsWith("/"))) {
    const found = findExecutable(program, folder, folder);
    if (found !== null && ![found, realpathSync(found)].some((path) => isUnder(path, writable))) return found;
  }
  return null;
}

/** bubblewrap prints its version in a sandbox with nothing in it. */
export function trialArgv(bwrap: string): readonly [string, ...string[]] {
  return [bwrap, ...outerWords(), "--", bwrap, "--version"];
}

/** Tries a sandbox with nothing in it. Null on success, else the message. */
export function trySandbox(bwrap: string): string | null {
  const [program, ...words] = trialArgv(bwrap);
  const problem = runHelper(program, words);
  return problem === null ? null : shorten(problem, 300);
}

/** Bubblewrap's message if it could not make the sandbox or start the program. */
export function setupProblem(end: {
  readonly exitCode: number | null;
  readonly stdout: { readonly bytes: number };
  readonly stderrTail: string;
}): string | null {
  const alone = end.exitCode === 1 && end.stdout.bytes === 0 && /^(?:bwrap: [^\n]*\n?)+$/.test(end.stderrTail);
  return alone ? shorten(end.stderrTail.trim(), 300) : null;
}

/** The pid, seen from outside, of the program inside: bubblewrap's grandchild. Null before it has started. */
export function findInside(head: ProcessIdentity, root: string = procRoot): number | null {
  const rows = [...readTable(root).values()].filter((row) => !row.ended);
  const first = rows.find((row) => row.parent === head.pid);
  const children = rows.filter((row) => row.parent === first?.pid);
  const oldest = children.toSorted((a, b) => Number(a.startTime) - Number(b.startTime) || a.pid - b.pid)[0];
  return oldest?.pid ?? null;
}

/** Everything is readable, no outside process is visible, and nothing outlives its starter. */
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

/** Later entries are mounted on top; one for each path. */
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

/** Resolves links of existing paths: bubblewrap does not follow them. */
function realOr(path: string): string {
  return orElse(() => realpathSync(path), path);
}

/** For the folders themselves too. */
export function isUnder(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(folder === sep ? sep : `${folder}${sep}`));
}
