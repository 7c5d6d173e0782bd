import { createSecretSearch, placeholderOf, type SecretSearch } from "./secret-search.ts";

export interface SecretHit {
  /** Such as `github`; `env` for the value of an environment variable. */
  readonly shape: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
}

export interface RedactingStream {
  /** Takes the next piece and gives what is safe to write by now; holds back less than 64 Ki characters. */
  push(text: string): string;
  /** Gives the rest. The stream must not be used afterwards. */
  end(): string;
}

export interface Redactor {
  /** The text with each secret replaced by `[redacted:shape]`. Doing it twice changes nothing. */
  redact(text: string): string;
  /** Where the secrets are, in the order of the text. What was redacted before is none. */
  findSecrets(text: string): readonly SecretHit[];
  /** The same replacement over a text that comes in pieces: however it is cut, the result is that of `redact`. */
  stream(): RedactingStream;
}

/** No match is longer than this, and none looks further ahead. See token-shapes.ts for the bounds. */
const holdBack = 32 * 1024;
/** How much is gathered before it is searched. */
const batch = 16 * 1024;
/** No pattern looks further back. */
const lookBack = 512;

type OnHit = (shape: string, offset: number) => void;

/** Knows the token shapes of big providers and the secret values of this environment. */
export function createRedactor(env: NodeJS.ProcessEnv): Redactor {
  const search = createSecretSearch(env);

  function whole(text: string, onHit: OnHit): string {
    const stream = openStream(search, onHit);
    const out: string[] = [];
    for (let at = 0; at < text.length; at += batch) out.push(stream.push(text.slice(at, at + batch)));
    out.push(stream.end());
    return out.join("");
  }

  return {
    redact: (text) => whole(text, () => undefined),
    findSecrets(text) {
      const hits: SecretHit[] = [];
      whole(text, (shape, offset) => hits.push({ shape, ...placeOf(text, offset) }));
      return hits;
    },
    stream: () => openStream(search, () => undefined),
  };
}

function openStream(search: SecretSearch, onHit: OnHit): RedactingStream {
  /** What was let through already, for looking back, up to `from`; and what was not, after it. */
  let text = "";
  let from = 0;
  /** Offset of `text` in the whole. */
  let base = 0;
  /** The rest of a token that is longer than its pattern's bound is dropped. */
  let tail: RegExp | null = null;

  function dropUntil(index: number): void {
    base += index;
    text = text.slice(index);
    from = 0;
  }

  function drain(last: boolean): string {
    const out: string[] = [];
    const find = search.over(text);
    for (;;) {
      if (tail !== null) {
        tail.lastIndex = from;
        dropUntil(from + (tail.exec(text)?.[0].length ?? 0));
        if (text === "") return out.join("");
        tail = null;
      }
      // A match that starts before `limit` is settled: nothing that comes later can change it.
      const limit = last ? text.length : wholeCharacters(text, text.length - holdBack);
      const match = find(text, from);
      if (match === null || (!last && match.index >= limit)) {
        const to = Math.max(from, limit);
        out.push(text.slice(from, to));
        const kept = Math.min(to, lookBack);
        dropUntil(to - kept);
        from = kept;
        return out.join("");
      }
      out.push(text.slice(from, match.index), placeholderOf(match));
      if (match.shape !== null) onHit(match.shape, base + match.index);
      // What was replaced is no context for what follows, as it will be none when the result is redacted again.
      dropUntil(match.index + match.text.length);
      tail = match.tail;
    }
  }

  return {
    push(piece) {
      text += piece;
      return text.length - from >= holdBack + batch ? drain(false) : "";
    },
    end: () => drain(true),
  };
}

/** The greatest index up to the given one that does not cut a surrogate pair, which no encoder could put together. */
function wholeCharacters(text: string, index: number): number {
  const before = text.charCodeAt(index - 1);
  return before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let at = before.indexOf("\n"); at >= 0; at = before.indexOf("\n", at + 1)) line += 1;
  return { line, column: offset - lineStart + 1 };
}
