import { couldHide } from "../machine/watched.ts";
import { watchedKinds } from "../machine/watched-change.ts";
import { sha256 } from "../text/sha256.ts";
import { compareParts } from "./compare-parts.ts";
import { compareTests } from "./compare-tests.ts";
import type { FoundChange, WatchInput, WatchRecord } from "./record.ts";

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
