import { sha256 } from "../text/sha256.ts";
import { shorten } from "../text/shorten.ts";
import type { FoundChange } from "./compare.ts";
import { readScripts } from "./manifests.ts";
import { digestPart, digestScript, reachedManifests, resolveProgram } from "./parts.ts";
import { gone, type LookedAt } from "./places.ts";
import type { WatchedPart, WatchInput, WatchRecord } from "./record.ts";
import { fileOf, findSettings } from "./settings.ts";

/** What the checks run and read and what differs of it. Only what was unfolded for the record is looked at. */
export function compareParts(record: WatchRecord, input: WatchInput): FoundChange[] {
  const parts = record.things.filter((thing) => thing.kind !== "test");
  const ofKind = (kind: WatchedPart["kind"]): WatchedPart[] => parts.filter((part) => part.kind === kind);
  return [
    ...ofKind("executable").flatMap((part) => compareProgram(part, input)),
    ...ofKind("check_file").flatMap((part) => compareOne(part, digestPart(input, part.name))),
    ...compareScripts(ofKind("script"), record, input),
    ...compareSettings(ofKind("setting"), record, input),
  ];
}

function compareProgram(part: WatchedPart, input: WatchInput): FoundChange[] {
  if (part.word === "") return compareOne(part, digestPart(input, part.name));
  const now = resolveProgram(input, part.word);
  if (part.digest === gone) return compareOne({ ...part, name: now.name }, now);
  if (now.digest === gone || now.name === part.name) return compareOne(part, now);
  const detail = `${shorten(part.word)} leads to ${now.name} now`;
  return [{ name: part.name, kind: part.kind, change: "changed", detail, digest: now.digest }];
}

function compareOne({ name, kind, digest: was, size }: WatchedPart, now: LookedAt): FoundChange[] {
  const { digest } = now;
  if (digest === was) return [];
  if (was === gone) return [{ name, kind, change: "added", detail: addedWords[kind], digest }];
  if (digest === gone) return [{ name, kind, change: "deleted", detail: "", digest }];
  return [{ name, kind, change: "changed", detail: `was ${tell(was, size)}, is ${tell(digest, now.size)}`, digest }];
}

/** As `1,204 bytes 1a2b3c4d5e6f`; without the size where there is none. */
function tell(digest: string, size: number | null): string {
  const bytes =
    size === null ? "" : `${String(size).replace(/\B(?=(?:\d{3})+$)/g, ",")} ${size === 1 ? "byte" : "bytes"} `;
  return bytes + digest.slice(0, 12);
}

const nothing: LookedAt = { digest: gone, size: null };

const addedWords = {
  executable: "nothing stood there at pass 1, and it is run in place of another one",
  check_file: "nothing stood there at pass 1, and it is run in place of another one",
  setting: "it was not there at pass 1",
  script: "it was not there at pass 1",
} as const;

function compareSettings(parts: readonly WatchedPart[], record: WatchRecord, input: WatchInput): FoundChange[] {
  const now = new Map(findSettings(input, record).map((part) => [part.name, part]));
  const known = new Set(parts.map(({ name }) => name));
  const added = [...now].filter(([name]) => !known.has(name));
  return [
    ...parts.flatMap((part) => compareOne(part, now.get(part.name) ?? nothing)),
    ...added.map(
      ([name, { digest }]): FoundChange => ({
        name,
        kind: "setting",
        change: "added",
        detail: addedWords.setting,
        digest,
      }),
    ),
  ];
}

interface Script {
  /** Redacted before it is cut: a cut secret is not known again. */
  readonly text: string;
  readonly digest: string;
}

function compareScripts(parts: readonly WatchedPart[], record: WatchRecord, input: WatchInput): FoundChange[] {
  const now = readAllScripts(parts, record, input);
  const known = new Map(parts.map((part) => [part.name, part]));
  const hooks = new Map<string, string[]>();
  const added: FoundChange[] = [];
  for (const [name, script] of now) {
    if (known.has(name)) continue;
    const hooked = name.replace(/#scripts\.(?:pre|post)/, "#scripts.");
    if (hooked !== name && known.has(hooked) && now.has(hooked)) {
      hooks.set(hooked, [...(hooks.get(hooked) ?? []), name]);
    } else {
      added.push({ name, kind: "script", change: "added", detail: quote(script.text), digest: script.digest });
    }
  }
  return [...parts.flatMap((part) => compareScript(part, now, hooks.get(part.name) ?? [])), ...added];
}

function compareScript(part: WatchedPart, all: ReadonlyMap<string, Script>, hooks: readonly string[]): FoundChange[] {
  const { name, kind } = part;
  const script = all.get(name);
  if (script === undefined) return compareOne(part, nothing);
  const details: string[] = [];
  if (part.digest === gone)
    details.push(`a check runs it, and it was not there at pass 1; it is ${quote(script.text)}`);
  else if (script.digest !== part.digest) details.push(`was ${quote(part.was)}, is ${quote(script.text)}`);
  for (const hook of hooks) {
    const text = all.get(hook)?.text ?? "";
    details.push(`${hook.slice(hook.indexOf("#scripts.") + 9)} is new and runs with it: ${quote(text)}`);
  }
  if (details.length === 0) return [];
  const digests = [script.digest, ...hooks.flatMap((hook) => [hook, all.get(hook)?.digest ?? gone])];
  const digest = hooks.length === 0 ? script.digest : sha256(digests.join("\n"));
  return [{ name, kind, change: "changed", detail: details.join("; "), digest }];
}

/** Every script of every package.json that is there or was, by its name. */
function readAllScripts(
  parts: readonly WatchedPart[],
  record: WatchRecord,
  input: WatchInput,
): ReadonlyMap<string, Script> {
  const manifests = [...reachedManifests(input, record.folders), ...parts.map(({ name }) => fileOf(name))];
  const found = new Map<string, Script>();
  for (const manifest of new Set(manifests)) {
    for (const [name, text] of readScripts(input.repo, manifest)) {
      found.set(`${manifest}#scripts.${name}`, { text: input.redact(text), digest: digestScript(text) });
    }
  }
  return found;
}

function quote(text: string): string {
  return `\`${shorten(text, 120)}\``;
}
