// JSON Schemas of the YAML that people write, for their editors: node scripts/json-schemas.mjs writes them to schemas/.
//
// They offer keys and words, and know text from numbers, lists and maps. What a value may be beyond that is judged by the
// program, whose messages say more than a schema can.
import { configSchema } from "../dist/lib/documents/config/config-schema.js";
import { contractSchema } from "../dist/lib/documents/contract-schema.js";

/** Values of each kind, for schemas that choose or judge by a function. */
const samples = [{}, { manual: "" }, [], "TEXT", "5m", 5, 0.5, true];

const kinds = {
  strict_object: ({ entries }) => ({
    type: "object",
    properties: Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, describeWritten(value)])),
    required: Object.entries(entries).flatMap(([key, { type }]) => (mayBeAbsent.includes(type) ? [] : [key])),
    additionalProperties: false,
  }),
  array: ({ item }) => ({ type: "array", items: describeWritten(item) }),
  never: () => ({ not: {} }),
  picklist: ({ options }) => ({ enum: options }),
  literal: ({ literal }) => ({ const: literal }),
  custom: ({ check }) => ofTypes(samples.filter((sample) => check(sample)).map(typeOf)),
  boolean: () => ({ type: "boolean" }),
  number: () => ({ type: "number" }),
  string: () => ({ type: "string" }),
  union: ({ options }) => anyOf(options.map(describeWritten)),
  lazy: ({ getter }) => anyOf(samples.map((sample) => describeWritten(getter(sample)))),
  optional: ({ wrapped }) => describeWritten(wrapped),
  exact_optional: ({ wrapped }) => describeWritten(wrapped),
  nullable: ({ wrapped }) => anyOf([describeWritten(wrapped), { type: "null" }]),
  nullish: ({ wrapped }) => anyOf([describeWritten(wrapped), { type: "null" }]),
};
const mayBeAbsent = ["optional", "exact_optional", "nullish"];

function describeWritten(schema) {
  // A map is judged in two steps: that it is one, and then its keys. The last step is the one that says more.
  const last = (schema.pipe ?? [schema]).filter(({ kind }) => kind === "schema").at(-1);
  if (last !== schema && last.pipe !== undefined) return describeWritten(last);
  return kinds[last.type]?.(last) ?? {};
}

const typeOf = (value) => (Array.isArray(value) ? "array" : typeof value);

function ofTypes(types) {
  const [only, ...others] = new Set(types);
  if (only === undefined) return {};
  return { type: others.length === 0 ? only : [only, ...others] };
}

/** The empty schema takes everything, so nothing needs to stand beside it. */
function anyOf(schemas) {
  const texts = [...new Set(schemas.map((schema) => JSON.stringify(schema)))];
  if (texts.includes("{}")) return {};
  const [only, ...others] = texts.map((text) => JSON.parse(text));
  return others.length === 0 ? only : { anyOf: [only, ...others] };
}

/** As `storedShapes`: by the name of the file in schemas/, what it is a schema of, and the JSON Schema. */
export const writtenSchemas = {
  config: ["task-phase.yaml", describeWritten(configSchema)],
  brief: ["the front matter of a task's README.md", describeWritten(contractSchema)],
};
