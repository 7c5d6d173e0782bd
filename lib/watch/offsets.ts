import { inString } from "./scan-source.ts";

export function skipSpace(words: string, from: number): number {
  let at = from;
  while (at < words.length && (words[at] ?? "") <= " " && words[at] !== inString) at += 1;
  return at;
}

export function lineStart(words: string, at: number): number {
  return at === 0 ? 0 : words.lastIndexOf("\n", at - 1) + 1;
}

export function lineEnd(words: string, at: number): number {
  const end = words.indexOf("\n", at);
  return end < 0 ? words.length : end;
}

export function lastOf(text: string, letters: string): number {
  for (let at = text.length - 1; at >= 0; at -= 1) if (letters.includes(text[at] ?? "")) return at;
  return -1;
}

/** The number of the line of an offset; quickest where offsets come in order. */
export function countLines(code: string): (offset: number) => number {
  let line = 1;
  let from = 0;
  return (offset) => {
    if (offset < from) {
      line = 1;
      from = 0;
    }
    for (let at = from; at < offset; at += 1) if (code[at] === "\n") line += 1;
    from = offset;
    return line;
  };
}
