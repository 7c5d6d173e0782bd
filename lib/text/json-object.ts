import { orElse } from "./attempt.ts";
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

export function objectAt(value: unknown, ...keys: readonly string[]): JsonObject | null {
  return keys.reduce<JsonObject | null>((found, key) => asObject(found?.[key]), asObject(value));
}

export function parseObject(text: string): JsonObject | null {
  return asObject(parseJson(text));
}

/** Undefined if it is no JSON. */
export function parseJson(text: string): unknown {
  return orElse(() => JSON.parse(text), undefined);
}
