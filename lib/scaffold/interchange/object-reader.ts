import { nearestWord } from "../../text/nearest.ts";
import { shorten } from "../../text/shorten.ts";
import { type JsonMember, type JsonNode, memberOf } from "./json-text.ts";
import { type Claim, memberNamed, otherClaim, rankOf } from "./story-keys.ts";

export type Say = (node: { readonly start: number }, message: string, fix: string) => void;

/**
 * Reads the values of one object; what is wrong is said, and something harmless is given back in its place.
 * Null as path: a list that is the whole file; it has no values of its own, and nothing is wrong with that.
 */
export function readerOf(node: JsonNode, path: string | null, say: Say) {
  const isObject = node.kind === "object";
  if (!isObject && path !== null)
    say(node, `${path === "" ? "the file" : path} must be an object, found ${show(node)}`, "write it in braces { }");
  const named = (key: string) => (path === "" || path === null ? key : `${path}.${key}`);

  /** Null if there is no such key, or it is null and may be left out. */
  function find(key: string, wanted: string, required: boolean): JsonNode | null {
    if (!isObject) return null;
    const value = memberNamed(node, key)?.value ?? null;
    if (value !== null && (value.kind !== "null" || required)) return value;
    if (required) missing(key, wanted, null);
    return null;
  }

  function missing(key: string, wanted: string, fix: string | null): void {
    if (isObject) say(node, `${named(key)} is missing; expected ${wanted}`, fix ?? hintOf(node.members, key));
  }

  function wrong(value: JsonNode, what: string, wanted: string): null {
    say(value, `${what} must be ${wanted}, found ${show(value)}`, `write ${wanted}`);
    return null;
  }

  function textOf(value: JsonNode, what: string, filled: boolean): string | null {
    if (value.kind !== "text") return wrong(value, what, "text in double quotes");
    return filled && value.value.trim() === "" ? wrong(value, what, "text that is not empty") : value.value;
  }

  /** Other tools count their ids. */
  function idOf(value: JsonNode, what: string): string | null {
    return value.kind === "number" && Number.isSafeInteger(value.value)
      ? String(value.value)
      : textOf(value, what, true);
  }

  function items<T>(key: string, read: (item: JsonNode, what: string) => T | null): T[] {
    const value = find(key, "a list of strings", false);
    if (value !== null && value.kind !== "array") wrong(value, named(key), "a list of strings");
    const list = value?.kind === "array" ? value.items : [];
    return list.flatMap((item, index) => read(item, `${named(key)}[${index}]`) ?? []);
  }

  return {
    missing,
    wrong,
    id(): string {
      const value = find("id", "text", true);
      return value === null ? "" : (idOf(value, named("id")) ?? "");
    },
    ids: (key: string) => items(key, idOf),
    texts: (key: string) => items(key, (item, what) => textOf(itemText(item), what, true)),
    text(key: string, required = false): string | null {
      const value = find(key, "text", required);
      return value === null ? null : textOf(value, named(key), required);
    },
    priority(): number | null {
      const value = find("priority", "a number", false);
      if (value === null) return null;
      if (value.kind === "number" && Number.isFinite(value.value)) return value.value;
      const rank = value.kind === "text" ? rankOf(value.value) : null;
      return rank ?? wrong(value, named("priority"), "a number such as 1");
    },
    claim(): Claim | null {
      const value = find("passes", "true or false", otherClaim(node) === null);
      if (value === null) return otherClaim(node);
      if (value.kind === "boolean") return { node: value, passes: value.value, word: null };
      return wrong(value, named("passes"), "true or false");
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

/** The words of an item that is an object, such as a criterion with a flag of its own; else the object. */
function itemText(node: JsonNode): JsonNode {
  if (node.kind !== "object") return node;
  const keys = ["text", "description", "criterion", "title", "name"];
  return keys.flatMap((key) => memberOf(node, key)?.value ?? []).find(({ kind }) => kind === "text") ?? node;
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
