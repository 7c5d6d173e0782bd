import * as toml from "smol-toml";
import { orElse } from "../../text/attempt.ts";
import { isObject, parseObject } from "../../text/json-object.ts";
import { sha256 } from "../../text/sha256.ts";
import { digestValue } from "./manifests.ts";

/** The parts of a settings file that matter to checks, each with its digest; null if the file cannot be parsed. */
export type ReadParts = (text: string, tools: ReadonlySet<string>) => Map<string, string> | null;

/** Settings that decide what a check does. */
export interface SettingRow {
  /** Matches the end of a repo path, from the start of a name on. */
  readonly files: RegExp;
  /** Only if a check names one of these; missing: always. */
  readonly tools?: readonly string[];
  /** Only in the repo's own folder and in those that checks work in: elsewhere such a file serves something else. */
  readonly near?: boolean;
  /** Only these parts of it; missing: the whole file. */
  readonly parts?: ReadParts;
}

export function row(files: string, more: Omit<SettingRow, "files"> = {}): SettingRow {
  return { files: new RegExp(`(?:^|/)(?:${files})$`), ...more };
}

export const nodeTools = ["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"];
export const raw = String.raw;
export const script = raw`\.(?:[cm]?[jt]s|json[c5]?|ya?ml|toml)`;

/** Keys, from the top with dots; with `tools` only if a check names one of them. */
export interface PartKey {
  readonly key: string;
  readonly tools?: readonly string[];
  /** The part of the value that counts; undefined: none. Missing: all but lists of dependencies. */
  readonly keep?: (value: unknown) => unknown;
  /** Each entry of the value is a separate part, so that a new entry differs from a changed one. */
  readonly each?: true;
}

/** The keys of dependency lists inside such a part. */
const dependencyKeys = new Set(["dependencies", "extra-dependencies", "deps", "requires"]);

/** `{key}` of each; with the same tools. */
export function keysOf(names: string, tools?: readonly string[]): PartKey[] {
  return names.split(" ").map((key) => (tools === undefined ? { key } : { key, tools }));
}

export function jsonParts(keys: readonly PartKey[]): ReadParts {
  return (text, tools) => pickParts(parseObject(text) ?? parseObject(withoutRemarks(text)), keys, tools);
}

export function tomlParts(keys: readonly PartKey[]): ReadParts {
  return (text, tools) => pickParts(parseToml(text), keys, tools);
}

/** The lines of one key at the top of a YAML file, which is not parsed: comments and blank lines do not count. */
export function yamlBlock(key: string): ReadParts {
  return (text) => {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !/^\s*#/.test(line));
    const at = lines.findIndex((line) => line.startsWith(`${key}:`));
    if (at < 0) return new Map();
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((line) => !/^[\s-]/.test(line));
    const block = [lines[at] ?? "", ...(end < 0 ? rest : rest.slice(0, end))];
    return new Map([[key, digestValue(block.map((line) => line.trim()))]]);
  };
}

/** Comments and trailing commas, as tsconfig.json may have them. */
function withoutRemarks(text: string): string {
  const plain = text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, "$1");
  return plain.replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, "$1");
}

/** The sections of an INI file, each as its lines without comments. */
function readSections(text: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let open: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const section = /^\[([^\]]+)\]/.exec(line)?.[1];
    if (section === undefined) {
      if (line.trim() !== "" && !/^\s*[#;]/.test(line)) open.push(line.trimEnd());
    } else {
      open = sections.get(section) ?? [];
      sections.set(section, open);
    }
  }
  return sections;
}

/** The sections of an INI file with these names, or with such a name and a colon behind it. */
export function iniParts(keys: readonly PartKey[]): ReadParts {
  return (text, tools) => {
    const wanted = onlyFor(keys, tools).map(({ key }) => key);
    const named = [...readSections(text)].filter(([name]) =>
      wanted.some((key) => name === key || name.startsWith(`${key}:`)),
    );
    return new Map(named.map(([name, found]) => [name, digestValue(found)]));
  };
}

/** The file as one part without what a pattern takes away, its white space and its comments. */
export function strippedPart(strip: (text: string) => string): ReadParts {
  return (text) => new Map([["", sha256(strip(text).replace(/\s+/g, ""))]]);
}

const javaTokens =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|"""[\s\S]*?(?:"""|$)|"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/g;

/** Without comments, and without the blocks of braces that such a word opens. */
export function withoutBlocks(text: string, opens: RegExp): string {
  const code = text.replace(javaTokens, (token, comment: string | undefined) => (comment === undefined ? token : " "));
  // As long as the code, with no brace of a string in it.
  const words = code.replace(javaTokens, (token) => "\u0001".repeat(token.length));
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
  for (const { key, keep = withoutDependencies, each } of onlyFor(keys, tools)) {
    const value = valueAt(root, key);
    if (each === true && (isObject(value) || Array.isArray(value))) {
      const entries = Array.isArray(value) ? value.map((one) => [String(one), one] as const) : Object.entries(value);
      for (const [name, one] of entries) found.set(`${key}.${name}`, digestValue(one));
      continue;
    }
    const kept = value === undefined ? undefined : keep(value);
    if (kept !== undefined) found.set(key, digestValue(kept));
  }
  return found;
}

/** The value of a key with dots. Undefined if there is none. */
export function valueAt(root: unknown, key: string): unknown {
  let value = root;
  for (const part of key.split(".")) value = isObject(value) ? value[part] : undefined;
  return value;
}

/** Whether a row or key counts: it is for every tool, or for one of those that the checks name. */
export function countsFor(
  { tools }: { readonly tools?: readonly string[] },
  named: (tool: string) => boolean,
): boolean {
  return tools === undefined || tools.some(named);
}

export function onlyFor<Part extends { readonly tools?: readonly string[] }>(
  parts: readonly Part[],
  tools: ReadonlySet<string>,
): Part[] {
  return parts.filter((one) => countsFor(one, (tool) => tools.has(tool)));
}

function withoutDependencies(value: unknown): unknown {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !dependencyKeys.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutDependencies(one)]));
}

/** The entries of a map of imports that point to files, not packages; undefined if none do. */
export function localImports(value: unknown): unknown {
  const local = Object.entries(isObject(value) ? value : {}).filter(
    ([, target]) => typeof target !== "string" || /^(?:\.|\/|file:)/.test(target),
  );
  return local.length === 0 ? undefined : Object.fromEntries(local);
}

export function parseToml(text: string): unknown {
  return orElse(() => toml.parse(text), null);
}
