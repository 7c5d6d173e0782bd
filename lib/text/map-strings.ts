/** A deep copy in which `change` has replaced each string. An object of a class becomes a plain one. */
export function mapStrings<Value>(value: Value, change: (text: string) => string): Value {
  return mapAny(value, change) as Value;
}

function mapAny(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapAny(item, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapAny(item, change)]));
}
