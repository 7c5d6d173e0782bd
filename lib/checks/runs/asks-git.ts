import { join } from "node:path";
import type { CheckResult } from "../../rules/check-run.ts";
import { readText } from "../../store/read-file.ts";
import { scriptOf } from "./find-trouble.ts";

/** `git diff --exit-code`, `git status --porcelain` and their like, to the end of the command. */
const question =
  /\bgit\s+(?:-\S+\s+)*(?:diff\b(?=[^\n;&|]*--(?:exit-code|quiet)\b)|status\b(?=[^\n;&|]*\s(?:--porcelain|--short|-s)\b))[^\n;&|]*/;
const maxBytes = 1 << 16;

/**
 * The command by which a check asks git whether anything has changed, and whether it asks about the whole repo; null if
 * none is in its words, its script of package.json, or the files of the repo that it names.
 */
export function findGitQuestion(
  command: readonly string[],
  repo: string,
): { readonly words: string; readonly isBroad: boolean } | null {
  const files = command[0] === "make" ? ["Makefile", "makefile", "GNUmakefile"] : command.slice(1);
  const texts = [
    command.join(" "),
    ...(["npm", "pnpm", "yarn", "bun"].includes(command[0] ?? "") ? command.map((word) => scriptOf(repo, word)) : []),
    ...files.map((file) => readText(join(repo, file), maxBytes) ?? ""),
  ];
  const words = texts.map((text) => question.exec(text)?.[0].trim()).find((found) => found !== undefined);
  if (words === undefined) return null;
  const paths = words
    .replace(/^.*?\s(?:diff|status)\b/, "")
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "." && !word.startsWith("-"));
  return { words, isBroad: paths.length === 0 };
}

/**
 * Explains a failure of such a check over a change that git reports; null for other checks, or if the output names no
 * path.
 */
export function aboutGit({ command, excerpt }: Pick<CheckResult, "command" | "excerpt">, repo: string): string | null {
  const asked = /^(?:diff --git|Binary files) |^[ MADRCU?]{2} \S/m.test(excerpt)
    ? findGitQuestion(command, repo)
    : null;
  return asked === null
    ? null
    : `it asks git for changes (\`${asked.words}\`), and the work is one until it is committed: use checkpoint: commit, and have it look at no file of tasks`;
}
