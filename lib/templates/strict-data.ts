/**
 * The same data, but reading a key that is not there throws instead of giving `undefined`: a template with a spelling
 * mistake fails in the first test that renders it, and never prints a gap.
 */
export function strictData<T extends object>(data: T, path = "it"): T {
  return new Proxy(data, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key === "symbol" || typeof value === "function") return value;
      const place = `${path}.${key}`;
      if (value === undefined && !Array.isArray(target))
        throw new Error(`the template reads ${place}, which is not in its data`);
      return typeof value === "object" && value !== null ? strictData(value, place) : value;
    },
  });
}
