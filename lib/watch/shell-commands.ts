const mostCommands = 500;
const mostWords = 2_000;

/**
 * The simple commands of a shell text, each as its words, as far as words can be told apart without running anything:
 * quotes and backslashes are taken away, operators, redirections and substitutions end a command, variables stay as
 * they are written. Comments are left out.
 */
export function splitShellCommands(text: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | null = null;
  let count = 0;

  function endWord(): void {
    if (word !== null && count < mostWords) {
      words.push(word);
      count += 1;
    }
    word = null;
  }
  function endCommand(): void {
    endWord();
    if (words.length > 0 && commands.length < mostCommands) commands.push(words);
    words = [];
  }

  for (const [piece] of text.replace(/\\\r?\n/g, " ").matchAll(pieces)) {
    const first = piece[0] ?? "";
    if (piece === " " || piece === "\t" || piece === "\r") endWord();
    else if (first === "#" && word === null) continue;
    else if (first === "'" && piece.length > 1) word = (word ?? "") + piece.slice(1, -1);
    else if (first === '"' && piece.length > 1) word = (word ?? "") + piece.slice(1, -1).replace(/\\(["\\$`])/g, "$1");
    else if (first === "\\") word = (word ?? "") + (piece[1] ?? "");
    else if (/^\d*[<>]/.test(piece)) endWord();
    else if (/^(?:\$\(|[\n;&|()`{}])/.test(piece) && !(first === "{" || first === "}")) endCommand();
    else if ((first === "{" || first === "}") && word === null) endCommand();
    else word = (word ?? "") + piece;
  }
  endCommand();
  return commands;
}

/** A comment matches only as far as its own sign where a word comes before it. */
const pieces =
  /(?<![^\s;&|()])#[^\n]*|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]?|\d*[<>]+&?\d*|\$\(|[\s;&|()`{}]|[^\s;&|()`{}'"\\<>$#\d]+|[\s\S]/g;
