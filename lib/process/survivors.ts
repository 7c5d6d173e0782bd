import { setTimeout as sleep } from "node:timers/promises";
import { canGroup, groupMembers, killGroups } from "./control-group.ts";
import { followTree } from "./descendants.ts";
import { killForMs } from "./grace.ts";
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

/** Ended processes, and those that another user owns or the kernel keeps. */
export interface Ending {
  readonly ended: ProcessIdentity[];
  readonly left: ProcessIdentity[];
}

export interface Found {
  readonly ours: readonly ProcessRow[];
  readonly table: ReadonlyMap<number, ProcessRow>;
}

const lookEveryMs = 20;

/** By all that /proc shows, or only by process group. */
export function containment(root: string = procRoot): "proc" | "group" {
  return hasProcTable(root) ? "proc" : "group";
}

/** For people: `control_group` if the kernel itself ends whatever a process started. */
export function strongestContainment(): "control_group" | "proc" | "group" {
  return canGroup() ? "control_group" : containment();
}

/** Whether exactly this process lives, not a later one with its pid or a zombie. */
export function isAlive(identity: ProcessIdentity, root: string = procRoot): boolean {
  if (identity.startTime === "") return send(identity.pid, 0) !== "gone";
  if (identity.bootId !== bootId(root)) return false;
  const row = readRow(identity.pid, root);
  return row !== null && !row.ended && row.startTime === identity.startTime;
}

/** Marked or noted processes and their descendants, never this one or an ancestor. Empty without /proc. */
export function findSurvivors(
  mark: ProcessMark,
  noted: readonly ProcessIdentity[],
  root: string = procRoot,
): ProcessIdentity[] {
  return createFinder(mark, noted, root)().ours.map((row) => identify(row, root));
}

/** TERM and CONT, the grace if anything lives, then KILL until none is left. Returns those that it ended. */
export async function endSurvivors(
  mark: ProcessMark,
  noted: readonly ProcessIdentity[],
  graceMs: number,
): Promise<ProcessIdentity[]> {
  return (await endTree(mark, noted, graceMs)).ended;
}

interface EndOptions {
  /** Not asked to end: the sandbox, which would take its program with it, and ends after it. */
  readonly spared?: ProcessIdentity | null;
  /** A session shared with strangers, such as a terminal's, makes nothing ours. */
  readonly sharedSession?: number | null;
}

/** Like endSurvivors, and also returns what is left. */
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
  // One empty look is not enough: a process may fork and end between two entries of the listing. Processes found by the
  // second look get their grace too.
  let quietLooks = 0;
  const scan = (strike?: (row: ProcessRow) => void): Found => {
    const seen = find(strike);
    quietLooks = seen.ours.length === 0 ? quietLooks + 1 : 0;
    return seen;
  };
  let found = scan();
  const graceEnd = performance.now() + graceMs;
  while (quietLooks < 2 && performance.now() < graceEnd) {
    if (found.ours.length > 0) {
      terminate(meet(found.ours).filter((row) => spared === null || identityKey(row) !== identityKey(spared)));
      await sleep(Math.max(1, Math.min(lookEveryMs, graceEnd - performance.now())));
    }
    found = scan();
  }
  if (await killGroups(mark, killForMs)) quietLooks = 0;
  const killEnd = performance.now() + killForMs;
  while (quietLooks < 2 && performance.now() < killEnd) {
    // Strike while looking: links of a fork chain live for a moment.
    found = scan((row) => {
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

const chaseRounds = 50;

/** Remembers what it found and what needs no further look. Calls `strike` for each at once. */
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
    // Two looks: the environment reads as empty in the middle of an exec.
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
    const addRow = (pid: number): boolean => {
      const row = own ? readRowOnce(pid, root) : readRow(pid, root);
      if (row === null) return false;
      table.set(pid, row);
      if (row.ended || mine.has(pid)) return false;
      if (members.has(pid)) known.add(identityKey(row));
      else if (!isKnown(row)) return false;
      strike?.(row);
      return true;
    };
    listPids(root).forEach(addRow);
    for (let round = 0; round < chaseRounds; round += 1) {
      const fresh = listPids(root).filter((pid) => !table.has(pid));
      if (fresh.filter(addRow).length === 0) break;
    }
    const ours = followTree(table, known, sessions, mine);
    for (const row of ours) known.add(identityKey(row));
    // A session counts while one of ours has its number, once its leader or a noted descendant was seen in it.
    const held = ours.filter(
      (row) => sessions.has(row.session) || row.session === row.pid || given.has(identityKey(row)),
    );
    sessions.clear();
    for (const row of held) if (row.session !== sharedSession) sessions.add(row.session);
    return { ours, table };
  };
}
