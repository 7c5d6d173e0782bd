import { cellsOf } from "../text/cells.ts";
import { type Line, paint } from "./paint.ts";

/** The rows as lines, each column as wide as its widest cell; the last one is not filled up. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cellsOf(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + " ".repeat((widths[column] ?? 0) - cellsOf(cell)),
      )
      .join("  ")
      .trimEnd(),
  );
}

/** The same under a row of titles. */
export function titledColumns(titles: readonly string[], rows: readonly (readonly string[])[]): Line[] {
  const [title = "", ...rest] = alignColumns([titles, ...rows]);
  return [[paint("heading", title)], ...rest];
}
