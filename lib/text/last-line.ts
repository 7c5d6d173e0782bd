import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "./redact.ts";

/** How much of the end is searched: a secret that spans lines is recognised by its first. */
const longestTail = 16 * 1024;

export function openLastLine(redactor: Redactor) {
  const decoder = new StringDecoder("utf8");
  let tail = "";
  return {
    add(piece: string | Uint8Array): void {
      tail += typeof piece === "string" ? piece : decoder.write(piece);
      if (tail.length > longestTail) tail = tail.slice(-longestTail).replace(/^[^\n]*\n?/, "");
    },
    /**
     * The newest whole nonempty line, redacted, without control marks; else empty. An unfinished line, or one without
     * its beginning, may hold half a secret that no pattern recognises.
     */
    read(): string {
      const whole = tail.slice(0, Math.max(tail.lastIndexOf("\n"), tail.lastIndexOf("\r")) + 1);
      const lines = stripVTControlCharacters(redactor.redact(whole)).split(/[\r\n]/);
      return lines.findLast((line) => line.trim() !== "")?.trim() ?? "";
    },
  };
}
