import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding, type Finding, type FindingPlace } from "../report/finding.ts";
import { placeOf } from "../task-folder/guard.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import { type JsonMember, type JsonNode, memberOf } from "./json-text.ts";
import type { JsonFile } from "./read-source.ts";

/** A prd.json, in either form. What it says beyond this stays in its text. */
export interface Prd {
  readonly source: JsonFile;
  /** `project` of the plain form, `name` of the other. */
  readonly project: string | null;
  readonly description: string | null;
  readonly branchName: string | null;
  /** Command lines by name. */
  readonly verificationCommands: readonly (readonly [name: string, line: string])[];
  readonly stories: readonly Story[];
}

export interface Story {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly criteria: readonly string[];
  /** 1 comes first; null if it is not said. */
  readonly priority: number | null;
  /** The claim of the file. */
  readonly passes: boolean;
  readonly notes: string | null;
  readonly completionNotes: string | null;
  readonly labels: readonly string[];
  readonly dependsOn: readonly string[];
  readonly node: JsonNode;
  /** The place of the value of a key, and of an item in it; the story itself without that key. */
  place(key: string, item?: number): FindingPlace;
}

const mostStories = 1_000;
const mostFindings = 20;

/** Reads the shape; throws a data error with what is wrong, each with its JSON path and its place. */
export function readPrd(source: JsonFile): Prd {
  const problems: Finding[] = [];
  const locate = (node: { readonly start: number }) => ({ file: source.file, ...placeOf(source.text, node.start) });
  const say: Say = (node, message, fix) => {
    problems.push(errorFinding("TP_PRD_SHAPE", message, { ...locate(node), fix }));
  };
  const root = readerOf(source.root, "", say);
  const items = root.list("userStories", "a list of stories");
  if (source.root.kind === "object" && items !== null && items.length === 0)
    say(memberOf(source.root, "userStories")?.value ?? source.root, "userStories is an empty list", "add a story");
  if (items !== null && items.length > mostStories)
    say(source.root, `userStories has ${items.length} stories; the limit is ${mostStories}`, "split the file");
  const stories = (items ?? []).map((node, index): Story => {
    const story = readerOf(node, `userStories[${index}]`, say);
    return {
      id: story.text("id", true) ?? "",
      title: story.text("title", true) ?? "",
      description: story.text("description"),
      criteria: story.texts("acceptanceCriteria"),
      priority: story.number("priority"),
      passes: story.flag("passes"),
      notes: story.text("notes"),
      completionNotes: story.text("completionNotes"),
      labels: story.texts("labels"),
      dependsOn: story.texts("dependsOn"),
      node,
      place: (key, item) => {
        const value = memberOf(node, key)?.value;
        return locate((value?.kind === "array" && item !== undefined ? value.items[item] : value) ?? node);
      },
    };
  });
  const prd: Prd = {
    source,
    project: root.text("project") ?? root.text("name"),
    description: root.text("description"),
    branchName: root.text("branchName"),
    verificationCommands: root.commands("verificationCommands"),
    stories,
  };
  if (problems.length === 0) return prd;
  const rest = problems.length - mostFindings;
  const more = rest > 0 ? [errorFinding("TP_PRD_SHAPE", `and ${rest} more of this kind`, { file: source.file })] : [];
  throw new TaskPhaseError("data", [...problems.slice(0, mostFindings), ...more]);
}

type Say = (node: { readonly start: number }, message: string, fix: string) => void;

/** Reads the values of one object; what is wrong is said, and something harmless is given back in its place. */
function readerOf(node: JsonNode, path: string, say: Say) {
  const isObject = node.kind === "object";
  if (!isObject)
    say(node, `${path === "" ? "the file" : path} must be an object, found ${show(node)}`, "write it in braces { }");
  const named = (key: string) => (path === "" ? key : `${path}.${key}`);

  /** Null if there is no such key, or it is null and may be left out. */
  function find(key: string, wanted: string, required: boolean): JsonNode | null {
    if (!isObject) return null;
    const value = memberOf(node, key)?.value ?? null;
    if (value !== null && (value.kind !== "null" || required)) return value;
    if (required) say(node, `${named(key)} is missing; expected ${wanted}`, hintOf(node.members, key));
    return null;
  }

  function wrong(value: JsonNode, what: string, wanted: string): null {
    say(value, `${what} must be ${wanted}, found ${show(value)}`, `write ${wanted}`);
    return null;
  }

  function textOf(value: JsonNode, what: string, filled: boolean): string | null {
    if (value.kind !== "text") return wrong(value, what, "text in double quotes");
    return filled && value.value.trim() === "" ? wrong(value, what, "text that is not empty") : value.value;
  }

  function list(key: string, wanted: string, required = true): readonly JsonNode[] | null {
    const value = find(key, wanted, required);
    if (value === null) return null;
    return value.kind === "array" ? value.items : wrong(value, named(key), wanted);
  }

  return {
    list,
    text(key: string, required = false): string | null {
      const value = find(key, "text", required);
      return value === null ? null : textOf(value, named(key), required);
    },
    texts(key: string): string[] {
      const items = list(key, "a list of strings", false) ?? [];
      return items.flatMap((item, index) => textOf(item, `${named(key)}[${index}]`, true) ?? []);
    },
    number(key: string): number | null {
      const value = find(key, "a number", false);
      if (value === null) return null;
      const good = value.kind === "number" && Number.isFinite(value.value);
      return good ? value.value : wrong(value, named(key), "a number such as 1");
    },
    flag(key: string): boolean {
      const value = find(key, "true or false", true);
      if (value === null) return false;
      return value.kind === "boolean" ? value.value : (wrong(value, named(key), "true or false") ?? false);
    },
    commands(key: string): [string, string][] {
      const value = find(key, "an object", false);
      if (value === null) return [];
      if (value.kind !== "object") wrong(value, named(key), "an object of command lines");
      const entries = value.kind === "object" ? value.members : [];
      return entries.flatMap((entry) => {
        const line = textOf(entry.value, `${named(key)}.${shorten(entry.key)}`, true);
        return line === null ? [] : [[entry.key, line] as [string, string]];
      });
    },
  };
}

function hintOf(members: readonly JsonMember[], key: string): string {
  const keys = members.map((member) => member.key);
  const near = nearestWord(key, keys);
  if (near !== null) return `did you mean the key ${shorten(near)}?`;
  return keys.length === 0 ? `add "${key}"` : `add "${key}"; found the keys ${shorten(keys.join(", "), 120)}`;
}

/** A value as someone would call it who has to find it in the file. */
function show(node: JsonNode): string {
  switch (node.kind) {
    case "object":
      return "an object";
    case "array":
      return node.items.length === 0 ? "an empty list" : "a list";
    case "text":
      return node.value.trim() === "" ? "empty text" : `the text "${shorten(node.value)}"`;
    case "null":
      return "null";
    default:
      return shorten(String(node.value));
  }
}
