import { shorten } from "../text/shorten.ts";
import type { Statement } from "./statements.ts";

/** What came of the assertions of pass 1. */
export interface MatchedStatements {
  /** How many are gone. */
  readonly lost: number;
  /** Those that are new, all of them. */
  readonly fresh: readonly Statement[];
  /** Of the new ones those that stand where one is gone. */
  readonly replacing: readonly Statement[];
  /** Where one is gone and nothing took its place: what stands before it, or after it at the start of the file. */
  readonly gaps: readonly { readonly side: "after" | "before"; readonly statement: Statement }[];
}

/** Compares by hash, each of them as often as it stands there. */
export function matchStatements(was: readonly string[], now: readonly Statement[]): MatchedStatements {
  const places = new Map<string, number[]>();
  for (let index = now.length - 1; index >= 0; index -= 1) {
    const hash = now[index]?.hash ?? "";
    const known = places.get(hash);
    if (known === undefined) places.set(hash, [index]);
    else known.push(index);
  }
  const found = was.map((hash) => places.get(hash)?.pop() ?? null);
  const kept = new Set(found);
  const replacing = new Set<number>();
  const gaps = new Set<number>();
  let last = -1;
  for (const index of found) {
    if (index !== null) {
      last = index;
      continue;
    }
    let next = last + 1;
    if (next >= now.length || kept.has(next)) gaps.add(last);
    for (; next < now.length && !kept.has(next) && !replacing.has(next); next += 1) replacing.add(next);
  }
  return {
    lost: found.filter((index) => index === null).length,
    fresh: now.filter((_one, index) => !kept.has(index)),
    replacing: now.filter((_one, index) => replacing.has(index)),
    gaps: [...gaps]
      .sort((left, right) => left - right)
      .flatMap((index) => {
        const statement = now[Math.max(0, index)];
        return statement === undefined
          ? []
          : [{ side: index < 0 ? ("before" as const) : ("after" as const), statement }];
      }),
  };
}

/** Of how many more than those that are named the line is told. */
const mostLines = 8;

/** As ``line 6: `a` and line 9: `b`, and 2 more (lines 12, 15)``. The text is cut to what there is room for. */
export function nameStatements(
  statements: readonly Statement[],
  most: number,
  redact: (text: string) => string,
  room = 160,
): string {
  const named = statements.slice(0, most);
  const width = Math.min(80, Math.floor(room / Math.max(1, named.length)));
  // What is secret is taken out first: a cut secret is not known again.
  const texts = named.map(({ line, text }) => `line ${line}: \`${shorten(redact(text), width)}\``);
  const first = texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
  const more = statements.slice(most);
  if (more.length === 0) return first;
  const lines = more.slice(0, mostLines).map(({ line }) => line);
  const cut = more.length > mostLines ? ", ..." : "";
  return `${first}, and ${more.length} more (${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${cut})`;
}
