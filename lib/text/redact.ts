import { mapStrings } from "./map-strings.ts";
import { type OnSecret, openRedactingStream, type RedactingStream } from "./redacting-stream.ts";
import { createSecretSearches } from "./secret-search.ts";
import { mayHoldMarks } from "./terminal-marks.ts";

export type { RedactingStream } from "./redacting-stream.ts";

interface SecretHit {
  /** Such as `github`; `env` for an environment variable's value. */
  readonly shape: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
}

export interface Redactor {
  /** Replaces secrets by `[redacted:shape]`. Idempotent. */
  redact(text: string): string;
  /** In order, without earlier redactions. */
  findSecrets(text: string): readonly SecretHit[];
  /** From here on the secrets among these values are replaced too. */
  learn(env: NodeJS.ProcessEnv): void;
  /** Gives `redact`'s result however the text is cut. */
  stream(): RedactingStream;
}

const piece = 128 * 1024;

/** By the token shapes of big providers and the secret values of this environment. */
export function createRedactor(env: NodeJS.ProcessEnv): Redactor {
  let known = env;
  let { open: openSearch, canMatch } = createSecretSearches(env);

  function whole(text: string, onSecret: OnSecret): string {
    const stream = openRedactingStream(openSearch, onSecret);
    const out: string[] = [];
    for (let at = 0; at < text.length; at += piece) out.push(stream.push(text.slice(at, at + piece)));
    out.push(stream.end());
    return out.join("");
  }

  return {
    // Most texts are short and clean: a stream for each would cost more than the search.
    redact: (text) => (canMatch(text) || mayHoldMarks(text) ? whole(text, () => undefined) : text),
    findSecrets(text) {
      const hits: SecretHit[] = [];
      whole(text, (shape, offset) => hits.push({ shape, ...placeOf(text, offset) }));
      return hits;
    },
    learn(more) {
      if (Object.keys(more).every((name) => known[name] === more[name])) return;
      known = { ...known, ...more };
      ({ open: openSearch, canMatch } = createSecretSearches(known));
    },
    stream: () => openRedactingStream(openSearch, () => undefined),
  };
}

/** 1-based line and column of an offset; only newlines end a line. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let at = before.indexOf("\n"); at !== -1; at = before.indexOf("\n", at + 1)) line++;
  return { line, column: offset - lineStart + 1 };
}

export function redactDeep<Value>(value: Value, redactor: Redactor): Value {
  return mapStrings(value, (text) => redactor.redact(text));
}
