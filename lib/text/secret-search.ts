import { createNeedleFinder } from "./find-needles.ts";
import { namedSecrets } from "./named-secrets.ts";
import { providerTokens } from "./provider-tokens.ts";
import { secretValues } from "./secret-values.ts";
import { tokenShapes } from "./token-shapes.ts";

export interface SecretMatch {
  readonly index: number;
  readonly text: string;
  /** Null if an earlier redaction is kept. */
  readonly shape: string | null;
  /** Further characters that belong to the match, however long; sticky. */
  readonly tail: RegExp | null;
}

/** The search through one text, of which only a stretch is there at a time. */
export interface SecretSearch {
  /**
   * The stretch, and its offset in the whole text. Must be called with each before `find` and `findAt`, which then
   * hold for every part of it: only the patterns that can occur there take part. All of them together at every
   * position would be fifty times slower.
   */
  look(stretch: string, offset: number): void;
  /** The first match from this index on. */
  find(text: string, from: number): SecretMatch | null;
  /** The match at the start of this text; what was before it does not count. */
  findAtStart(text: string): SecretMatch | null;
}

interface Pattern {
  readonly shape: string | null;
  readonly source: string;
  readonly tail: RegExp | null;
  /** It cannot match unless one of these occurs; at least three characters each. */
  readonly needles: readonly string[];
  readonly anyCase: boolean;
}

/** The regular expressions for those patterns that occur. */
interface Chosen {
  readonly patterns: readonly Pattern[];
  readonly anywhere: RegExp;
  readonly atStart: RegExp;
}

/** So much of a needle is enough to say that a pattern may match. */
const longestNeedle = 24;

export interface SecretSearches {
  open(): SecretSearch;
  /** False: there is no match in this text, if it is whole and without marks of the terminal. */
  canMatch(text: string): boolean;
}

/** Makes searches. The order matters if two patterns match at the same place: the first one wins. */
export function createSecretSearches(env: NodeJS.ProcessEnv): SecretSearches {
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
    /** For each pattern: the offset up to which the stretch went in which it was seen last. */
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
    canMatch(text) {
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

/** The replacement of a match. */
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
  const escaped = value.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  // A value may contain a bracket; what an earlier redaction left behind must not look like its end.
  const source = escaped.replaceAll("\\[", "\\[(?!redacted:)");
  return { shape: "env", source, tail: null, needles: [value], anyCase: false };
}
