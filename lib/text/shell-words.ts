type ShellWords =
  | { readonly kind: "words"; readonly words: string[] }
  /** 1-based, in UTF-16 code units. */
  | { readonly kind: "bad"; readonly column: number; readonly problem: string };

const operators = "|&;<>()`$\n\r";
const patterns = "*?[";
/** Home folder and comment, at the beginning of a word. */
const firsts = "~#";
const expandsInQuotes = "`$";
const escapableInQuotes = '"\\`$';

/** Like a POSIX shell, but refuses expansions, pipes and lists rather than misread them. */
export function splitShellWords(line: string): ShellWords {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  while (at < line.length) {
    const character = line[at] ?? "";
    if (character === " " || character === "\t") {
      if (word !== null) words.push(word);
      word = null;
      at += 1;
      continue;
    }
    if (word === null && firsts.includes(character)) return bad(at, noShell(character, "quote it"));
    const piece = readPiece(line, at);
    if (piece.kind === "bad") return piece;
    word = (word ?? "") + piece.text;
    at = piece.next;
  }
  if (word !== null) words.push(word);
  return { kind: "words", words };
}

type Piece = { readonly kind: "piece"; readonly text: string; readonly next: number };
type Bad = Extract<ShellWords, { kind: "bad" }>;

function readPiece(line: string, at: number): Piece | Bad {
  const character = line[at] ?? "";
  if (character === "'") {
    const end = line.indexOf("'", at + 1);
    if (end < 0) return bad(at, "the single quote is never closed");
    return { kind: "piece", text: line.slice(at + 1, end), next: end + 1 };
  }
  if (character === '"') return readQuoted(line, at);
  if (character === "\\") {
    const next = line[at + 1];
    if (next === undefined) return bad(at, "it ends with a backslash");
    return { kind: "piece", text: next === "\n" ? "" : next, next: at + 2 };
  }
  if (operators.includes(character)) return bad(at, noShell(character, "quote it"));
  if (patterns.includes(character)) {
    return bad(at, noShell(character, "name the files, or quote it if the program itself expands it"));
  }
  return { kind: "piece", text: character, next: at + 1 };
}

function readQuoted(line: string, start: number): Piece | Bad {
  let text = "";
  let at = start + 1;
  while (at < line.length) {
    const character = line[at] ?? "";
    const next = line[at + 1];
    if (character === '"') return { kind: "piece", text, next: at + 1 };
    if (expandsInQuotes.includes(character)) return bad(at, noShell(character, "put it in single quotes"));
    if (character === "\\" && next !== undefined && (next === "\n" || escapableInQuotes.includes(next))) {
      text += next === "\n" ? "" : next;
      at += 2;
      continue;
    }
    text += character;
    at += 1;
  }
  return bad(start, "the double quote is never closed");
}

function noShell(character: string, advice: string): string {
  const shown = character === "\n" || character === "\r" ? "a line break" : `\`${character}\``;
  return `${shown} means something to a shell, and no shell is used: ${advice}, or put the line into a script`;
}

function bad(index: number, problem: string): Bad {
  return { kind: "bad", column: index + 1, problem };
}

/** Quotes only what needs it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
