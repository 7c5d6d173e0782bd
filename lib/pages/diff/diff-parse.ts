export type DiffLineKind = "same" | "added" | "removed" | "hunk" | "note";

export interface DiffLine {
  readonly kind: DiffLineKind;
  /** With its `+`, `-` or space. */
  readonly text: string;
}

export interface DiffFile {
  /** As git writes it, without quotes. */
  readonly name: string;
  /** The name before, if it differs. */
  readonly was: string | null;
  readonly change: "added" | "deleted" | "renamed" | "changed";
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly DiffLine[];
}

interface OpenFile {
  names: { old: string | null; new: string | null };
  heading: string;
  change: DiffFile["change"];
  lines: DiffLine[];
}

const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * A unified diff as git writes it, file by file. Any text can be read: what fits no place in a diff is a note of the
 * file that it is in. Inside a hunk only its own counts say where it ends, so a removed line `-- a/x` is not a header.
 */
export function parseDiff(patch: string): { readonly files: readonly DiffFile[]; readonly notes: readonly string[] } {
  const files: OpenFile[] = [];
  const notes: string[] = [];
  let [old, now] = [0, 0];
  const lines = patch.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const file = files.at(-1);
    // Every line of a hunk begins with a mark, so this can only be the next file.
    if (line.startsWith("diff --git ")) {
      files.push({ names: { old: null, new: null }, heading: line.slice(11), change: "changed", lines: [] });
      [old, now] = [0, 0];
    } else if (file === undefined) {
      if (line.trim() !== "") notes.push(line);
    } else if (old > 0 || now > 0) {
      const kind = kindOf(line);
      if (kind === "removed" || kind === "same") old -= 1;
      if (kind === "added" || kind === "same") now -= 1;
      file.lines.push({ kind, text: line });
    } else {
      const match = hunk.exec(line);
      if (match === null) readHeader(file, line);
      else {
        [old, now] = [Number(match[1] ?? 1), Number(match[2] ?? 1)];
        file.lines.push({ kind: "hunk", text: line });
      }
    }
  }
  return { files: files.map(closeFile), notes };
}

function kindOf(line: string): DiffLineKind {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("\\") || line.startsWith("#") ? "note" : "same";
}

function readHeader(file: OpenFile, line: string): void {
  const value = (start: string) => (line.startsWith(start) ? unquote(line.slice(start.length)) : null);
  // Only these two lines put a side before the name.
  file.names.old ??= withoutSide(value("--- ")) ?? value("rename from ") ?? value("copy from ");
  file.names.new ??= withoutSide(value("+++ ")) ?? value("rename to ") ?? value("copy to ");
  if (line.startsWith("new file")) file.change = "added";
  else if (line.startsWith("deleted file")) file.change = "deleted";
  else if (line.startsWith("rename ")) file.change = "renamed";
  else if (!/^(?:index |--- |\+\+\+ |similarity |dissimilarity |copy )/.test(line))
    file.lines.push({ kind: "note", text: line });
}

function closeFile({ names, heading, change, lines }: OpenFile): DiffFile {
  const [old, now] = [names.old === "/dev/null" ? null : names.old, names.new === "/dev/null" ? null : names.new];
  // Of `a/NAME b/NAME`, if nothing else gives it: an empty file, or one of which only the mode differs.
  const name = now ?? old ?? withoutSide(unquote(heading.slice(Math.floor(heading.length / 2) + 1))) ?? heading;
  return {
    name,
    was: old !== null && old !== name ? old : null,
    change,
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
    lines,
  };
}

/** Git puts quotes around a name with odd characters, and a tab after one with a space. */
function unquote(text: string): string {
  return text.replace(/[\t\r]+$/, "").replace(/^"(.*)"$/, "$1");
}

function withoutSide(name: string | null): string | null {
  return name === null ? null : name.replace(/^[ab]\//, "");
}
