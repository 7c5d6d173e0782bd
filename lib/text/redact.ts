import { type OnSecret, openRedactingStream, type RedactingStream } from "./redacting-stream.ts";
import { createSecretSearches } from "./secret-search.ts";
import { mayHoldMarks } from "./terminal-marks.ts";

export type { RedactingStream } from "./redacting-stream.ts";

export interface SecretHit {
  /** Such as `github`; `env` for the value of an environment variable. */
  readonly shape: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
}

export interface Redactor {
  /** The text with each secret replaced by `[redacted:shape]`. Doing it twice changes nothing. */
  redact(text: string): string;
  /** Where the secrets are, in the order of the text. What was redacted before is none. */
  findSecrets(text: string): readonly SecretHit[];
  /** The same replacement over a text that comes in pieces: however it is cut, the result is that of `redact`. */
  stream(): RedactingStream;
}

/** How much of a whole text is searched at once. */
const piece = 128 * 1024;

/** Knows the token shapes of big providers and the secret values of this environment. */
export function createRedactor(env: NodeJS.ProcessEnv): Redactor {
  const { open: openSearch, canMatch } = createSecretSearches(env);

  function whole(text: string, onSecret: OnSecret): string {
    const stream = openRedactingStream(openSearch, onSecret);
    const out: string[] = [];
    for (let at = 0; at < text.length; at += piece) out.push(stream.push(text.slice(at, at + piece)));
    out.push(stream.end());
    return out.join("");
  }

  return {
    // Most texts are short and hold nothing: opening a stream for each would cost more than all the searching.
    redact: (text) => (canMatch(text) || mayHoldMarks(text) ? whole(text, () => undefined) : text),
    findSecrets(text) {
      const hits: SecretHit[] = [];
      whole(text, (shape, offset) => hits.push({ shape, ...placeOf(text, offset) }));
      return hits;
    },
    stream: () => openRedactingStream(openSearch, () => undefined),
  };
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let at = before.indexOf("\n"); at >= 0; at = before.indexOf("\n", at + 1)) line += 1;
  return { line, column: offset - lineStart + 1 };
}
