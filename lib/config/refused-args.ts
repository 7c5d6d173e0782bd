import type { AdapterName, CliName } from "./adapter-names.ts";

export interface RefusedArg {
  readonly index: number;
  readonly flag: string;
  readonly why: string;
  readonly fix: string;
}

type Refusal = Omit<RefusedArg, "index" | "flag">;

const output: Refusal = { why: "changes what the CLI prints, and the runner has to read that", fix: "remove it" };
const session: Refusal = { why: "continues an earlier session, and each pass needs its own", fix: "remove it" };
const elsewhere: Refusal = {
  why: "makes the CLI work outside the repo",
  fix: "set `repo` in the brief instead",
};
const people: Refusal = { why: "waits for a person or for another program", fix: "remove it" };
const twice: Refusal = { why: "is already set, and the CLI refuses it twice", fix: "remove it" };
const prompt: Refusal = { why: "gives the CLI a prompt, and the runner passes its own", fix: "remove it" };
const file: Refusal = { why: "makes the CLI write a file that the runner does not know about", fix: "remove it" };
const version: Refusal = { why: "makes the CLI print its version and do no work", fix: "remove it" };
const otherCommand: Refusal = { why: "is not the command that does a pass", fix: "remove it" };

/** By the words of each CLI's own help, and what it did when they were behind those of the runner. */
const refused: Readonly<Record<CliName, Readonly<Record<string, Refusal>>>> = {
  pi: {
    ...each(["--mode"], output),
    ...each(["-c", "--continue", "-r", "--resume", "--session", "--fork"], session),
  },
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

/** The flags of codex behind which any word is a value, by the help of `codex exec`. */
const valueFlags: ReadonlySet<string> = new Set([
  ...["-c", "--config", "--enable", "--disable", "-i", "--image", "-m", "--model", "--local-provider"],
  ...["-p", "--profile", "-s", "--sandbox", "--add-dir", "--output-schema"],
  ...["--thread-source", "--cyber-access-program"],
]);

/** The words of `args` with which an adapter could not do its work, in their order. */
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

/** A word without its value: behind an equals sign, or right behind a short flag. With a space in it, it is text. */
function flagOf(word: string): string {
  if (/^-[A-Za-z]\S+$/.test(word)) return word.slice(0, 2);
  return word.startsWith("--") ? (word.split("=", 1)[0] ?? word) : word;
}

function each(flags: readonly string[], refusal: Refusal): Record<string, Refusal> {
  return Object.fromEntries(flags.map((flag) => [flag, refusal]));
}
