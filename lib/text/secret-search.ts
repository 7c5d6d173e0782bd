import { addTo } from "./add-to.ts";
import { escapePattern } from "./escape-pattern.ts";
import { providerTokens } from "./provider-tokens.ts";
import { secretValues } from "./secret-values.ts";
import { namedSecrets, tokenShapes } from "./token-shapes.ts";

export interface SecretMatch {
  readonly index: number;
  readonly text: string;
  /** Null for an earlier redaction. */
  readonly shape: string | null;
  /** Further characters of the match, however many; sticky. */
  readonly tail: RegExp | null;
}

/** Searches a text of which only a stretch is present at a time. */
export interface SecretSearch {
  /**
   * Call it with each stretch and its offset before `find` and `findAtStart`: it selects the patterns that can occur
   * there. All patterns at every position would be fifty times slower.
   */
  look(stretch: string, offset: number): void;
  /** The first match from this index on. */
  find(text: string, from: number): SecretMatch | null;
  /** The match at the start, without context before it. */
  findAtStart(text: string): SecretMatch | null;
}

interface Pattern {
  readonly shape: string | null;
  readonly source: string;
  readonly tail: RegExp | null;
  /** A match needs one of these, at least three characters long. */
  readonly needles: readonly string[];
  readonly anyCase: boolean;
}

interface Chosen {
  readonly patterns: readonly Pattern[];
  readonly anywhere: RegExp;
  readonly atStart: RegExp;
}

/** A beginning this long suffices to select a pattern. */
const longestNeedle = 24;

/** If two patterns match at the same place, the first one wins. */
export function createSecretSearches(env: NodeJS.ProcessEnv) {
  const patterns: readonly Pattern[] = [
    earlierRedaction,
    ...secretValues(env).map(valuePattern),
    ...[...tokenShapes, ...providerTokens, ...namedSecrets].map(
      (shape): Pattern => ({
        ...shape,
        anyCase: shape.anyCase === true,
        tail: shape.tail === null ? null : new RegExp(`[${shape.tail}]*`, "y"),
      }),
    ),
  ];
  const needles = patterns.flatMap((pattern, index) =>
    pattern.needles.map((needle) => ({ index, text: needle.slice(0, longestNeedle), anyCase: pattern.anyCase })),
  );
  const finder = createNeedleFinder(needles);
  const chosen = new Map<string, Chosen | null>();

  function choose(present: readonly number[]): Chosen | null {
    const key = present.join(" ");
    const known = chosen.get(key);
    if (known !== undefined) return known;
    const made = present.length === 0 ? null : makeChosen(present.flatMap((index) => patterns[index] ?? []));
    chosen.set(key, made);
    return made;
  }

  const open = (): SecretSearch => {
    /** For each pattern, the end of the last stretch that it was seen in. */
    const seen = new Map<number, number>();
    let looked = 0;
    let now: Chosen | null = null;
    return {
      look(stretch, offset) {
        const end = offset + stretch.length;
        finder.find(stretch, Math.max(0, looked - finder.longest - offset), (needle) => {
          const index = needles[needle]?.index;
          if (index !== undefined) seen.set(index, end);
        });
        looked = end;
        for (const [index, until] of seen) if (until <= offset) seen.delete(index);
        now = choose([...seen.keys()].sort((left, right) => left - right));
      },
      find: (text, from) => (now === null ? null : match(now.anywhere, now.patterns, text, from)),
      findAtStart: (text) => (now === null ? null : match(now.atStart, now.patterns, text, 0)),
    };
  };
  return {
    open,
    /** False proves that a whole text without terminal marks has no match. */
    canMatch(text: string): boolean {
      let found = false;
      finder.find(text, 0, () => {
        found = true;
      });
      return found;
    },
  };
}

function makeChosen(patterns: readonly Pattern[]): Chosen {
  const source = patterns.map((pattern) => `(${pattern.source})`).join("|");
  return { patterns, anywhere: new RegExp(source, "g"), atStart: new RegExp(source, "y") };
}

export function placeholderOf(match: SecretMatch): string {
  return match.shape === null ? match.text : `[redacted:${match.shape}]`;
}

function match(search: RegExp, patterns: readonly Pattern[], text: string, from: number): SecretMatch | null {
  search.lastIndex = from;
  const found = search.exec(text);
  if (found === null) return null;
  const group = found.findIndex((content, index) => index > 0 && content !== undefined);
  const pattern = patterns[group - 1];
  return { index: found.index, text: found[0], shape: pattern?.shape ?? null, tail: pattern?.tail ?? null };
}

const earlierRedaction: Pattern = {
  shape: null,
  source: String.raw`\[redacted:[a-z0-9-]{1,40}\]`,
  tail: null,
  needles: ["[redacted:"],
  anyCase: false,
};

function valuePattern(value: string): Pattern {
  // A value may contain a bracket; an earlier redaction must not look like its end.
  const source = escapePattern(value).replaceAll("\\[", "\\[(?!redacted:)");
  return { shape: "env", source, tail: null, needles: [value], anyCase: false };
}

const tableSize = 1 << 15;

/** At least three characters. */
export interface Needle {
  readonly text: string;
  /** Matches any case of ASCII letters; lower case here. */
  readonly anyCase: boolean;
}

/**
 * Finds many short texts in one walk. A table of hashes of three characters each (after Rabin and Karp; the hash of
 * deflate) tells at each place whether one can begin there.
 */
export function createNeedleFinder(needles: readonly Needle[]) {
  const buckets = new Map<number, number[]>();
  const starts = new Uint8Array(tableSize);
  for (const [index, { text }] of needles.entries()) {
    const hash = [0, 1, 2].reduce((so, at) => next(so, text.charCodeAt(at)), 0);
    starts[hash] = 1;
    addTo(buckets, hash, index);
  }
  return {
    longest: Math.max(0, ...needles.map(({ text }) => text.length)),
    /** Calls `onFound` with the index of each needle from this offset on, possibly repeatedly. */
    find(text: string, from: number, onFound: (needle: number) => void): void {
      let hash = 0;
      for (let at = from; at < text.length; at += 1) {
        hash = next(hash, text.charCodeAt(at));
        if (starts[hash] === 0 || at < from + 2) continue;
        for (const index of buckets.get(hash) ?? []) {
          const needle = needles[index];
          if (needle === undefined) continue;
          const found = text.slice(at - 2, at - 2 + needle.text.length);
          if ((needle.anyCase ? found.toLowerCase() : found) === needle.text) onFound(index);
        }
      }
    },
  };
}

/** Three steps push old characters out. Bit 5 is the case of ASCII letters. */
function next(hash: number, code: number): number {
  return ((hash << 5) ^ (code | 0x20)) & (tableSize - 1);
}
