import * as v from "valibot";
import { isObject } from "./json-object.ts";
import { shorten } from "./shorten.ts";

/** A type as it is read: no part of it can be written to. */
export type Plain<Value> = { readonly [Key in keyof Value]: Plain<Value[Key]> };

/** The type that a schema reads: the only declaration of a type that no rule of `lib/machine` needs. */
export type Shape<Schema extends v.GenericSchema> = Plain<v.InferOutput<Schema>>;

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

type OutputOf<Entries extends v.ObjectEntries> = Plain<v.InferOutput<v.ObjectSchema<Entries, undefined>>>;

/** No further argument if the entries read exactly this type; else one that nobody can give. */
type Exactly<Value, Entries extends v.ObjectEntries> =
  Same<Plain<Value>, OutputOf<Entries>> extends true
    ? []
    : [differs: { readonly type: Plain<Value>; readonly schema: OutputOf<Entries> }];

/**
 * A schema for exactly a type that is declared elsewhere: the compiler refuses one that leaves out a key, an optional
 * one included, adds a key, or reads more or less than the type says. Keys that it does not name fall away, since a
 * later version may have added them.
 */
export function whole<Value>() {
  return <Entries extends { [Key in keyof Value]-?: v.GenericSchema<unknown, Value[Key]> }>(
    entries: Entries,
    ..._exactly: Exactly<Value, Entries>
  ) => v.object(entries);
}

/** The same schema with a sentence that says what the value is: docs/json.md and the JSON Schemas show it. */
export function about<Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.pipe(schema, v.description(text));
}

/**
 * An object with any keys, each with a value of this shape. valibot's own `record` drops keys such as `constructor`,
 * which is a good name for a file.
 */
export function recordOf<Value>(value: v.GenericSchema<unknown, Value>) {
  return v.pipe(
    v.custom<Readonly<Record<string, Value>>>(isObject, (issue) => `Expected an object but received ${issue.received}`),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      for (const [key, one] of Object.entries(dataset.value)) {
        const read = v.safeParse(value, one, { abortEarly: true });
        if (read.success) continue;
        const [issue] = read.issues;
        const step = { type: "unknown", origin: "value", input: dataset.value, key, value: one } as const;
        const { message, received } = issue;
        const expected = issue.expected ?? undefined;
        addIssue({ message, received, expected, path: [step, ...(issue.path ?? [])] });
      }
    }),
    v.metadata({ values: value }),
  );
}

export type ReadShape<Value> =
  | { readonly kind: "read"; readonly value: Value }
  /** `problem`: where in the JSON, what was expected and what was found, in a few words. */
  | { readonly kind: "wrong"; readonly problem: string };

/** Reads JSON that has to have this shape as a whole. Does not throw. */
export function readShape<Value>(schema: v.GenericSchema<unknown, Value>, bytes: Buffer | string): ReadShape<Value> {
  let value: unknown;
  try {
    value = JSON.parse(typeof bytes === "string" ? bytes : bytes.toString("utf8"));
  } catch {
    return { kind: "wrong", problem: "it is not JSON" };
  }
  return judgeShape(schema, value);
}

/** The same for a value that was read already. */
export function judgeShape<Value>(schema: v.GenericSchema<unknown, Value>, value: unknown): ReadShape<Value> {
  const read = v.safeParse(schema, value, { abortEarly: true });
  return read.success
    ? { kind: "read", value: read.output }
    : { kind: "wrong", problem: describeIssue(read.issues[0]) };
}

function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = shorten(v.getDotPath(issue) ?? "", 120);
  const isMissing = issue.received === "undefined";
  const expected = isMissing || issue.expected === null ? null : shorten(issue.expected, 160);
  const found = isMissing ? "nothing" : shorten(issue.received, 60);
  const what = `expected ${expected ?? (isMissing ? "a value" : issue.message)}, found ${found}`;
  return path === "" ? what : `${path}: ${what}`;
}
