import { stripVTControlCharacters } from "node:util";
import type { Redactor } from "../../text/redact.ts";

/**
 * What a model said last, as a person reads it: no colours, plain line ends. Taken from the captured end of its output
 * in memory, never from the log file, which the model could have written itself.
 */
export function finalTextOf(outputTail: string, redactor: Redactor): string {
  const plain = stripVTControlCharacters(outputTail.replace(/\r\n?/g, "\n"));
  // Redacted again: a colour may have been in the middle of a secret.
  return redactor.redact(plain);
}
