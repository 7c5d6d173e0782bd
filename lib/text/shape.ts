import * as v from "valibot";
import { orElse } from "./attempt.ts";
import { isObject } from "./json-object.ts";
import { shorten } from "./shorten.ts";

/** Deeply readonly. */
export type Plain<Value> = { readonly [Key in keyof Value]: Plain<Value[Key]> };

export type Shape<Schema extends v.GenericSchema> = Plain<v.InferOutput<Schema>>;

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

type OutputOf<Entries extends v.ObjectEntries> = Plain<v.InferOutput<v.ObjectSchema<Entries, undefined>>>;

/** No further argument if the entries read exactly this type; else an impossible one. */
type Exactly<Value, Entries extends v.ObjectEntries> =
  Same<Plain<Value>, OutputOf<Entries>> extends true
    ? []
    : [differs: { readonly type: Plain<Value>; readonly schema: OutputOf<Entries> }];

/**
 * A schema for exactly a type declared elsewhere: the compiler rejects a missing or additional key, and a wider or
 * narrower value. Unknown keys are dropped, since a later version may have added them.
 */
export function whole<Value>() {
  return <Entries extends { [Key in keyof Value]-?: v.GenericSchema<unknown, Value[Key]> }>(
    entries: Entries,
    ..._exactly: Exactly<Value, Entries>
  ) => v.object(entries);
}

/** Adds the sentence that docs/json.md and the JSON Schemas show. */
export function about<Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.pipe(schema, v.description(text));
}

/** An object with any keys. valibot's `record` drops keys such as `constructor`, a legal file name. */
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
  /** Where in the JSON, expected and found, in a few words. */
  | { readonly kind: "wrong"; readonly problem: string };

/** Does not throw. */
export function readShape<Value>(schema: v.GenericSchema<unknown, Value>, bytes: Buffer | string): ReadShape<Value> {
  // No JSON is undefined.
  const value: unknown = orElse(() => JSON.parse(String(bytes)), undefined);
  return value === undefined ? { kind: "wrong", problem: "it is not JSON" } : judgeShape(schema, value);
}

/** For a parsed value. */
export function judgeShape<Value>(schema: v.GenericSchema<unknown, Value>, value: unknown): ReadShape<Value> {
  const read = v.safeParse(schema, value, { abortEarly: true });
  return read.success ? { kind: "read", value: read.output } : { kind: "wrong", problem: renderIssue(read.issues[0]) };
}

function renderIssue(issue: v.BaseIssue<unknown>): string {
  const path = shorten(v.getDotPath(issue) ?? "", 120);
  const isMissing = issue.received === "undefined";
  const expected = isMissing || issue.expected === null ? null : shorten(issue.expected, 160);
  const found = isMissing ? "nothing" : shorten(issue.received, 60);
  const what = `expected ${expected ?? (isMissing ? "a value" : issue.message)}, found ${found}`;
  return path === "" ? what : `${path}: ${what}`;
}
