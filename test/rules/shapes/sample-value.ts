import * as v from "valibot";

/** Any schema of valibot, as far as it is walked here. */
export interface Walked extends v.GenericSchema {
  readonly entries?: Readonly<Record<string, Walked>>;
  readonly wrapped?: Walked;
  readonly item?: Walked;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly pipe?: readonly { readonly kind: string; readonly type: string; readonly requirement?: unknown }[];
}

/** A key that other objects have as well, which a record must keep. */
export const recordKey = "constructor";

/** Values that a schema reads, with every key that they can have: one, or one of each kind of a union. */
export function samplesOf(schema: Walked): unknown[] {
  const { values } = v.getMetadata(schema) as { values?: Walked };
  if (values !== undefined) return samplesOf(values).map((value) => ({ [recordKey]: value }));
  if (schema.entries !== undefined)
    return [Object.fromEntries(keysOf(schema).map(([key, one]) => [key, sampleOf(one)]))];
  if (schema.wrapped !== undefined) return samplesOf(schema.wrapped);
  if (schema.item !== undefined) return [samplesOf(schema.item)];
  if (schema.type === "literal") return [schema.literal];
  if (schema.type === "picklist") return [schema.options?.[0]];
  if (schema.options !== undefined) return schema.options.flatMap((option) => samplesOf(option as Walked));
  if (schema.type === "string") return [textOf(schema)];
  return [{ number: 3, boolean: true }[schema.type]];
}

export function sampleOf(schema: Walked): unknown {
  return samplesOf(schema)[0];
}

/** The schema of each key of an object, through what is wrapped around it. */
export function keysOf(schema: Walked): [string, Walked][] {
  return Object.entries(schema.entries ?? {});
}

function textOf(schema: Walked): string {
  const examples: readonly unknown[] = v.getExamples(schema);
  if (typeof examples[0] === "string") return examples[0];
  const isTime = v.getMetadata(schema).format === "date-time";
  return isTime ? "2026-11-21T10:00:00.000Z" : "abcdef0";
}

/** One object in a sample, by the keys and indexes that lead to it, with its schema. */
export interface ObjectPlace {
  readonly path: readonly (string | number)[];
  readonly schema: Walked;
}

/** Every object in a sample of a schema that has named keys. */
export function objectsIn(schema: Walked, sample: unknown, path: readonly (string | number)[] = []): ObjectPlace[] {
  const { values } = v.getMetadata(schema) as { values?: Walked };
  const inner = (one: Walked, key: string | number) => objectsIn(one, partOf(sample, key), [...path, key]);
  if (values !== undefined) return inner(values, recordKey);
  if (schema.entries !== undefined)
    return [{ path, schema }, ...keysOf(schema).flatMap(([key, one]) => inner(one, key))];
  if (schema.wrapped !== undefined) return objectsIn(schema.wrapped, sample, path);
  const { item } = schema;
  if (item !== undefined && Array.isArray(sample)) return sample.flatMap((_, index) => inner(item, index));
  const kind = (schema.options ?? []).find((option) => isSchema(option) && v.is(option, sample));
  return isSchema(kind) ? objectsIn(kind, sample, path) : [];
}

function isSchema(value: unknown): value is Walked {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "schema";
}

export function partOf(value: unknown, key: string | number): unknown {
  return (value as Readonly<Record<string | number, unknown>>)[key];
}

/** A copy of a value with another object in one place. */
export function withObject(
  value: unknown,
  path: readonly (string | number)[],
  change: (object: Readonly<Record<string, unknown>>) => unknown,
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value as Readonly<Record<string, unknown>>);
  const part = withObject(partOf(value, key), rest, change);
  if (Array.isArray(value)) return value.map((one: unknown, index) => (index === key ? part : one));
  return { ...(value as object), [key]: part };
}
