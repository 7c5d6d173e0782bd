import { exceptParts } from "./parts.ts";
import { gone } from "./places.ts";
import { type FoundChange, isSame, type WatchInput, type WatchRecord } from "./record.ts";
import { testClass } from "./test-paths.ts";
import { type FoundTest, findTests, rankOf, readTestFile, restAfter } from "./tests.ts";

/** The tests that were added, removed or changed since the record, by content alone. */
export function compareTests(record: WatchRecord, input: WatchInput): FoundChange[] {
  const known = record.things.filter(({ kind }) => kind === "test");
  const names = new Set(known.map(({ name }) => name));
  const listed = findTests(input, exceptParts(record.things, record), Number.POSITIVE_INFINITY).found;
  const others = new Map([...listed].filter(([path]) => !names.has(path)));
  const changes: FoundChange[] = known.flatMap((test) => {
    // Git may have come to ignore it: what counts is whether it is there.
    const now = readTestFile(input, test.name);
    if (now === null) return [changeOf(test.name, "removed", { digest: gone, unlisted: test.unlisted })];
    return isSame(test.digest, now) ? [] : [changeOf(test.name, "changed", now)];
  });
  for (const [path, now] of others) {
    if (record.rest === null || rankOf(path) <= record.rest.after) changes.push(changeOf(path, "added", now));
  }
  return [...changes, ...compareRest(record, others)];
}

/** If only a glob of the contract names it, nobody knows whether it is a test. */
function changeOf(
  name: string,
  change: FoundChange["change"],
  { digest, unlisted }: Pick<FoundTest, "digest" | "unlisted">,
): FoundChange {
  const kind = testClass(name) === null ? "file" : "test";
  return { name, kind, change, detail: "", digest, side: unlisted ? "outside" : "checks" };
}

/** The test files beyond the bound are one thing. */
function compareRest({ rest }: WatchRecord, others: ReadonlyMap<string, FoundTest>): FoundChange[] {
  if (rest === null) return [];
  const now = restAfter(others, rest.after);
  if (isSame(rest.digest, now)) return [];
  const detail = `${now.count} now, compared only as a whole`;
  const name = `and ${rest.count} more test files`;
  return [{ name, kind: "test", change: "changed", detail, digest: now.digest, side: "outside" }];
}
