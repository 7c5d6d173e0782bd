import { catchForeseen } from "../text/attempt.ts";
import { identify, identityKey, type ProcessIdentity } from "./identity.ts";
import { ownLine, type ProcessRow, procRoot, readTable } from "./proc-table.ts";

/**
 * Tracks the descendants of a running process. A daemon that forks twice, clears its environment and closes its
 * descriptors carries no mark, but was seen as a child or in a session of the tree.
 */
interface DescendantWatch {
  scan(): void;
  /** Alive at the last look, head included. */
  noted(): ProcessIdentity[];
  stop(): void;
}

const lookEveryMs = 100;
/** Looks take at most a twentieth of the time, even with very many processes. */
const restFactor = 20;

export function watchDescendants(head: ProcessIdentity, root: string = procRoot): DescendantWatch {
  let noted = new Map<string, ProcessIdentity>([[identityKey(head), head]]);
  // The head leads a session of its own number.
  let sessions = new Set<number>(head.startTime === "" ? [] : [head.pid]);
  let timer: NodeJS.Timeout | undefined;

  const scan = (): void => {
    const table = readTable(root);
    const ours = followTree(table, new Set(noted.keys()), sessions, ownLine(root));
    noted = new Map(ours.map((row) => [identityKey(row), noted.get(identityKey(row)) ?? identify(row, root)]));
    // A session is only entered by birth, so one with a descendant has only descendants.
    sessions = new Set(ours.map((row) => row.session));
  };
  const scanAgain = (afterMs: number): void => {
    timer = setTimeout(() => {
      const started = performance.now();
      // The last look reports a machine that is too full to look.
      catchForeseen(scan, () => undefined);
      scanAgain(Math.max(lookEveryMs, (performance.now() - started) * restFactor));
    }, afterMs);
  };
  // Catches a daemon detached in the first moments.
  scanAgain(lookEveryMs / 5);
  return { scan, noted: () => [...noted.values()], stop: () => clearTimeout(timer) };
}

/** Known processes, their descendants, and sessions of the tree. Never `mine`, nor this process's own session. */
export function followTree(
  table: ReadonlyMap<number, ProcessRow>,
  known: ReadonlySet<string>,
  sessions: ReadonlySet<number>,
  mine: ReadonlySet<number>,
): ProcessRow[] {
  const ownSession = table.get(process.pid)?.session;
  const inTree = (row: ProcessRow): boolean =>
    known.has(identityKey(row)) || (row.session !== ownSession && sessions.has(row.session));
  const verdicts = new Map<number, boolean>();
  // No recursion: a chain of forks may exceed the stack.
  const isOurs = (start: ProcessRow): boolean => {
    const climbed: number[] = [];
    let row: ProcessRow | undefined = start;
    let verdict = false;
    while (row !== undefined && !mine.has(row.pid) && !climbed.includes(row.pid)) {
      verdict = verdicts.get(row.pid) ?? inTree(row);
      climbed.push(row.pid);
      if (verdict || verdicts.has(row.pid)) break;
      row = table.get(row.parent);
    }
    for (const pid of climbed) verdicts.set(pid, verdict);
    return verdict;
  };
  return [...table.values()].filter((row) => !row.ended && isOurs(row));
}
