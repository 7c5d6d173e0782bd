import { setTimeout as sleep } from "node:timers/promises";
import { killForMs } from "../machine/grace.ts";
import { canGroup, groupMembers, killGroups } from "./control-group.ts";
import { followTree } from "./descendants.ts";
import { bootId, identify, identityKey, type ProcessIdentity } from "./identity.ts";
import { carriesLimit, readLimits } from "./limit-mark.ts";
import { carriesMark, isOwnMark, type ProcessMark } from "./mark.ts";
import {
  hasProcTable,
  isOlder,
  listPids,
  ownLine,
  type ProcessRow,
  procRoot,
  readRow,
  readRowOnce,
} from "./proc-table.ts";
import { isTool } from "./running-tools.ts";
import { kill, killAll, send, terminate } from "./send-signal.ts";

export type { ProcessIdentity } from "./identity.ts";

/** The processes that were ended, and those that could not be: of another user, or held by the kernel. */
export interface Ending {
  readonly ended: ProcessIdentity[];
  readonly left: ProcessIdentity[];
}

/** One look: which processes are ours, among all that there are. */
export interface Found {
  readonly ours: readonly ProcessRow[];
  readonly table: ReadonlyMap<number, ProcessRow>;
}

const lookEveryMs = 20;

/** How processes are held together here: by all that /proc shows, or only by their process group. */
export function containment(root: string = procRoot): "proc" | "group" {
  return hasProcTable(root) ? "proc" : "group";
}

/** The same for people: `control_group` if the kernel itself ends whatever a process started. */
export function strongestContainment(): "control_group" | "proc" | "group" {
  return canGroup() ? "control_group" : containment();
}

/** Whether exactly this process lives: not another one with its number, not one that has ended uncollected. */
export function isAlive(identity: ProcessIdentity, root: string = procRoot): boolean {
  if (identity.startTime === "") return send(identity.pid, 0) !== "gone";
  if (identity.bootId !== bootId(root)) return false;
  const row = readRow(identity.pid, root);
  return row !== null && !row.ended && row.startTime === identity.startTime;
}

/**
 * The living processes that carry the mark, were noted, or descend from such ones. Never this process or one of its
 * ancestors. Empty if the system has no /proc.
 */
export function findSurvivors(
  mark: ProcessMark,
  noted: readonly ProcessIdentity[],
  root: string = procRoot,
): ProcessIdentity[] {
  return createFinder(mark, noted, root)().ours.map((row) => identify(row, root));
}

/**
 * Ends them all: TERM (and CONT, so that a stopped one hears it), the grace only if something lives, then KILL until
 * none is left. Returns those that it ended.
 */
export async function endSurvivors(
  mark: ProcessMark,
  noted: readonly ProcessIdentity[],
  graceMs: number,
): Promise<ProcessIdentity[]> {
  return (await endTree(mark, noted, graceMs)).ended;
}

export interface EndOptions {
  /** Not asked to end: a sandbox that ended would take the program with it at once, and ends by itself after it. */
  readonly spared?: ProcessIdentity | null;
  /** The number of a session that some of them share with strangers, as a terminal's: nothing is ours for being in it. */
  readonly sharedSession?: number | null;
}

/** As endSurvivors, and says also what is left. */
export async function endTree(
  mark: ProcessMark,
  noted: readonly ProcessIdentity[],
  graceMs: number,
  { spared = null, sharedSession = null }: EndOptions = {},
): Promise<Ending> {
  const find = createFinder(mark, noted, procRoot, sharedSession);
  const met = new Map<string, ProcessIdentity>();
  const meet = (rows: readonly ProcessRow[]): ProcessRow[] => {
    const fresh = rows.filter((row) => !met.has(identityKey(row)));
    for (const row of fresh) met.set(identityKey(row), identify(row));
    return fresh;
  };
  // One empty look is not enough: a process may have forked and ended between two entries of the listing, and what only
  // the second one finds has its grace like any other.
  let quietLooks = 0;
  const look = (strike?: (row: ProcessRow) => void): Found => {
    const seen = find(strike);
    quietLooks = seen.ours.length === 0 ? quietLooks + 1 : 0;
    return seen;
  };
  let found = look();
  const graceEnd = performance.now() + graceMs;
  while (quietLooks < 2 && performance.now() < graceEnd) {
    if (found.ours.length > 0) {
      terminate(meet(found.ours).filter((row) => spared === null || identityKey(row) !== identityKey(spared)));
      await sleep(Math.max(1, Math.min(lookEveryMs, graceEnd - performance.now())));
    }
    found = look();
  }
  if (await killGroups(mark, killForMs)) quietLooks = 0;
  const killEnd = performance.now() + killForMs;
  while (quietLooks < 2 && performance.now() < killEnd) {
    // At once, while looking: in a chain of forks each link lives for a moment only.
    found = look((row) => {
      meet([row]);
      kill(row);
    });
    meet(found.ours);
    if (killAll(found)) break;
    if (quietLooks === 0) await sleep(1);
  }
  const left = new Set(found.ours.map(identityKey));
  const ended = [...met].filter(([key]) => !left.has(key)).map(([, identity]) => identity);
  return { ended, left: found.ours.map((row) => identify(row)) };
}

/** Follows new processes that appear while it looks, at most so many times. */
const chaseRounds = 50;

/** A search that remembers what it found and what it need not look into again. `strike` is told of each at once. */
function createFinder(
  mark: ProcessMark,
  noted: readonly ProcessIdentity[],
  root: string,
  sharedSession: number | null = null,
): (strike?: (row: ProcessRow) => void) => Found {
  const boot = bootId(root);
  const limits = readLimits(mark);
  const own = isOwnMark(mark);
  const given = new Set(noted.filter((one) => one.bootId === boot && one.startTime !== "").map(identityKey));
  const known = new Set(given);
  const sessions = new Set<number>();
  const emptyLooks = new Map<string, number>();
  const isKnown = (row: ProcessRow): boolean => {
    const key = identityKey(row);
    if (known.has(key)) return true;
    if (own && isOlder(row, root)) return false;
    // Two looks, since the environment reads as empty in the middle of an exec.
    const looks = emptyLooks.get(key) ?? 0;
    if (looks >= 2) return false;
    // A tool carries the limit of the last start, since the runner does.
    if (carriesMark(row.pid, mark, root) || (carriesLimit(row.pid, limits, root) && !isTool(row, root))) known.add(key);
    else emptyLooks.set(key, looks + 1);
    return known.has(key);
  };

  return (strike) => {
    const mine = ownLine(root);
    const members = root === procRoot ? groupMembers(mark) : new Set<number>();
    const table = new Map<number, ProcessRow>();
    const lookAt = (pid: number): boolean => {
      const row = own ? readRowOnce(pid, root) : readRow(pid, root);
      if (row === null) return false;
      table.set(pid, row);
      if (row.ended || mine.has(pid)) return false;
      if (members.has(pid)) known.add(identityKey(row));
      else if (!isKnown(row)) return false;
      strike?.(row);
      return true;
    };
    listPids(root).forEach(lookAt);
    for (let round = 0; round < chaseRounds; round += 1) {
      const fresh = listPids(root).filter((pid) => !table.has(pid));
      if (fresh.filter(lookAt).length === 0) break;
    }
    const ours = followTree(table, known, sessions, mine);
    for (const row of ours) known.add(identityKey(row));
    // A session counts from when its leader, or a process that was noted as a descendant, was seen in it, and for as
    // long as one of ours holds its number.
    const held = ours.filter(
      (row) => sessions.has(row.session) || row.session === row.pid || given.has(identityKey(row)),
    );
    sessions.clear();
    for (const row of held) if (row.session !== sharedSession) sessions.add(row.session);
    return { ours, table };
  };
}
