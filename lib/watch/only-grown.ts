import { extname } from "node:path";
import { isObject } from "../text/json-object.ts";
import { parseToml } from "./setting-parts.ts";

const documents = new Set([".md", ".mdx", ".markdown", ".rst", ".adoc", ".html", ".htm"]);
/** A key of this kind may switch off what it is beside. */
const switches = /skip|only|todo|disable|ignore|exclude|pending|xfail|allow|toleran|threshold|max|min/i;

/**
 * Whether a text holds all that it held before, so that it can only ask for more: each line in the same order, of JSON
 * and TOML each value. A document may also be rewritten, as long as it does not get shorter, since it is written for
 * people.
 */
export function hasOnlyGrown(path: string, before: string, now: string): boolean {
  const end = extname(path).toLowerCase();
  const [old, present] = [linesOf(before), linesOf(now)];
  if (documents.has(end)) return present.length >= old.length;
  if (end === ".json" || end === ".jsonc") return holdsAll(parse(JSON.parse, before), parse(JSON.parse, now));
  if (end === ".toml") return holdsAll(parse(parseToml, before), parse(parseToml, now));
  // A key of YAML that comes twice counts once.
  if (end === ".yaml" || end === ".yml") return old.join("\n") === present.slice(0, old.length).join("\n");
  return isSubsequence(old, present);
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [line.trimEnd()]));
}

/** Undefined if it cannot be read. */
function parse(read: (text: string) => unknown, text: string): unknown {
  try {
    return read(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function holdsAll(before: unknown, now: unknown): boolean {
  if (before === undefined || now === undefined) return false;
  if (Array.isArray(before) && Array.isArray(now)) {
    return isSubsequence(
      before.map((one) => JSON.stringify(one)),
      now.map((one) => JSON.stringify(one)),
    );
  }
  if (!isObject(before) || !isObject(now)) return JSON.stringify(before) === JSON.stringify(now);
  return (
    Object.entries(before).every(([key, value]) => Object.hasOwn(now, key) && holdsAll(value, now[key])) &&
    Object.keys(now).every((key) => Object.hasOwn(before, key) || !switches.test(key))
  );
}

function isSubsequence(before: readonly unknown[], now: readonly unknown[]): boolean {
  let at = 0;
  for (const one of now) if (at < before.length && one === before[at]) at += 1;
  return at === before.length;
}
