import { withoutEmoji } from "../text/cells.ts";

/**
 * The one word of a closed set that a person reads in a value, or null if they would have to guess. Letter case,
 * marks, quotes, `_`, `-`, space, a closing stop, emoji, remarks in brackets and a remark behind a comma or a dash are
 * left aside; two words, a question, a condition or an arrow leave doubt. `text` has no inline marks any more.
 */
export function readClosedWord(text: string, words: readonly string[], noun = ""): string | null {
  if (words.includes(text)) return text;
  if (/[?？❓❔⁉🤔]|:(?:question|grey_question|thinking)(?:_face)?:/u.test(text)) return null;
  const { rest, remarks } = takeRemarks(text);
  const bare = withoutOrnaments(rest, noun);
  // `[verify]`: the word itself is in the brackets.
  if (bare === "" && remarks.length === 1) return readClosedWord(remarks[0]?.trim() ?? "", words, noun);
  const { word, remark } = splitRemark(bare, words);
  if (word === null || crossedOut(rest, word)) return null;
  const doubted =
    remarks.some((said) => doubts(said, word, words)) || (remark !== "" && doubtsFreely(remark, word, words));
  return doubted ? null : word;
}

/** The words of a closed set that a text names, in its order: what a message can offer. */
export function namedWords(text: string, words: readonly string[]): string[] {
  return words
    .map((word) => ({ word, at: text.search(wordPattern(word)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ word }) => word);
}

function takeRemarks(text: string): { rest: string; remarks: string[] } {
  const remarks: string[] = [];
  const rest = text.replace(/\(([^()]*)\)|\[([^[\]]*)\]|\{([^{}]*)\}|<([^<>]*)>/g, (_, ...groups: string[]) => {
    remarks.push(groups.slice(0, 4).find((group) => group !== undefined) ?? "");
    return " ";
  });
  return { rest, remarks };
}

/** Shortcodes, emoji, quotes and marks go; so do a stop at the end and the field's own noun beside the word. */
function withoutOrnaments(text: string, noun: string): string {
  const bare = withoutEmoji(text)
    .replace(/["'`“”‘’„«»‹›]/g, "")
    .replace(/^[\s*~]+|[\s*~.!;,]+$/g, "")
    .replace(/^_+|_+$/g, "");
  if (noun === "") return bare;
  return bare.replace(new RegExp(`^(?:the\\s+)?(?:${noun}\\s+)?(?=\\S)|\\s+${noun}$`, "giu"), "");
}

/** The word at the beginning, and what follows it behind a comma, a dash or on another line. */
function splitRemark(text: string, words: readonly string[]): { word: string | null; remark: string } {
  const whole = sameWord(text, words);
  if (whole !== null) return { word: whole, remark: "" };
  const cut = /\s+[-–—]+\s+|\s*[–—]\s*|[,;:.]\s+|\s*\n\s*/.exec(text);
  if (cut === null) return { word: null, remark: "" };
  const word = sameWord(text.slice(0, cut.index).replace(/[\s*~.!]+$/, ""), words);
  return { word, remark: text.slice(cut.index + cut[0].length) };
}

function sameWord(text: string, words: readonly string[]): string | null {
  const form = squash(text);
  return words.find((word) => squash(word) === form) ?? null;
}

function squash(text: string): string {
  return text.replace(/[\s_–—-]+/g, "").toLowerCase();
}

function wordPattern(word: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${word.split("_").join("[\\s_-]*")}(?![\\p{L}\\p{N}])`, "iu");
}

/** A remark in brackets may name other words in passing; it must not be another word, or take this one back. */
function doubts(remark: string, word: string, words: readonly string[]): boolean {
  // The checkbox of a form: its mark may or may not mean the word.
  if (/^\s*[xX✓✔]?\s*$/u.test(remark)) return true;
  const other = sameWord(withoutOrnaments(remark, ""), words);
  if (other !== null && other !== word) return true;
  if (hasArrow(remark)) return true;
  const first = /^[^\p{L}]*(\p{L}+)/u.exec(remark)?.[1]?.toLowerCase() ?? "";
  return hedges(word).includes(first);
}

/** A remark without brackets must not name another word at all. */
function doubtsFreely(remark: string, word: string, words: readonly string[]): boolean {
  if (hasArrow(remark) || namedWords(remark, words).some((other) => other !== word)) return true;
  return (remark.toLowerCase().match(/\p{L}+/gu) ?? []).some((said) => hedges(word).includes(said));
}

function hasArrow(text: string): boolean {
  return /[→⇒⟶➔➜➡⬅←↔]|->|=>|<-/u.test(text);
}

const always = [
  "or",
  "and",
  "but",
  "then",
  "maybe",
  "perhaps",
  "probably",
  "possibly",
  "unless",
  "except",
  "almost",
  "nearly",
];
const conditions = [
  "if",
  "once",
  "when",
  "until",
  "not",
  "pending",
  "should",
  "partly",
  "partially",
  "mostly",
  "tbd",
  "todo",
];

/**
 * What makes a word uncertain. A condition only holds back a `yes`: `no (pending CI)` and `blocked (until Monday)` say
 * it.
 */
function hedges(word: string): readonly string[] {
  return word === "yes" ? [...always, ...conditions] : always;
}

/** An emoji that says the opposite. */
function crossedOut(text: string, word: string): boolean {
  if (word === "yes") return /[❌✖✗✘🚫⛔👎🛑]/u.test(text);
  return word === "no" && /[✅✔✓☑👍🎉]/u.test(text);
}
