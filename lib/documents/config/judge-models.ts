import { errorFinding, type Finding, type FindingPlace } from "../../text/finding.ts";
import { shorten } from "../../text/shorten.ts";
import type { StrictYaml, YamlStep } from "../strict-yaml.ts";
import type { AdapterName, CliName } from "./adapter-names.ts";
import type { WrittenModel } from "./model-schema.ts";

interface RefusedArg {
  readonly index: number;
  readonly flag: string;
  readonly why: string;
  readonly fix: string;
}

type Refusal = Omit<RefusedArg, "index" | "flag">;

const output: Refusal = { why: "changes what the CLI prints, and the runner has to read that", fix: "remove it" };
const session: Refusal = { why: "continues an earlier session, and each pass needs its own", fix: "remove it" };
const elsewhere: Refusal = { why: "makes the CLI work outside the repo", fix: "set `repo` in the brief instead" };
const people: Refusal = { why: "waits for a person or for another program", fix: "remove it" };
const twice: Refusal = { why: "is already set, and the CLI refuses it twice", fix: "remove it" };
const prompt: Refusal = { why: "gives the CLI a prompt, and the runner passes its own", fix: "remove it" };
const file: Refusal = { why: "makes the CLI write a file that the runner does not know about", fix: "remove it" };
const version: Refusal = { why: "makes the CLI print its version and do no work", fix: "remove it" };
const otherCommand: Refusal = { why: "is not the command that does a pass", fix: "remove it" };

/** From each CLI's help, and its behaviour with these behind the runner's own words. */
const refused: Readonly<Record<CliName, Readonly<Record<string, Refusal>>>> = {
  pi: { ...each(["--mode"], output), ...each(["-c", "--continue", "-r", "--resume", "--session", "--fork"], session) },
  claude: {
    ...each(["--output-format", "--input-format"], output),
    ...each(["-c", "--continue", "-r", "--resume", "--from-pr", "--teleport"], session),
    ...each(["-w", "--worktree", "--cloud"], elsewhere),
    ...each(["--bg", "--background", "--remote-control"], people),
    ...each(["--version", "-v"], version),
  },
  codex: {
    ...each(["--json", "--color", "--ephemeral", "--skip-git-repo-check"], twice),
    ...each(["-C", "--cd", "--worktree"], elsewhere),
    ...each(["resume", "fork", "--last"], session),
    ...each(["review", "apply", "login", "logout", "mcp"], otherCommand),
    ...each(["-o", "--output-last-message"], file),
  },
  gemini: {
    ...each(["-o", "--output-format"], output),
    ...each(["-r", "--resume", "--session-file"], session),
    ...each(["-w", "--worktree"], elsewhere),
    ...each(["-i", "--prompt-interactive", "--acp", "--experimental-acp"], people),
    ...each(["-p", "--prompt"], prompt),
  },
  opencode: {
    ...each(["--format"], output),
    ...each(["-c", "--continue", "-s", "--session", "--fork"], session),
    ...each(["--dir", "--attach"], elsewhere),
    ...each(["-i", "--interactive"], people),
  },
  copilot: {
    ...each(["--output-format"], output),
    ...each(["-r", "--resume", "--continue", "--session-id", "--connect"], session),
    ...each(["-C", "--worktree"], elsewhere),
    ...each(["-i", "--interactive", "--acp", "--remote", "--environment-host"], people),
    ...each(["-p", "--prompt"], prompt),
    ...each(["--share", "--share-gist"], file),
    ...each(["--version", "-v"], version),
  },
  qwen: {
    ...each(["-o", "--output-format", "--input-format", "--json-fd"], output),
    ...each(["-c", "--continue", "-r", "--resume", "--session-id", "--fork-session"], session),
    ...each(["--worktree"], elsewhere),
    ...each(["-i", "--prompt-interactive", "--acp", "--input-file"], people),
    ...each(["-p", "--prompt"], prompt),
    ...each(["--json-file"], file),
    ...each(["--version", "-v"], version),
  },
};

/** Codex flags that take any word as their value, by `codex exec --help`. */
const valueFlags: ReadonlySet<string> = new Set([
  ...["-c", "--config", "--enable", "--disable", "-i", "--image", "-m", "--model", "--local-provider"],
  ...["-p", "--profile", "-s", "--sandbox", "--add-dir", "--output-schema"],
  ...["--thread-source", "--cyber-access-program"],
]);

/** Words that would break the adapter's work, in order. */
export function findRefusedArgs(adapter: AdapterName, args: readonly string[]): RefusedArg[] {
  if (adapter === "command" || adapter === "replay") return [];
  const flags = new Map(Object.entries(refused[adapter]));
  return args.flatMap((word, index) => {
    const isValue = !word.startsWith("-") && valueFlags.has(args[index - 1] ?? "");
    const flag = flagOf(word);
    const refusal = isValue ? undefined : flags.get(flag);
    return refusal === undefined ? [] : [{ index, flag, ...refusal }];
  });
}

/** Without its value: behind an equals sign, or right behind a short flag. A word with a space is text. */
function flagOf(word: string): string {
  if (/^-[A-Za-z]\S+$/.test(word)) return word.slice(0, 2);
  return word.startsWith("--") ? (word.split("=", 1)[0] ?? word) : word;
}

function each(flags: readonly string[], refusal: Refusal): Record<string, Refusal> {
  return Object.fromEntries(flags.map((flag) => [flag, refusal]));
}

type AdapterKey = "command" | "prompt" | "recordings";

const ownKeys: Readonly<Record<AdapterKey, AdapterName>> = {
  command: "command",
  prompt: "command",
  recordings: "replay",
};

const neededKeys: Readonly<Partial<Record<AdapterName, AdapterKey>>> = { command: "command", replay: "recordings" };

/** Duplicate names, and keys and words that do not fit the adapter. */
export function judgeModels(models: readonly WrittenModel[], yaml: StrictYaml): Finding[] {
  return models.flatMap((model, index) => {
    const named = `\`models[${index + 1}]\` (${shorten(model.name)})`;
    const problem = (key: string, message: string, fix: string): Finding =>
      errorFinding("TP_CONFIG_VALUE", `${named} ${message}`, { ...yaml.locate(["models", index, key], "key"), fix });
    const namesake = models.findIndex((other) => other.name === model.name) < index;
    return [
      ...(namesake ? [problem("name", "has the same name as another model", "give each model its own name")] : []),
      ...judgeKeys(model, problem),
      ...judgeArgs(model, named, (path) => yaml.locate(["models", index, ...path], "value")),
    ];
  });
}

function judgeKeys(model: WrittenModel, problem: (key: string, message: string, fix: string) => Finding): Finding[] {
  const { adapter } = model;
  const findings: Finding[] = [];
  const needed = neededKeys[adapter];
  if (needed !== undefined && model[needed] === undefined) {
    findings.push(problem("adapter", `has the adapter ${adapter} but no \`${needed}\``, `add \`${needed}:\``));
  }
  for (const [key, owner] of Object.entries(ownKeys) as [AdapterKey, AdapterName][]) {
    if (model[key] === undefined || owner === adapter) continue;
    findings.push(problem(key, `has a \`${key}\`, which the adapter ${adapter} does not use`, "remove the key"));
  }
  return findings;
}

function judgeArgs(model: WrittenModel, named: string, locate: (path: readonly YamlStep[]) => FindingPlace): Finding[] {
  const lists = [
    { path: ["args"], words: model.args },
    { path: ["tiers", "cheap", "args"], words: model.tiers?.cheap?.args ?? [] },
  ];
  return lists.flatMap(({ path, words }) =>
    findRefusedArgs(model.adapter, words).map(({ index, flag, why, fix }) =>
      errorFinding("TP_CONFIG_VALUE", `${named} must not have \`${flag}\` in \`${path.join(".")}\`: it ${why}`, {
        ...locate([...path, index]),
        fix,
      }),
    ),
  );
}
