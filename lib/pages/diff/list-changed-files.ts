import { plural } from "../../rules/wording.ts";
import { type DiffFile, parseDiff } from "./diff-parse.ts";

export interface ChangedFile extends Pick<DiffFile, "name" | "added" | "removed"> {
  /** Or why it is not in the diff. */
  readonly change: string;
}

export type ChangedFiles = Readonly<ReturnType<typeof listChangedFiles>>;

const leftOut = "not in the diff";

/**
 * The files of the patches, each once and sorted by name; what several patches change of one is added up. Files that a patch
 * only names are among them. `more`: how many are not in the patches, whose names those leave out too.
 */
export function listChangedFiles(patches: readonly string[]) {
  const found = new Map<string, ChangedFile>();
  let more = 0;
  for (const { files, notes } of patches.map(parseDiff)) {
    for (const { name, change, added, removed } of [...files, ...notes.flatMap(readLeft)]) {
      const before = found.get(name) ?? { change, added: 0, removed: 0 };
      found.set(name, { ...before, name, added: before.added + added, removed: before.removed + removed });
    }
    for (const note of notes) more += Number(/^# {3}and (\d+) more$/.exec(note)?.[1] ?? 0);
  }
  return { files: [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), more };
}

function readLeft(note: string): ChangedFile[] {
  const [, name, why] = /^# {3}(.+) \(([^()]*)\)$/.exec(note) ?? [];
  return name === undefined ? [] : [{ name, change: `${leftOut}: ${why}`, added: 0, removed: 0 }];
}

/** For example `4 files, +49 −3`; empty without a file. */
export function sumChanges({ files, more }: ChangedFiles): string {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + file[key], 0);
  const left = files.filter(({ change }) => change.startsWith(leftOut)).length + more;
  const out = left === 0 ? "" : ` (${plural(left, "file")} ${left === 1 ? "is" : "are"} ${leftOut})`;
  const count = files.length + more;
  return count === 0 ? "" : `${plural(count, "file")}, +${sum("added")} −${sum("removed")}${out}`;
}

/**
 * For example `added, in a person's commit: 9a01b22 Fix it`; empty if there is no more to say than that the file
 * changed.
 */
export function renderChange(
  { persons }: { readonly persons: ReadonlyMap<string, string> },
  { name, change }: Pick<ChangedFile, "name" | "change">,
): string {
  const commit = persons.get(name);
  return [
    ...(change === "changed" ? [] : [change]),
    ...(commit === undefined ? [] : [`in a person's commit: ${commit}`]),
  ].join(", ");
}
