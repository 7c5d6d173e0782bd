import { lstatSync } from "node:fs";
import { join } from "node:path";
import { type Anchor, anchorFolder, headFile, readHead } from "../anchor/anchor.ts";
import type { CurrentPass } from "../anchor/anchor-shapes.ts";
import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { settledAfterMs } from "../store/sweep-units.ts";

/** The other tasks as a pass knows them: by folder, the head of the journal as its own runner had noted it. */
export type OtherTasks = ReadonlyMap<string, string | null>;

/** What is recorded as a whole: the other tasks, and the passes of this one. */
export function guardedTrees(
  place: TaskPlace,
  others: readonly string[],
  ports: Pick<PassPorts, "env" | "home">,
): Map<string, (last: string | null) => string> {
  const noteHead = (folder: string) => (last: string | null) => noteOf(anchorFolder(folder, ports), last);
  return new Map([...others.map((folder) => [folder, noteHead(folder)] as const), [place.passes, () => ""] as const]);
}

/** The other tasks of a pass, from its record. Throws TP_ANCHOR if that is damaged. */
export function otherTasks({ passes }: TaskPlace, anchor: Anchor, current: CurrentPass): OtherTasks {
  if (current.trees === undefined) return new Map(Object.entries(current.other_heads ?? {}));
  const heads = [...anchor.trees.notes(current.trees)].map(([folder, note]) => [folder, headIn(note)] as const);
  return new Map(heads.filter(([folder]) => folder !== passes));
}

/** The stats of the file that holds the head, and the head: a file that did not change is not read again. */
function noteOf(anchor: string, last: string | null): string {
  const stats = lstatSync(join(anchor, headFile), { throwIfNoEntry: false });
  if (stats === undefined) return "";
  const isSettled = Date.now() - stats.ctimeMs > settledAfterMs;
  const stat = [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" ");
  if (isSettled && last?.startsWith(`${stat}\n`) === true) return last;
  return `${isSettled ? stat : "just now"}\n${readHead(anchor) ?? ""}`;
}

function headIn(note: string): string | null {
  return note.split("\n")[1] ?? null;
}
