import { couldHide } from "../../rules/watched.ts";
import { watchedKinds } from "../../rules/words.ts";

import { sha256 } from "../../text/sha256.ts";
import { compareParts } from "./compare-parts.ts";
import { exceptParts } from "./parts.ts";
import { gone } from "./places.ts";
import type { FoundChange, WatchInput, WatchRecord } from "./record.ts";
import { testClass } from "./test-paths.ts";
import { type FoundTest, findTests, rankOf, readTestFile, restAfter } from "./tests.ts";

const mostHiding = 1_000;
const mostOthers = 300;

/**
 * What is watched and differs from the record: first what could make a check pass, then the rest; by kind and name.
 * What is beyond 1,000 and 300 of them is one change each, whose digest is over all of these.
 */
export function compareWatch(record: WatchRecord, input: WatchInput): readonly FoundChange[] {
  const found = findChanges(record, input).map((change) => ({
    ...change,
    name: input.redact(change.name),
    detail: input.redact(change.detail),
  }));
  const sorted = withoutDoubles(found).sort(byRank);
  const hiding = sorted.filter(hides);
  const others = sorted.filter((change) => !hides(change));
  return [...bundle(hiding, mostHiding), ...bundle(others, mostOthers)];
}

/** Every change, in no order and not redacted. */
export function findChanges(record: WatchRecord, input: WatchInput): FoundChange[] {
  return [...compareTests(record, input), ...compareParts(record, input)];
}

/** The tests that were added, removed or changed since the record, by content alone. */
function compareTests(record: WatchRecord, input: WatchInput): FoundChange[] {
  const known = record.things.filter(({ kind }) => kind === "test");
  const names = new Set(known.map(({ name }) => name));
  const listed = findTests(input, exceptParts(record.things, record), Number.POSITIVE_INFINITY).found;
  const others = new Map([...listed].filter(([path]) => !names.has(path)));
  const changes: FoundChange[] = known.flatMap((test) => {
    // Git may have come to ignore it: what counts is whether it is there.
    const now = readTestFile(input, test.name);
    if (now === null) return [changeOf(test.name, "removed", { digest: gone, unlisted: test.unlisted })];
    return test.digest === now.digest ? [] : [changeOf(test.name, "changed", now)];
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
  if (rest.digest === now.digest) return [];
  const detail = `${now.count} now, compared only as a whole`;
  const name = `and ${rest.count} more test files`;
  return [{ name, kind: "test", change: "changed", detail, digest: now.digest, side: "outside" }];
}

function hides(change: FoundChange): boolean {
  return couldHide({ ...change, answer: null });
}

function byRank(left: FoundChange, right: FoundChange): number {
  const kinds = watchedKinds.indexOf(left.kind) - watchedKinds.indexOf(right.kind);
  if (kinds !== 0) return kinds;
  return left.name < right.name ? -1 : left.name > right.name ? 1 : left.change < right.change ? -1 : 1;
}

/** Two words of the checks may lead to one program. */
function withoutDoubles(changes: readonly FoundChange[]): FoundChange[] {
  const byText = new Map(changes.map((change) => [JSON.stringify([change.kind, change.name, change.digest]), change]));
  return [...byText.values()];
}

function bundle(changes: readonly FoundChange[], most: number): FoundChange[] {
  const over = changes.slice(most);
  const first = over[0];
  if (first === undefined) return [...changes];
  const what = over.every(({ kind }) => kind === "test") ? "tests" : "changes of tests and checks";
  const digest = sha256(JSON.stringify(over.map(({ kind, name, change, digest: one }) => [kind, name, change, one])));
  const { kind, change } = first;
  const detail = `the first is ${first.name}`;
  const side = over.every((one) => one.side === "checks") ? "checks" : "outside";
  return [...changes.slice(0, most), { name: `and ${over.length} more ${what}`, kind, change, detail, digest, side }];
}
