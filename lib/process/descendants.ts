import { TaskPhaseError } from "../report/errors.ts";
import { identify, identityKey, type ProcessIdentity } from "./identity.ts";
import { ownLine, type ProcessRow, procRoot, readTable } from "./proc-table.ts";

/**
 * Notes the descendants of one process while it runs. A daemon that forks twice, clears its environment and closes its
 * descriptors carries no mark any more; what remains is that it was seen as a child, or in a session of the tree.
 */
export interface DescendantWatch {
  /** Looks now. */
  look(): void;
  /** The processes alive at the last look, the head included. */
  noted(): ProcessIdentity[];
  stop(): void;
}

const lookEveryMs = 100;
/** A look must not take more than a twentieth of the time, on machines with very many processes. */
const restFactor = 20;

export function watchDescendants(head: ProcessIdentity, root: string = procRoot): DescendantWatch {
  let noted = new Map<string, ProcessIdentity>([[identityKey(head), head]]);
  // The head was started in a session of its own, whose number is its own.
  let sessions = new Set<number>(head.startTime === "" ? [] : [head.pid]);
  let timer: NodeJS.Timeout | undefined;

  const look = (): void => {
    const table = readTable(root);
    const ours = followTree(table, new Set(noted.keys()), sessions, ownLine(root));
    noted = new Map(ours.map((row) => [identityKey(row), noted.get(identityKey(row)) ?? identify(row, root)]));
    // A session is entered only by being born in it, so one that contains a descendant holds nothing but descendants.
    sessions = new Set(ours.map((row) => row.session));
  };
  /** A machine that is too full to be looked at is told of by the last look, which nobody misses. */
  const tryLook = (): void => {
    try {
      look();
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
    }
  };
  const lookAgain = (afterMs: number): void => {
    timer = setTimeout(() => {
      const started = performance.now();
      tryLook();
      lookAgain(Math.max(lookEveryMs, (performance.now() - started) * restFactor));
    }, afterMs);
  };
  // Early looks catch a daemon that is let go in the first moments.
  lookAgain(lookEveryMs / 5);
  return { look, noted: () => [...noted.values()], stop: () => clearTimeout(timer) };
}

/**
 * The living processes that are known, or descend from known ones, or are in a session of the tree. Never one of
 * `mine`, and nothing by its session if that is this process's own.
 */
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
  // Climbs without recursion: a chain of forks may be longer than the stack is deep.
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
