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

/** As `expects`, for one of a few words: a word near one of them is answered with it. */
export function expectsWord(
  words: readonly string[],
  what: string,
  fix: string,
): (issue: { input: unknown }) => string {
  return (issue) => {
    const near = typeof issue.input === "string" ? nearestWord(issue.input, words) : null;
    return expects(what, near === null ? fix : `did you mean \`${near}\`?`)(issue);
  };
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

/** Judges what YAML said by a schema; every problem becomes a finding at its place in the file. */
export function checkSchema<S extends v.GenericSchema>(schema: S, yaml: StrictYaml): Checked<v.InferOutput<S>> {
  const result = v.safeParse(schema, yaml.value);
  if (result.success) return { kind: "good", value: result.output };
  const findings = result.issues.map((issue) => {
    const path = (issue.path ?? []).map((step) => step.key as YamlStep);
    const unknown = issue.type === "strict_object" && issue.expected === "never";
    const missing = issue.type === "strict_object" && issue.received === "undefined" && !unknown;
    const [said = "", fix = null] = issue.message.split(fixMark);
    const code = unknown ? "TP_CONFIG_UNKNOWN_KEY" : missing ? "TP_CONFIG_MISSING_KEY" : "TP_CONFIG_VALUE";
    const key = code === "TP_CONFIG_VALUE" ? "value" : "key";
    return errorFinding(code, `${path.length === 0 ? "the file" : `\`${showPath(path)}\``} ${said}`, {
      ...yaml.locate(path, key),
      fix,
    });
  });
  return { kind: "bad", findings };
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
  return typeof value === "string" ? `the text "${shorten(value)}"` : `${shorten(String(value))}`;
}
