import { showHidden } from "../../documents/templates/visible.ts";

/**
 * Bytes of HTML that each part of the page may take, whatever is recorded. Together with the page's own text they stay
 * under 5 MB, which a phone loads and a git host takes; the artifacts may also have what pictures, diff and logs leave.
 */
export const pageBudget = {
  /** 1.2 MB of files, as base64. */
  images: 1_600_000,
  artifacts: 600_000,
  diff: 600_000,
  logs: 500_000,
  passes: 450_000,
  checks: 220_000,
  gates: 150_000,
  tickets: 150_000,
  reviews: 80_000,
  fields: 100_000,
  watched: 80_000,
  edits: 100_000,
  features: 80_000,
  paths: 40_000,
} as const;

/** Longest text of one row, in characters; a longer one is cut and says so. */
const longestText = 3000;

export interface Fitted<Row> {
  readonly rows: readonly Row[];
  /** How many are left out. */
  readonly more: number;
}

/**
 * As many rows as a share of the page can hold, with their texts cut; `newest` keeps the last ones. `markup` is what
 * the template writes around one row.
 */
export function fitRows<Row>(
  rows: readonly Row[],
  { share, markup, newest = false }: { share: number; markup: number; newest?: boolean },
): Fitted<Row> {
  const kept: Row[] = [];
  let left = share;
  for (const row of newest ? rows.toReversed() : rows) {
    const cut = cutTexts(row);
    left -= markup + deepBytes(cut);
    if (left < 0) break;
    kept.push(cut);
  }
  return { rows: newest ? kept.reverse() : kept, more: rows.length - kept.length };
}

/** The bytes that a text takes in the page: escaped, and with its hidden characters spelled out. */
export function htmlBytes(text: string): number {
  let bytes = 0;
  for (const [special] of text.matchAll(/[&<>"']/g)) bytes += growth[special] ?? 0;
  return bytes + Buffer.byteLength(showHidden(text));
}

/** The bytes that escaping adds to each. */
const growth: Readonly<Record<string, number>> = { "&": 4, "<": 3, ">": 3, '"': 5, "'": 4 };

/** The beginning of a text, and how much of it is left out. */
export function cutLong(text: string, most = longestText): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}… (${text.length - kept.length} more characters)`;
}

function cutTexts<Value>(value: Value): Value {
  if (typeof value === "string") return cutLong(value) as Value;
  if (Array.isArray(value)) return value.slice(0, 200).map(cutTexts) as Value;
  if (value === null || typeof value !== "object") return value;
  const cut = Object.entries(value).map(([key, item]) => [
    key,
    addresses.has(key) ? (typeof item === "string" && item.length > longestText ? "" : item) : cutTexts(item),
  ]);
  return Object.fromEntries(cut) as Value;
}

/** Keys of a row that hold an address: half of one points to nothing. */
const addresses = new Set(["href", "log"]);

function deepBytes(value: unknown): number {
  if (typeof value === "string") return htmlBytes(value);
  if (value === null || typeof value !== "object") return 8;
  return Object.values(value).reduce((sum: number, item) => sum + deepBytes(item), 0);
}
