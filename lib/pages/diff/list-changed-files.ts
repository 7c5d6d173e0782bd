import { plural } from "../view/format.ts";
import { type DiffFile, parseDiff } from "./diff-parse.ts";

export type ChangedFile = Pick<DiffFile, "name" | "change" | "added" | "removed">;

/** The files of the patches, each once and sorted by name; what several patches change of one is added up. */
export function listChangedFiles(patches: readonly string[]): ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { name, change, added, removed } of patches.flatMap((patch) => parseDiff(patch).files)) {
    const before = files.get(name);
    files.set(
      name,
      before === undefined
        ? { name, change, added, removed }
        : { ...before, added: before.added + added, removed: before.removed + removed },
    );
  }
  return [...files.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** For example `4 files, +49 −3`; empty without a file. */
export function sumChanges(files: readonly ChangedFile[]): string {
  const sum = (key: "added" | "removed") => files.reduce((total, file) => total + file[key], 0);
  return files.length === 0 ? "" : `${plural(files.length, "file")}, +${sum("added")} −${sum("removed")}`;
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
