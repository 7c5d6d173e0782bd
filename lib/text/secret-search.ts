import { secretValues } from "./secret-values.ts";
import { tokenShapes } from "./token-shapes.ts";

export interface SecretMatch {
  readonly index: number;
  readonly text: string;
  /** Null where an earlier redaction stands. */
  readonly shape: string | null;
  /** What goes on belonging to the match, however long; sticky. */
  readonly tail: RegExp | null;
}

export interface SecretSearch {
  /**
   * Makes the search for a stretch of text, which then holds for every part of it: only the patterns that can occur
   * there take part. All of them together at every position would be fifty times slower.
   */
  over(stretch: string): (text: string, from: number) => SecretMatch | null;
}

interface Pattern {
  readonly shape: string | null;
  readonly source: string;
  readonly tail: RegExp | null;
  occursIn(stretch: string, lowerCase: string): boolean;
}

/** The order matters where two match at the same place: the first one wins. */
export function createSecretSearch(env: NodeJS.ProcessEnv): SecretSearch {
  const patterns: readonly Pattern[] = [earlierRedaction, ...secretValues(env).map(valuePattern), ...shapePatterns()];
  const searches = new Map<string, RegExp>();

  return {
    over(stretch) {
      const lowerCase = stretch.toLowerCase();
      const present = patterns.filter((pattern) => pattern.occursIn(stretch, lowerCase));
      if (present.length === 0) return () => null;
      const key = present.map((pattern) => patterns.indexOf(pattern)).join(" ");
      let search = searches.get(key);
      if (search === undefined) {
        search = new RegExp(present.map(({ source }) => `(${source})`).join("|"), "g");
        searches.set(key, search);
      }
      return (text, from) => findNext(search, present, text, from);
    },
  };
}

/** What stands in the place of a match. */
export function placeholderOf(match: SecretMatch): string {
  return match.shape === null ? match.text : `[redacted:${match.shape}]`;
}

function findNext(search: RegExp, present: readonly Pattern[], text: string, from: number): SecretMatch | null {
  search.lastIndex = from;
  const match = search.exec(text);
  if (match === null) return null;
  const group = match.findIndex((content, index) => index > 0 && content !== undefined);
  const pattern = present[group - 1];
  return { index: match.index, text: match[0], shape: pattern?.shape ?? null, tail: pattern?.tail ?? null };
}

const earlierRedaction: Pattern = {
  shape: null,
  source: String.raw`\[redacted:[a-z0-9-]{1,40}\]`,
  tail: null,
  occursIn: (stretch) => stretch.includes("[redacted:"),
};

function valuePattern(value: string): Pattern {
  const escaped = value.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  // A value may hold a bracket; what an earlier redaction left behind must not look like its end.
  const source = escaped.replaceAll("\\[", "\\[(?!redacted:)");
  return { shape: "env", source, tail: null, occursIn: (stretch) => stretch.includes(value) };
}

function shapePatterns(): Pattern[] {
  return tokenShapes.map(({ shape, source, tail, needles }) => ({
    shape,
    source,
    tail: tail === null ? null : new RegExp(`[${tail}]*`, "y"),
    occursIn: (_stretch, lowerCase) => needles.some((needle) => lowerCase.includes(needle)),
  }));
}
