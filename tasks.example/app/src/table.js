import { columns } from "./columns.js";

/** Yields the orders as an aligned table. The widths need every row, so it holds all orders. */
export async function* writeTable(orders) {
  const rows = [columns.map((column) => column.title)];
  for await (const order of orders) rows.push(columns.map((column) => oneLine(column.text(order))));
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  for (const row of rows) {
    yield `${row
      .map((cell, at) => cell.padEnd(widths[at]))
      .join("  ")
      .trimEnd()}\n`;
  }
}

function oneLine(text) {
  return text.replace(/\s+/g, " ");
}
