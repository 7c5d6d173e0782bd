import { couldHide } from "../../rules/watched.ts";
import { watchedKinds } from "../../rules/words.ts";
import { sha256 } from "../../text/sha256.ts";
import { shorten } from "../../text/shorten.ts";
import { isInstalled } from "./find-locks.ts";
import {
  digestBin,
  digestPart,
  digestScript,
  exceptParts,
  reachedScripts,
  readScriptText,
  resolveProgram,
} from "./parts.ts";
import { gone, isOutside, type LookedAt, nothing } from "./places.ts";
import type { FoundChange, WatchedThing, WatchInput, WatchRecord } from "./record.ts";
import { fileOf, findSettings } from "./settings.ts";
import { isForeign, testClass } from "./test-paths.ts";
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

/** A file that only a glob of the contract names may or may not be a test. */
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

/** How what the checks run and read differs from the record. Only what was unfolded for the record is looked at. */
function compareParts(record: WatchRecord, input: WatchInput): FoundChange[] {
  const ofKind = (kind: WatchedThing["kind"]): WatchedThing[] => record.things.filter((thing) => thing.kind === kind);
  return [
    ...[...ofKind("executable"), ...ofKind("check_file")].flatMap((part) => compareFile(part, record, input)),
    ...compareScripts(ofKind("script"), input),
    ...compareSettings(ofKind("setting"), record, input),
  ].map((change) => ({ ...change, side: sideOf(change, record, input) }));
}

type Change = Omit<FoundChange, "side">;

function sideOf({ kind, name, change }: Change, record: WatchRecord, { entries }: WatchInput): FoundChange["side"] {
  const file = fileOf(name);
  // A program of the repo where there was none can be taken away in a copy.
  const isWritten = change === "added" && entries.has(name) && !isForeign(name);
  if ((kind === "executable" && !isWritten) || isOutside(file)) return "outside";
  const was = record.things.find((thing) => thing.kind === kind && thing.name === name);
  // A manifest is listed even if a part of it is new.
  return was?.unlisted === true || (was === undefined && !entries.has(file)) ? "outside" : "checks";
}

function compareFile(part: WatchedThing, record: WatchRecord, input: WatchInput): Change[] {
  if (part.word !== "") return compareProgram(part, input);
  if (part.kind === "check_file") return compareOne(part, digestPart(input, part.name));
  const now = digestBin(input, part.name);
  const installed = part.digest === gone && now.digest !== gone && isInstalled(record, input, part.name);
  return compareOne(part, now).map((change) =>
    installed ? { ...change, change: "installed", detail: "by a lockfile unchanged since pass 1" } : change,
  );
}

function compareProgram(part: WatchedThing, input: WatchInput): Change[] {
  const now = resolveProgram(input, part.word);
  if (part.digest === gone) return compareOne({ ...part, name: now.name }, now);
  if (now.digest === gone || now.name === part.name) return compareOne(part, now);
  // The identical program in another place, for example on another machine.
  if (part.digest === now.digest) return [];
  const detail = `${shorten(part.word)} now resolves to ${now.name}`;
  return [{ name: part.name, kind: "executable", change: "changed", detail, digest: now.digest }];
}

function compareOne({ name, kind, digest: was, size }: WatchedThing, now: LookedAt): Change[] {
  const { digest } = now;
  if (was === digest) return [];
  if (was === gone) return [{ name, kind, change: "added", detail: addedWords[kind], digest }];
  if (digest === gone) return [{ name, kind, change: "removed", detail: "", digest }];
  const detail = `was ${renderDigest(was, size)}, is ${renderDigest(digest, now.size)}`;
  return [{ name, kind, change: "changed", detail, digest }];
}

/** For example `1,204 bytes 1a2b3c4d5e6f`; the size is left out if unknown. */
function renderDigest(digest: string, size: number | null): string {
  const bytes =
    size === null ? "" : `${String(size).replace(/\B(?=(?:\d{3})+$)/g, ",")} ${size === 1 ? "byte" : "bytes"} `;
  return bytes + digest.slice(0, 12);
}

const addedWords = {
  executable: "it did not exist at pass 1, and it is run in place of another one",
  check_file: "it did not exist at pass 1, and it is read or run in place of another one",
  setting: "it did not exist at pass 1",
  script: "it did not exist at pass 1",
  test: "",
} as const;

function compareSettings(parts: readonly WatchedThing[], record: WatchRecord, input: WatchInput): Change[] {
  const now = new Map(findSettings(input, record).map((part) => [part.name, part]));
  const known = new Set(parts.map(({ name }) => name));
  return [
    ...parts.flatMap((part) => compareOne(part, lookedAt(now.get(part.name)))),
    ...[...now.values()].flatMap((part) =>
      known.has(part.name) || isNewName(part.name) ? [] : compareOne({ ...part, digest: gone }, lookedAt(part)),
    ),
  ];
}

/**
 * What a manifest may have more of without another meaning of what was there: names of package.json's own imports,
 * which begin with `#`, and members of a workspace.
 */
function isNewName(name: string): boolean {
  return /(?:^|\/)(?:package\.json#(?:imports\.#|workspaces\.(?!packages$))|Cargo\.toml#workspace\.members\.)/.test(
    name,
  );
}

function lookedAt(part: WatchedThing | undefined): LookedAt {
  return part === undefined ? nothing : { ...nothing, digest: part.digest, size: part.size };
}

/**
 * The scripts that the checks ran at pass 1 and their hooks; and those that they run now, shown but not asked about.
 */
function compareScripts(parts: readonly WatchedThing[], input: WatchInput): Change[] {
  const known = new Set(parts.map(({ name }) => name));
  const added = reachedScripts(input).filter((name) => !known.has(name));
  return [
    ...parts.flatMap((part) => compareScript(part, input)),
    ...added.flatMap((name): Change[] => {
      const text = readScriptText(input, name);
      if (text === null) return [];
      const detail = quote(input.redact(text));
      return [{ name, kind: "script", change: "added", detail, digest: digestScript(text) }];
    }),
  ];
}

function compareScript(part: WatchedThing, input: WatchInput): Change[] {
  const { name, kind, digest: was } = part;
  const text = readScriptText(input, name);
  if (text === null) return compareOne(part, nothing);
  const digest = digestScript(text);
  if (digest === was) return [];
  // Redacted before it is cut: a cut secret is not known again.
  const is = quote(input.redact(text));
  const detail =
    was === gone
      ? `the checks run it, and it did not exist at pass 1; it is ${is}`
      : `was ${quote(part.was)}, is ${is}`;
  return [{ name, kind, change: "changed", detail, digest }];
}

function quote(text: string): string {
  return `\`${shorten(text, 120)}\``;
}
