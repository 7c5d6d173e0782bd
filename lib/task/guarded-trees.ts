import { settledAfterMs } from "../store/sweep-units.ts";
import { type Anchor, anchorFolder } from "./records/anchor.ts";
import type { CurrentPass } from "./records/anchor-shapes.ts";
import type { PassPorts } from "./records/ports.ts";
import { type RunnerTrace, readTrace, statTrace } from "./records/records.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** The other tasks as a pass knows them: by folder, what their own runners had noted by then. */
export type OtherTasks = ReadonlyMap<string, RunnerTrace>;

/** What is recorded as a whole: the other tasks, and the passes of this one. */
export function guardedTrees(
  place: TaskPlace,
  others: readonly string[],
  ports: Pick<PassPorts, "env" | "home">,
): Map<string, (last: string | null) => string> {
  const stampIn = (folder: string) => (last: string | null) => stampTrace(anchorFolder(folder, ports), last);
  return new Map([...others.map((folder) => [folder, stampIn(folder)] as const), [place.passes, () => ""] as const]);
}

/** The other tasks of a pass, from its record. Throws TP_ANCHOR if that is damaged. */
export function otherTasks({ passes }: TaskPlace, anchor: Anchor, current: CurrentPass): OtherTasks {
  const noted = [...anchor.trees.notes(current.trees)].map(([folder, note]) => [folder, traceIn(note)] as const);
  return new Map(noted.filter(([folder]) => folder !== passes));
}

/** The stats of what holds the note, and the note: if nothing changed it is not read again. */
function stampTrace(anchor: string, last: string | null): string {
  const stats = statTrace(anchor);
  if (stats.length === 0) return "";
  const isSettled = stats.every(({ ctimeMs }) => Date.now() - ctimeMs > settledAfterMs);
  const stat = stats.map((one) => [one.dev, one.ino, one.size, one.mtimeMs, one.ctimeMs].join(" ")).join(", ");
  if (isSettled && last?.startsWith(`${stat}\n`) === true) return last;
  const { head, at } = readTrace(anchor);
  return [isSettled ? stat : "just now", head ?? "", at ?? ""].join("\n");
}

function traceIn(note: string): RunnerTrace {
  const [, head = "", at = ""] = note.split("\n");
  return { head: head === "" ? null : head, at: at === "" ? null : at };
}
