import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "./redact.ts";

/** So much of what was said is looked at: a secret that spans lines is known by its first. */
const longestTail = 16 * 1024;

/** The newest line of a text that comes in pieces. */
export interface LastLine {
  add(piece: string | Uint8Array): void;
  /**
   * The newest whole line that holds anything, redacted, without control marks; empty if there is none. A line that has
   * not ended may hold half of a secret, which nothing knows as one, and so may one whose beginning was dropped.
   */
  read(): string;
}

export function openLastLine(redactor: Redactor): LastLine {
  const decoder = new StringDecoder("utf8");
  let tail = "";
  return {
    add(piece) {
      tail += typeof piece === "string" ? piece : decoder.write(piece);
      if (tail.length > longestTail) tail = tail.slice(-longestTail).replace(/^[^\n]*\n?/, "");
    },
    read() {
      const whole = tail.slice(0, Math.max(tail.lastIndexOf("\n"), tail.lastIndexOf("\r")) + 1);
      const lines = stripVTControlCharacters(redactor.redact(whole)).split(/[\r\n]/);
      return lines.findLast((line) => line.trim() !== "")?.trim() ?? "";
    },
  };
}
