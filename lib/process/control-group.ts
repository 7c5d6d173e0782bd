import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { orElse } from "../text/attempt.ts";
import { takeLimit } from "./limit-mark.ts";
import { type ProcessMark, readMarked } from "./mark.ts";
import { ownLine, procRoot } from "./proc-table.ts";

/**
 * A control group (cgroups(7), version 2) for each started process, if this user may make one: as root, or in a
 * delegated subtree. Children stay in it through fork, exec and setsid, and `cgroup.kill` (Linux 5.14) ends all in one
 * step: a chain of short-lived forks outruns any search of /proc.
 */
let groups = 0;

/**
 * Runs `start` in a new group, so that its process is born there. `start` must not wait, since other starts meanwhile
 * would land there too. Without a group, limits identify the process.
 */
export function startInGroup<Result extends { readonly pid?: number | undefined }>(
  mark: ProcessMark,
  start: () => Result,
): Result {
  const entered = enterGroup(mark);
  if (entered === null) takeLimit(mark);
  let started = false;
  try {
    const result = start();
    started = result.pid !== undefined;
    return result;
  } finally {
    entered?.leave();
    // A process that did not start needs no group.
    if (entered !== null && !started) removeGroup(entered.folder);
  }
}

/** Leaves no group behind. */
export function canGroup(): boolean {
  const made = makeGroup(`task-phase-probe-${process.pid}`);
  if (made === null) return false;
  closeSync(made.home);
  closeSync(made.entrance);
  removeGroup(made.folder);
  return true;
}

/** Processes in the groups of the mark and its children. */
export function groupMembers(mark: ProcessMark): ReadonlySet<number> {
  return new Set(listGroups(mark).flatMap(membersOf));
}

/** Kills all in the groups of the mark and its children, and removes empty groups. True if there was one. */
export async function killGroups(mark: ProcessMark, withinMs: number): Promise<boolean> {
  const groups = listGroups(mark);
  for (const folder of groups) {
    // A runner that did not leave the group must not end itself.
    const mine = ownLine();
    // The group may be gone, or the right to end it.
    const kill = () => writeFileSync(join(folder, "cgroup.kill"), "1");
    if (!membersOf(folder).some((pid) => mine.has(pid))) orElse(kill, undefined);
    const end = performance.now() + withinMs;
    while (membersOf(folder).length > 0 && performance.now() < end) await sleep(2);
    removeGroup(folder);
  }
  return groups.length > 0;
}

/** Returns the way out; null if no group was entered. */
function enterGroup(mark: ProcessMark): { readonly folder: string; leave(): void } | null {
  const made = makeGroup(`task-phase-${basename(mark.keepalivePath)}-${process.pid}-${groups++}`);
  if (made === null) return null;
  const { folder, home, entrance } = made;
  const leave = (): void => {
    try {
      writeSync(home, String(process.pid));
    } finally {
      closeSync(home);
      closeSync(entrance);
    }
  };
  try {
    // Before the start: an unrecorded group could not be ended after a crash.
    appendFileSync(groupNote(mark), `${folder}\n`, { mode: 0o600 });
    writeSync(entrance, String(process.pid));
    return { folder, leave };
  } catch {
    leave();
    removeGroup(folder);
    return null;
  }
}

/** `home`, `entrance`: `cgroup.procs` of the present group and of the new one, opened in advance. */
function makeGroup(name: string): { readonly folder: string; readonly home: number; readonly entrance: number } | null {
  const parent = ownGroup();
  if (parent === null) return null;
  const folder = join(parent, name);
  const opened: number[] = [];
  const open = (path: string): number => {
    const descriptor = openSync(path, constants.O_WRONLY);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    mkdirSync(folder);
    accessSync(join(folder, "cgroup.kill"), constants.W_OK);
    return { folder, home: open(join(parent, "cgroup.procs")), entrance: open(join(folder, "cgroup.procs")) };
  } catch {
    // No right, a read-only mount as in most containers, or an old kernel: the marks must do.
    for (const descriptor of opened) closeSync(descriptor);
    removeGroup(folder);
    return null;
  }
}

/** The present group's folder; null without such a tree. */
export function ownGroup(): string | null {
  return orElse(() => {
    const mount = readFileSync(`${procRoot}/self/mounts`, "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, , type]) => type === "cgroup2")?.[1];
    const path = /^0::(\/.*)$/m.exec(readFileSync(`${procRoot}/self/cgroup`, "utf8"))?.[1];
    return mount === undefined || path === undefined || path.includes("/..") ? null : join(mount, path);
  }, null);
}

function listGroups(mark: ProcessMark): string[] {
  return readMarked(groupNote(mark)).flatMap((text) => text.split("\n").filter(isGroup));
}

/** An agent may write these notes: they must never kill more than a runner's group. */
function isGroup(path: string): boolean {
  return basename(path).startsWith("task-phase-keepalive-") && !path.includes("/../");
}

function groupNote({ keepalivePath }: ProcessMark): string {
  return join(dirname(keepalivePath), `group-${basename(keepalivePath)}`);
}

function membersOf(folder: string): number[] {
  return orElse(() => readFileSync(join(folder, "cgroup.procs"), "latin1").split("\n").filter(Boolean).map(Number), []);
}

/** With subgroups that a program of root's may have made. */
export function removeGroup(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroup(join(folder, entry.name));
    rmdirSync(folder);
  } catch {
    // It is gone, or cannot be ended, which is reported as left.
  }
}
