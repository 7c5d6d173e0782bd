import { createRequire } from "node:module";
import { sha256 } from "../text/sha256.ts";
import { digestValue, isObject, parseObject } from "./manifests.ts";
import { normalise } from "./normalise.ts";
import { scanSource } from "./scan-source.ts";
import { families } from "./source-families.ts";

/** The parts of a settings file that matter to checks, each with its digest; null where the file cannot be parsed. */
export type ReadParts = (text: string, tools: ReadonlySet<string>) => Map<string, string> | null;

/** Keys, from the top with dots; with `tools` only where a check names one of them. */
export interface PartKey {
  readonly key: string;
  readonly tools?: readonly string[];
}

/** What a list of dependencies may be called inside such a part. */
const dependencyKeys = new Set(["dependencies", "extra-dependencies", "deps", "requires"]);

export function jsonParts(keys: readonly PartKey[]): ReadParts {
  return (text, tools) => pickParts(parseObject(text), keys, tools);
}

export function tomlParts(keys: readonly PartKey[]): ReadParts {
  return (text, tools) => pickParts(parseToml(text), keys, tools);
}

/** The sections of an INI file. */
export function iniParts(keys: readonly PartKey[]): ReadParts {
  return (text, tools) => {
    const sections = new Map<string, string[]>();
    let open: string[] = [];
    for (const line of text.split(/\r?\n/)) {
      const section = /^\[([^\]]+)\]/.exec(line)?.[1];
      if (section === undefined) {
        if (line.trim() !== "" && !/^[#;]/.test(line)) open.push(line.trimEnd());
      } else {
        open = sections.get(section) ?? [];
        sections.set(section, open);
      }
    }
    const wanted = keysFor(keys, tools);
    const named = [...sections].filter(([name]) => wanted.some((key) => name === key || name.startsWith(`${key}:`)));
    return new Map(named.map(([name, found]) => [name, digestValue(found)]));
  };
}

/** The file as one part without what a pattern takes away, its white space and its comments. */
export function strippedPart(strip: (code: string) => string): ReadParts {
  return (text) => new Map([["", sha256(strip(text).replace(/\s+/g, ""))]]);
}

/** A conftest.py that reaches into how pytest runs and reports tests; one with fixtures only is no setting. */
export const readHooks: ReadParts = (text) => {
  const scanned = scanSource(text, families.python);
  const hooks =
    /^[ \t]*(?:async[ \t]+)?def[ \t]+pytest_\w+|^[ \t]*(?:collect_ignore\w*|pytest_plugins)\s*=|\bsys\.modules\b/m;
  if (!hooks.test(scanned.words)) return new Map();
  return new Map([["hooks", sha256(normalise(scanned, 0, text.length))]]);
};

/** Without comments, and without the blocks of braces that such a word opens. */
export function withoutBlocks(text: string, opens: RegExp): string {
  const { code, words } = scanSource(text, families.java);
  let out = "";
  let from = 0;
  for (const match of words.matchAll(opens)) {
    if (match.index < from) continue;
    out += code.slice(from, match.index);
    let depth = 0;
    let at = words.indexOf("{", match.index);
    for (; at >= 0 && at < words.length; at += 1) {
      if (words[at] === "{") depth += 1;
      else if (words[at] === "}") depth -= 1;
      if (depth === 0) break;
    }
    from = at < 0 ? code.length : at + 1;
  }
  return out + code.slice(from);
}

function pickParts(root: unknown, keys: readonly PartKey[], tools: ReadonlySet<string>): Map<string, string> | null {
  if (!isObject(root)) return null;
  const found = new Map<string, string>();
  for (const key of keysFor(keys, tools)) {
    let value: unknown = root;
    for (const part of key.split(".")) value = isObject(value) ? value[part] : undefined;
    if (value !== undefined) found.set(key, digestValue(withoutDependencies(value)));
  }
  return found;
}

function keysFor(keys: readonly PartKey[], tools: ReadonlySet<string>): string[] {
  return keys
    .filter((one) => one.tools === undefined || one.tools.some((tool) => tools.has(tool)))
    .map(({ key }) => key);
}

function withoutDependencies(value: unknown): unknown {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !dependencyKeys.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutDependencies(one)]));
}

function parseToml(text: string): unknown {
  // Loaded where such a file is met, since most repos have none.
  const { parse } = createRequire(import.meta.url)("smol-toml") as typeof import("smol-toml");
  try {
    return parse(text);
  } catch {
    return null;
  }
}
