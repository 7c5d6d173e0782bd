import { basename, resolve } from "node:path";
import { lookAt } from "../store/folder.ts";
import { shorten } from "../text/shorten.ts";

/** Programs that take such words as their own: patterns, scripts, comparisons. */
const ownWords = new Set(
  "sh bash dash zsh ksh fish test [ expr find awk gawk mawk jq yq tr cut grep egrep sed perl echo printf envsubst".split(
    " ",
  ),
);
const joining = new Set(["&&", "||", "|", "|&", ";", ">", ">>", "<", "2>", "2>&1", "&>"]);

/** Programs whose first plain word is one file, or whose plain words all are: none of them expands a pattern. */
const runsFile = /^(?:node|nodejs|python[\d.]*|ruby|deno|tsx|ts-node)$/;
const runsFiles = /^(?:pytest|py\.test)$/;
/** With these a word is text, a module or a pattern of the program's own. */
const otherModes = /^(?:-e|-c|-p|--eval|--print|--test|--run|-m)$/;

/** The word of a command that only a shell would have acted on, and what it would have done; null if there is none. */
export function findShellWord(command: readonly string[], repo: string): string | null {
  const words = withoutEnv(command);
  const [program = "", ...rest] = words;
  const name = basename(program);
  if (ownWords.has(name)) return null;
  const joined = rest.slice(0, -1).find((word) => joining.has(word)) ?? rest.find((word) => word === "2>&1");
  if (joined !== undefined) return `${joined} joins commands or redirects output`;
  const variable = rest.find((word) => /^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})(?:\/|$)/.test(word));
  if (variable !== undefined) return `${shorten(variable)} stands for the value of a variable`;
  const home = rest.find((word) => /^~(?:\/|$)/.test(word) && lookAt(resolve(repo, word)) === null);
  if (home !== undefined) return `${shorten(home)} leads to the home folder`;
  const pattern = findPattern(name, rest, repo);
  return pattern === undefined ? null : `${shorten(pattern)} stands for the files that match`;
}

function findPattern(name: string, rest: readonly string[], repo: string): string | undefined {
  const pytest = rest.indexOf("pytest");
  const isModule = rest[pytest - 1] === "-m";
  const files = runsFiles.test(name) ? rest : isModule ? rest.slice(pytest + 1) : null;
  const isPattern = (word: string) =>
    /[*?]/.test(word) && !word.startsWith("-") && lookAt(resolve(repo, word)) === null;
  // What follows a flag may be its value.
  if (files !== null) return files.find((word, index) => isPattern(word) && !files[index - 1]?.startsWith("-"));
  if (!runsFile.test(name) || rest.some((word) => otherModes.test(word))) return undefined;
  const first = rest.find((word) => !word.startsWith("-"));
  return first !== undefined && isPattern(first) ? first : undefined;
}

/** What `env A=1 npm test` starts. */
function withoutEnv(command: readonly string[]): readonly string[] {
  if (basename(command[0] ?? "") !== "env") return command;
  const at = command.findIndex((word, index) => index > 0 && !/^[A-Za-z_]\w*=/.test(word));
  return at === -1 ? [] : command.slice(at);
}
