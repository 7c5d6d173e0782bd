import * as v from "valibot";
import { errorFinding, type Finding } from "../text/finding.ts";
import { isObject } from "../text/json-object.ts";
import { nearestWord } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import type { StrictYaml, YamlStep } from "./strict-yaml.ts";

export type Checked<T> =
  | { readonly kind: "good"; readonly value: T }
  | { readonly kind: "bad"; readonly findings: readonly Finding[] };

/** A schema's message about a wrong value and, after a line break, what to write instead. */
const fixMark = "\n";

/** A message for a schema: what is expected, and what to write instead. */
export function expects(what: string, fix: string): (issue: { input: unknown }) => string {
  return (issue) => `must be ${what}, found ${showValue(issue.input)}${fixMark}${fix}`;
}

/** One of a few words, with a message as of `expects`: a word near one of them is answered with it. */
export function wordSchema<const Words extends readonly string[]>(words: Words, what: string, fix: string) {
  return v.picklist(words, (issue) => {
    const near = typeof issue.input === "string" ? nearestWord(issue.input, words) : null;
    return expects(what, near === null ? fix : `did you mean \`${near}\`?`)(issue);
  });
}

/** A check of a text: its message is `problemOf` the text, if that is one, as `told` puts it. */
export function problemCheck(
  problemOf: (text: string) => string | null,
  told: (problem: string) => string = (problem) => problem,
) {
  return v.rawCheck<string>(({ dataset, addIssue }) => {
    const problem = dataset.typed ? problemOf(dataset.value) : null;
    if (problem !== null) addIssue({ message: told(problem) });
  });
}

/** A map with no keys but these. */
export function strictMap<E extends v.ObjectEntries>(entries: E) {
  const keys = Object.keys(entries);
  return v.pipe(
    v.custom<Record<string, unknown>>(
      isObject,
      expects(`a map with keys such as ${keys.slice(0, 3).join(", ")}`, "write `key: value` pairs"),
    ),
    v.strictObject(entries, (issue) => {
      const key = String(issue.path?.at(-1)?.key ?? "");
      if (issue.expected !== "never") return `is missing${fixMark}add \`${key}:\``;
      const near = nearestWord(key, keys);
      return `is not a known key${fixMark}${near === null ? `remove it; known keys here: ${keys.join(", ")}` : `did you mean \`${near}\`?`}`;
    }),
  );
}

/** Judges what YAML said by a schema; every problem becomes a finding at its place, in the order of the file. */
export function checkSchema<S extends v.GenericSchema>(schema: S, yaml: StrictYaml): Checked<v.InferOutput<S>> {
  const result = v.safeParse(schema, yaml.value);
  if (result.success) return { kind: "good", value: result.output };
  const findings = listIssues(schema, yaml.value, result.issues).map((issue) => {
    const path = pathOf(issue);
    const missing = issue.type === "strict_object" && issue.received === "undefined" && !isUnknownKey(issue);
    const code = isUnknownKey(issue) ? "TP_CONFIG_UNKNOWN_KEY" : missing ? "TP_CONFIG_MISSING_KEY" : "TP_CONFIG_VALUE";
    const [said = "", fix = null] = issue.message.split(fixMark);
    const message = `${path.length === 0 ? "the file" : `\`${showPath(path)}\``} ${said}`;
    return errorFinding(code, message, { ...yaml.locate(path, code === "TP_CONFIG_VALUE" ? "value" : "key"), fix });
  });
  const by = (key: "line" | "column", one: Finding, two: Finding) => (one[key] ?? 0) - (two[key] ?? 0);
  findings.sort((one, two) => by("line", one, two) || by("column", one, two));
  return { kind: "bad", findings };
}

type Issue = v.BaseIssue<unknown>;

/** A person reads no more at once, and nobody waits for the rest of a hostile file. */
const mostKeys = 20;

/** The library stops at the first key of a map that is not known: without it the next one is found. */
function listIssues(schema: v.GenericSchema, value: unknown, issues: readonly Issue[], left = mostKeys): Issue[] {
  const unknown = issues.filter(isUnknownKey);
  if (unknown.length === 0 || left === 1) return [...issues];
  const rest = structuredClone(value);
  for (const path of unknown.map(pathOf)) {
    const owner = path.slice(0, -1).reduce<unknown>((at, step) => Reflect.get(Object(at), step), rest);
    Reflect.deleteProperty(Object(owner), path.at(-1) ?? "");
  }
  return [...unknown, ...listIssues(schema, rest, v.safeParse(schema, rest).issues ?? [], left - 1)];
}

function isUnknownKey(issue: Issue): boolean {
  return issue.type === "strict_object" && issue.expected === "never";
}

function pathOf(issue: Issue): YamlStep[] {
  return (issue.path ?? []).map((step) => step.key as YamlStep);
}

function showPath(path: readonly YamlStep[]): string {
  return shorten(
    path
      .map((step, index) => (typeof step === "number" ? `[${step + 1}]` : `${index === 0 ? "" : "."}${step}`))
      .join(""),
  );
}

/** A value as someone would call it who has to find it in the file. */
function showValue(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a map";
  return typeof value === "string" ? `the text "${shorten(value)}"` : shorten(String(value));
}
