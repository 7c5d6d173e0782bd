import type { Redactor } from "./redact.ts";

/** The same JSON value with every string in it redacted; keys stay. */
export function redactDeep<Value>(value: Value, redactor: Redactor): Value {
  if (typeof value === "string") return redactor.redact(value) as Value;
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redactor)) as Value;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item, redactor)])) as Value;
}
