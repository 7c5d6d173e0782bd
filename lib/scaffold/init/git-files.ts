/** The lines of a file for git that the tasks root needs. */
export interface GitLines {
  readonly name: ".gitattributes" | ".gitignore";
  readonly comment: string;
  readonly lines: readonly string[];
}

const generated = "linguist-generated -diff";

/**
 * `mark` begins each comment. Diffs fold files that only the runner or the agent writes and that are not read line by
 * line; the brief, STATE.md, DECISIONS.md, EVIDENCE.md and SUMMARY.md are for people and stay open.
 */
export function gitLines(mark: string): GitLines[] {
  return [
    {
      name: ".gitattributes",
      comment: `${mark} git keeps the bytes of tasks; pull requests fold the runner's files, what people read stays open.`,
      lines: [
        "* -text",
        ...["*/artifacts/**", "*/log.txt", "*/progress.txt", "*/last_error.txt", "/index.html"].map(
          (pattern) => `${pattern} ${generated}`,
        ),
      ],
    },
    {
      name: ".gitignore",
      comment: `${mark} locks; cooldowns, changelogs and reports of loops beside them may be committed.`,
      lines: ["/.task-phase/locks/", "/.cron.lock"],
    },
  ];
}

/** The text with the missing lines at its end, in its own line ends; null if none is missing. */
export function addLines(text: string, { comment, lines }: GitLines): string | null {
  const there = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  const missing = lines.filter((line) => !there.has(line));
  if (missing.length === 0) return null;
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : end;
  const added = [...(there.has(comment) ? [] : [comment]), ...missing].map((line) => line + end).join("");
  return text + gap + added;
}
