/** The same value with each string in it, at any depth, as `change` gives it. Only plain objects and lists are entered. */
export function mapStrings<Value>(value: Value, change: (text: string) => string): Value {
  return mapAny(value, change) as Value;
}

function mapAny(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapAny(each, change));
  if (value === null || typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapAny(each, change)]));
}
