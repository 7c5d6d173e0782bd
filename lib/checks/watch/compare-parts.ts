import { shorten } from "../../text/shorten.ts";
import { isInstalled } from "./locks.ts";
import { digestBin, digestPart, digestScript, reachedScripts, readScriptText, resolveProgram } from "./parts.ts";
import { gone, isOutside, type LookedAt, nothing } from "./places.ts";
import type { FoundChange, WatchedThing, WatchInput, WatchRecord } from "./record.ts";
import { fileOf, findSettings } from "./settings.ts";
import { isForeign } from "./test-paths.ts";

/** How what the checks run and read differs from the record. Only what was unfolded for the record is looked at. */
export function compareParts(record: WatchRecord, input: WatchInput): FoundChange[] {
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
  // The same program in another place, as on another machine.
  if (part.digest === now.digest) return [];
  const detail = `${shorten(part.word)} now resolves to ${now.name}`;
  return [{ name: part.name, kind: "executable", change: "changed", detail, digest: now.digest }];
}

function compareOne({ name, kind, digest: was, size }: WatchedThing, now: LookedAt): Change[] {
  const { digest } = now;
  if (was === digest) return [];
  if (was === gone) return [{ name, kind, change: "added", detail: addedWords[kind], digest }];
  if (digest === gone) return [{ name, kind, change: "removed", detail: "", digest }];
  const detail = `was ${describe(was, size)}, is ${describe(digest, now.size)}`;
  return [{ name, kind, change: "changed", detail, digest }];
}

/** As `1,204 bytes 1a2b3c4d5e6f`; without the size if there is none. */
function describe(digest: string, size: number | null): string {
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
