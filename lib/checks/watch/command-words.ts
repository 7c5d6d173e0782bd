import { escapePattern } from "../../text/escape-pattern.ts";
import { lastPart } from "./places.ts";

const wrappers =
  /^(?:env|cross-env|cross-env-shell|command|exec|time|nice|nohup|timeout|gtimeout|sudo|xvfb-run|stdbuf|setsid|ionice|dotenv|dotenvx|poetry|pipenv|uv|pdm|rye|hatch|bundle|xargs|caffeinate|nix-shell)$/;
const keywords = /^(?:!|if|then|elif|else|fi|do|done|while|until|case|esac|function|\[\[?|run)$/;

/** Assignments, words of the shell, and programs that only start another one are taken off. */
export function withoutPrefixes(words: readonly string[], onWrapper: (word: string) => void): readonly string[] {
  let at = 0;
  let wrapped = false;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (wrappers.test(lastPart(word))) {
      onWrapper(word);
      wrapped = true;
    } else if (/^\w+=/.test(word)) continue;
    else if (wrapped && /^(?:-.*|\d+(?:\.\d+)?[smhd]?|run|exec)$/.test(word)) continue;
    else if (!(at === 0 && keywords.test(word)) && !(wrapped && keywords.test(word))) break;
  }
  return words.slice(at);
}

function interprets(word: string): boolean {
  return /^(?:(?:ba|z|da|k)?sh|node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|Rscript|pwsh)$/.test(
    lastPart(word),
  );
}

export function matchesScript(name: string, pattern: string): boolean {
  if (!pattern.includes("*")) return name === pattern;
  const text = escapePattern(pattern).replace(/(?:\\\*)+/g, ".*");
  return new RegExp(`^${text}$`).test(name);
}

/** The folder and those above it up to the repo, each with a slash at its end; the repo's own is empty. */
export function foldersUp(folder: string): string[] {
  const parts = folder === "" ? [] : folder.split("/");
  return [...parts.map((_part, index) => `${parts.slice(0, parts.length - index).join("/")}/`), ""];
}

/** Flags whose value says how a check is done: another file there is another check. */
const longFlag = /^--(?:config|project|require|import|loader|rc|rcfile|setup|settings)$/;
/** With most programs these mean something else. */
const shortFlags: readonly (readonly [flag: RegExp, programs: RegExp])[] = [
  [/^-c$/, /^(?:jest|vitest|eslint|tap|playwright|pytest|nyc|c8|cypress|wdio)$/],
  [/^-p$/, /^(?:tsc|vue-tsc|tsd)$/],
  [/^-r$/, /^(?:node|mocha|tsx|ts-node|nyc)$/],
  [/^-f$/, /^g?awk$/],
];
/** They only check what they are given. */
const looking =
  /^(?:test|\[|[ef]?grep|rg|ag|cat|head|tail|wc|diff|cmp|comm|ls|stat|find|file|jq|yq|sort|uniq|cut|tr|sed|awk|echo|printf|xmllint|true|false|(?:sha\d*|md5)sum|tar|gzip|cp|mv|mkdir|rm|touch|chmod)$/;
/** With these an interpreter looks whether it could run a file, and runs nothing. */
const onlyReads = /^(?:--check|--syntax-check|-n|-l)$/;
/** Folders whose content is generated from the code. */
const built = /(?:^|\/)(?:dist|build|out|target|coverage|\.next|\.nuxt|\.cache)\//;

/**
 * The words of a command that may name a part of the check itself: the script that an interpreter runs, null if it runs none,
 * or only reads one; the values of flags such as `--config`; and the operands. Operands that git knows are the work, which
 * may change, as in `eslint src`; those that git ignores belong to the check.
 */
export function namedByCheck(head: string, rest: readonly string[]) {
  const program = lastPart(head);
  const tells = (flag: string): boolean =>
    longFlag.test(flag) || shortFlags.some(([short, programs]) => short.test(flag) && programs.test(program));
  const values = rest.flatMap((word, index) => {
    const joined = /^(-[^=]*)=(.+)$/.exec(word);
    if (joined !== null) return tells(joined[1] ?? "") ? [joined[2] ?? ""] : [];
    return tells(word) ? [rest[index + 1] ?? ""] : [];
  });
  const operands = rest.filter((word) => !word.startsWith("-"));
  const script = interprets(head) && !rest.some((word) => onlyReads.test(word)) ? (operands[0] ?? null) : null;
  return { script, parts: values, operands: looking.test(program) ? [] : operands };
}

export function isBuilt(path: string): boolean {
  return built.test(path);
}
