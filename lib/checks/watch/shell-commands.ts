const mostCommands = 500;
const mostWords = 2_000;

export interface ShellCommand {
  readonly words: readonly string[];
  /**
   * Its output is what something else looks at: it is piped into a program that does more than show it, substituted, or
   * written to a file that the text names once more. Of any other command the exit code is what counts.
   */
  readonly feeds: boolean;
}

interface Parsed extends ShellCommand {
  pipes: boolean;
  /** The file that it writes to. */
  readonly writes: string | null;
}

/**
 * The simple commands of a shell text, as far as words can be distinguished without running anything: quotes and
 * backslashes are taken away, operators, redirections and substitutions end a command, variables stay as they are
 * written. Comments are left out.
 */
export function readShellCommands(text: string): ShellCommand[] {
  const commands: Parsed[] = [];
  /** For each open bracket, whether it substitutes the output of its content. */
  const brackets: boolean[] = [];
  let quoted = false;
  let words: string[] = [];
  let word: string | null = null;
  let count = 0;
  let target: number | null = null;

  function endWord(): void {
    if (word !== null && count < mostWords) {
      words.push(word);
      count += 1;
    }
    word = null;
  }
  function endCommand(pipes = false): void {
    endWord();
    const feeds = quoted || brackets.includes(true);
    const writes = target === null ? null : (words[target] ?? null);
    if (words.length > 0 && commands.length < mostCommands) commands.push({ words, feeds, pipes, writes });
    words = [];
    target = null;
  }

  let before = "";
  for (const [piece] of text.replace(/\\\r?\n/g, " ").matchAll(pieces)) {
    const first = piece[0] ?? "";
    if (piece === " " || piece === "\t" || piece === "\r") endWord();
    else if (first === "#" && word === null) continue;
    else if (first === "'" && piece.length > 1) word = (word ?? "") + piece.slice(1, -1);
    else if (first === '"' && piece.length > 1) word = (word ?? "") + piece.slice(1, -1).replace(/\\(["\\$`])/g, "$1");
    else if (first === "\\") word = (word ?? "") + (piece[1] ?? "");
    else if (/^\d*[<>]/.test(piece)) {
      endWord();
      if (/^1?>+$/.test(piece)) target = words.length;
    } else if (/^(?:\$\(|[\n;&|()`{}])/.test(piece) && !(first === "{" || first === "}")) {
      // The second sign of `||` finds no words any more.
      endCommand(piece === "|");
      const last = commands.at(-1);
      if (piece === "|" && before === "|" && last !== undefined) last.pipes = false;
      if (piece === "`") quoted = !quoted;
      else if (piece === "$(" || piece === "(") brackets.push(piece === "$(" || /^[<>]$/.test(before));
      else if (piece === ")") brackets.pop();
    } else if ((first === "{" || first === "}") && word === null) endCommand();
    else word = (word ?? "") + piece;
    before = piece;
  }
  endCommand();
  return commands.map(({ words: all }, index) => ({ words: all, feeds: feedsOf(commands, index, text) }));
}

/** Programs that only show or keep what they are given. */
const shows = /(?:^|\/)(?:tee|cat|ts|less|more|head|tail|nl|sed|faucet|tap-[\w-]+|[\w-]+-pretty|colorize)$/;
const mostPiped = 20;

function feedsOf(commands: readonly Parsed[], index: number, text: string): boolean {
  for (let at = index; at < index + mostPiped; at += 1) {
    const one = commands[at];
    if (one === undefined) return false;
    const { writes } = one;
    if (one.feeds || (writes !== null && /\w/.test(writes) && isNamedAgain(writes, text))) return true;
    if (!one.pipes) return false;
    if (!shows.test(commands[at + 1]?.words[0] ?? "")) return true;
  }
  return false;
}

function isNamedAgain(name: string, text: string): boolean {
  if (name.startsWith("/dev/")) return false;
  const at = text.indexOf(name);
  return at >= 0 && text.indexOf(name, at + name.length) >= 0;
}

/** A comment matches only as far as its own sign if a word comes before it. */
const pieces =
  /(?<![^\s;&|()])#[^\n]*|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]?|\d*[<>]+&?\d*|\$\(|[\s;&|()`{}]|[^\s;&|()`{}'"\\<>$#\d]+|[\s\S]/g;
