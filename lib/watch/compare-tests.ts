import { sha256 } from "../text/sha256.ts";
import type { FoundChange } from "./compare.ts";
import { judgeTest } from "./judge-test.ts";
import { pairMoved } from "./moved-tests.ts";
import { exceptParts } from "./parts.ts";
import { describePath, gone } from "./places.ts";
import type { WatchedTest, WatchInput, WatchRecord } from "./record.ts";
import { testClass } from "./test-paths.ts";
import { readTest } from "./test-profile.ts";
import { findTests, rankOf, restAfter } from "./tests.ts";

/** Of how many added files it is said what they hold. */
const mostRead = 300;

/** What differs of the tests. A file whose digest is that of pass 1 is not read. */
export function compareTests(record: WatchRecord, input: WatchInput): FoundChange[] {
  const known = record.things.filter((thing): thing is WatchedTest => thing.kind === "test");
  const names = new Set(known.map(({ name }) => name));
  const listed = findTests(input, exceptParts(record.things, record), Number.POSITIVE_INFINITY).digests;
  const others = new Map([...listed].filter(([path]) => !names.has(path)));
  const { rest } = record;
  const added = new Map([...others].filter(([path]) => rest === null || rankOf(path) <= rest.after));

  const missing: WatchedTest[] = [];
  const changes: FoundChange[] = [];
  for (const test of known) {
    // Git may have come to ignore it: what counts is whether it stands there.
    const entry = input.entries.get(test.name) ?? describePath(input.repo, test.name);
    if (entry === null) missing.push(test);
    else if (sha256(entry) !== test.digest) changes.push(...judgeTest(test, entry, input));
  }
  const moved = pairMoved(missing, added, known, input.repo);
  for (const test of missing) {
    const to = moved.get(test.name);
    if (to === undefined) changes.push(deleted(test));
    else changes.push({ name: test.name, kind: "test", change: "moved", detail: `to ${to.path}`, digest: to.digest });
  }
  const taken = new Set([...moved.values()].map(({ path }) => path));
  const fresh = [...added].filter(([path]) => !taken.has(path)).sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [index, [path, digest]] of fresh.entries()) {
    const detail = index < mostRead ? holds(input.repo, path) : "";
    changes.push({ name: path, kind: "test", change: "added", detail, digest });
  }
  const inline = new Set(known.filter((test) => test.inline).map(({ name }) => name));
  const kinded = changes.map((change) => (isTest(change.name, inline) ? change : { ...change, kind: "file" as const }));
  return [...kinded, ...compareRest(record, others)];
}

/** Else only a glob of the contract names it, and nobody knows what in it counts. */
function isTest(name: string, inline: ReadonlySet<string>): boolean {
  return testClass(name) !== null || inline.has(name);
}

function deleted({ name, profile }: WatchedTest): FoundChange {
  const detail =
    profile === null ? "" : `it held ${count(profile.tests, "test")} and ${count(profile.asserts.length, "assertion")}`;
  return { name, kind: "test", change: "deleted", detail, digest: gone };
}

function holds(repo: string, path: string): string {
  const read = readTest(repo, path);
  if (read.kind !== "read") return "";
  const { tests, asserts, skips } = read.profile;
  const marks = skips.length === 0 ? "" : `, ${count(skips.length, "skip mark")}`;
  return `${count(tests, "test")}, ${count(asserts.length, "assertion")}${marks}`;
}

/** The test files beyond the bound are one thing: with fewer of them tests may be gone. */
function compareRest({ rest }: WatchRecord, others: ReadonlyMap<string, string>): FoundChange[] {
  if (rest === null) return [];
  const now = restAfter(others, rest.after);
  if (now.digest === rest.digest) return [];
  const change = now.count < rest.count ? "weakened" : "changed";
  const detail = `${now.count} now, which are not told apart`;
  return [{ name: `and ${rest.count} more test files`, kind: "test", change, detail, digest: now.digest }];
}

export function count(amount: number, word: string): string {
  return `${amount} ${word}${amount === 1 ? "" : "s"}`;
}
