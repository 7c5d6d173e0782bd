import { settledAfterMs } from "../store/sweep-units.ts";
import { type Anchor, anchorFolder } from "./records/anchor.ts";
import type { CurrentPass } from "./records/anchor-shapes.ts";
import type { PassPorts } from "./records/ports.ts";
import { readHead, statHead } from "./records/records.ts";
import type { TaskPlace } from "./records/task-place.ts";

/** The other tasks as a pass knows them: by folder, the head of the journal as its own runner had noted it. */
export type OtherTasks = ReadonlyMap<string, string | null>;

/** What is recorded as a whole: the other tasks, and the passes of this one. */
export function guardedTrees(
  place: TaskPlace,
  others: readonly string[],
  ports: Pick<PassPorts, "env" | "home">,
): Map<string, (last: string | null) => string> {
  const stampIn = (folder: string) => (last: string | null) => stampHead(anchorFolder(folder, ports), last);
  return new Map([...others.map((folder) => [folder, stampIn(folder)] as const), [place.passes, () => ""] as const]);
}

/** The other tasks of a pass, from its record. Throws TP_ANCHOR if that is damaged. */
export function otherTasks({ passes }: TaskPlace, anchor: Anchor, current: CurrentPass): OtherTasks {
  const heads = [...anchor.trees.notes(current.trees)].map(([folder, note]) => [folder, headIn(note)] as const);
  return new Map(heads.filter(([folder]) => folder !== passes));
}

/** The stats of the files that hold the head, and the head: files that did not change are not read again. */
function stampHead(anchor: string, last: string | null): string {
  const files = statHead(anchor);
  if (files.length === 0) return "";
  const isSettled = files.every(({ ctimeMs }) => Date.now() - ctimeMs > settledAfterMs);
  const stat = files.map((one) => [one.dev, one.ino, one.size, one.mtimeMs, one.ctimeMs].join(" ")).join(", ");
  if (isSettled && last?.startsWith(`${stat}\n`) === true) return last;
  return `${isSettled ? stat : "just now"}\n${readHead(anchor) ?? ""}`;
}

function headIn(note: string): string | null {
  return note.split("\n")[1] ?? null;
}
