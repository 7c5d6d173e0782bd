/** A prefix, and a number of at most as many digits as can be counted on. */
const key = /^([A-Z][A-Z0-9]*)-(\d{1,15})$/;

/**
 * The id of the next task, after those that are there: their most common prefix, their highest number and one more, as
 * wide as theirs if they begin with zeros. T-1 if none has such an id.
 */
export function nextId(ids: readonly string[]): string {
  const digits = new Map<string, string[]>();
  for (const id of new Set(ids)) {
    const [, prefix, number] = key.exec(id) ?? [];
    if (prefix === undefined || number === undefined) continue;
    digits.set(prefix, [...(digits.get(prefix) ?? []), number]);
  }
  const [most] = [...digits].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  if (most === undefined) return "T-1";
  const [prefix, numbers] = most;
  const width = Math.max(1, ...numbers.filter((number) => number.startsWith("0")).map((number) => number.length));
  const next = Math.max(...numbers.map(Number)) + 1;
  return `${prefix}-${String(next).padStart(width, "0")}`;
}
