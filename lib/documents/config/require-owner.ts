import { lstatSync, readFileSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { realOr } from "../../store/folder.ts";
import { orElse } from "../../text/attempt.ts";
import { configError, type TaskPhaseError } from "../../text/errors.ts";

/** The user whose rights are judged. Injected, so that tests need no second user. */
interface Caller {
  readonly uid: number;
  /** The caller's private group. */
  readonly ownGroup: number | null;
}

/**
 * Throws TP_OWNER unless you or root own a configuration file and its folder, and no other user may write either: its
 * commands run with your rights. A missing file passes, and so does what is no regular file: its reader refuses it. For a
 * link, both its folder and its target are judged.
 */
export function requireOwner(file: string, caller: Caller | null = presentCaller()): void {
  // A system without user ids.
  if (caller === null) return;
  const real = realOr(file);
  for (const path of new Set([dirname(file), dirname(real), real])) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // Its reader refuses a device, and no chmod makes that a configuration.
    if (path === real && stats?.isFile() === false) continue;
    const problem = stats === undefined ? null : judgeOwner(stats, caller);
    if (problem !== null) throw refuse(file, path, problem, stats);
  }
}

interface Problem {
  readonly what: string;
  readonly fix: (path: string) => string;
}

/** Null if it is safe. Others may write a sticky folder such as /tmp. */
export function judgeOwner(stats: Pick<Stats, "uid" | "gid" | "mode">, { uid, ownGroup }: Caller): Problem | null {
  if (stats.uid !== uid && stats.uid !== 0) {
    const who = uid === 0 ? "root" : `you (user ${uid})`;
    return {
      what: `belongs to user ${stats.uid}, not to ${uid === 0 ? who : `${who} or root`}`,
      fix: (path) =>
        `if you trust its contents: ${uid === 0 ? "" : "name a copy of your own by --config FILE, or as root: "}chown ${uid} ${path}`,
    };
  }
  if ((stats.mode & 0o002) !== 0) return { what: "can be written by every user", fix: (path) => `chmod o-w ${path}` };
  if ((stats.mode & 0o020) !== 0 && stats.gid !== ownGroup)
    return { what: `can be written by group ${stats.gid}`, fix: (path) => `chmod g-w ${path}` };
  return null;
}

function refuse(file: string, path: string, { what, fix }: Problem, stats: Stats | undefined): TaskPhaseError {
  const named = path === file ? "it" : path;
  const sticky = stats?.isDirectory() === true && (stats.mode & 0o1002) === 0o1002;
  return configError("TP_OWNER", `this configuration is not read: ${named} ${what}`, {
    file,
    fix: sticky ? `move ${file} into a folder of your own` : fix(path),
  });
}

let known: Caller | null | undefined;

function presentCaller(): Caller | null {
  if (known !== undefined) return known;
  const uid = process.geteuid?.();
  // If unreadable, no group counts as private.
  const groups = orElse(() => readFileSync("/etc/group", "utf8"), "");
  known = uid === undefined ? null : { uid, ownGroup: findOwnGroup(uid, process.getegid?.() ?? -1, groups) };
  return known;
}

/** The private group of Debian, Fedora and others, which makes umask 002 safe: the user's number, no other member. */
export function findOwnGroup(uid: number, gid: number, groups: string): number | null {
  if (gid !== uid) return null;
  const row = groups
    .split("\n")
    .map((line) => line.split(":"))
    .find(([, , number]) => Number(number) === gid);
  if (row === undefined) return null;
  const [name, , , members = ""] = row;
  return members.split(",").every((member) => member === "" || member === name) ? gid : null;
}
