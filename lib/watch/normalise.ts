import { inString, type ScannedSource } from "./scan-source.ts";

/** The text without white space, trailing commas and semicolons, its strings in one kind of quotes. */
export function normalise({ code, words }: ScannedSource, start: number, end: number): string {
  const out: string[] = [];
  for (let at = start; at < end; at += 1) {
    const word = words[at] ?? "";
    if (word === inString) {
      // `'it\'s'` and `"it's"` say the same.
      if (code[at] !== "\\" || !quotes.includes(code[at + 1] ?? " ")) out.push(code[at] ?? "");
    } else if (word > " ") {
      if (word === ")" || word === "]" || word === "}") dropEnds(out);
      out.push(word);
    }
  }
  dropEnds(out);
  return out.join("");
}

const quotes = "\"'`";

function dropEnds(out: string[]): void {
  while (out.at(-1) === "," || out.at(-1) === ";") out.pop();
}
