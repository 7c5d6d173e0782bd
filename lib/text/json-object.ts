export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Null for everything that is not an object. */
export function asObject(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** The object under a path of keys; null if any of them points to nothing. */
export function objectAt(value: unknown, ...keys: readonly string[]): JsonObject | null {
  return keys.reduce<JsonObject | null>((found, key) => asObject(found?.[key]), asObject(value));
}

/** Null for everything that is not JSON, or another value than an object. */
export function parseObject(text: string): JsonObject | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}
