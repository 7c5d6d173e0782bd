import type { BoardGroup } from "./groups.ts";

/** How much a document shows; what is beyond it is counted. */
export interface BoardLimits {
  readonly rows: number;
  /** Bytes of all texts and addresses, escaped. */
  readonly bytes: number;
}

/** No document shows more rows. */
export const mostRows = 2_000;

/** The rows from the top as long as they fit. */
export function limitRows(groups: readonly BoardGroup[], { rows, bytes }: BoardLimits): BoardGroup[] {
  let left = { rows, bytes };
  return groups.map((group) => {
    let shown = 0;
    for (const row of group.rows) {
      left = { rows: left.rows - 1, bytes: left.bytes - costOf(row) };
      if (left.rows < 0 || left.bytes < 0) break;
      shown += 1;
    }
    return { ...group, rows: group.rows.slice(0, shown), more: group.more + group.rows.length - shown };
  });
}

/** What the texts of a value may take once they are escaped: no mark takes more than six bytes. */
function costOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 5 * (value.match(/[^\p{L}\p{N} ]/gu)?.length ?? 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, inner) => sum + costOf(inner), 0);
}
