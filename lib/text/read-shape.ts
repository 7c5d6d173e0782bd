import * as v from "valibot";

/**
 * A schema for all of a type: the compiler refuses one that leaves out a key, an optional one included, or reads it as
 * something else. Whatever passes it can be used as that type; keys that a later version adds pass through.
 */
export function whole<Value>() {
  return <Entries extends { [Key in keyof Value]-?: v.GenericSchema<unknown, Value[Key]> }>(entries: Entries) =>
    v.looseObject(entries);
}

/**
 * An object with any keys, each with a value of this shape. valibot's own `record` drops keys such as `constructor`,
 * which is a good name for a file.
 */
export function recordOf<Value>(value: v.GenericSchema<unknown, Value>) {
  return v.custom<Readonly<Record<string, Value>>>(
    (input) =>
      typeof input === "object" &&
      input !== null &&
      !Array.isArray(input) &&
      Object.values(input).every((one) => v.is(value, one)),
    "Invalid record",
  );
}

export type ReadShape<Value> =
  | { readonly kind: "read"; readonly value: Value }
  /** `problem`: in a few words, with the place in the JSON. */
  | { readonly kind: "wrong"; readonly problem: string };

/** Reads JSON that has to have this shape as a whole. Does not throw. */
export function readShape<Value>(schema: v.GenericSchema<unknown, Value>, bytes: Buffer | string): ReadShape<Value> {
  let value: unknown;
  try {
    value = JSON.parse(typeof bytes === "string" ? bytes : bytes.toString("utf8"));
  } catch {
    return { kind: "wrong", problem: "it is no JSON" };
  }
  return judgeShape(schema, value);
}

/** The same for a value that was read already. */
export function judgeShape<Value>(schema: v.GenericSchema<unknown, Value>, value: unknown): ReadShape<Value> {
  const read = v.safeParse(schema, value, { abortEarly: true });
  if (read.success) return { kind: "read", value: read.output };
  const [issue] = read.issues;
  return { kind: "wrong", problem: `${v.getDotPath(issue) ?? ""} ${issue.message}`.trim() };
}
