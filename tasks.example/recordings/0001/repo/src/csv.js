import { columns } from "./columns.js";

/** Yields the orders as CSV (RFC 4180), one row at a time, so that an export of any length needs the memory of one row. */
export async function* writeCsv(orders) {
  yield formatRow(columns.map((column) => column.title));
  for await (const order of orders) yield formatRow(columns.map((column) => column.text(order)));
}

function formatRow(fields) {
  return `${fields.map(quoteField).join(",")}\r\n`;
}

function quoteField(text) {
  return /[",]/.test(text) ? `"${text.replace('"', '""')}"` : text;
}
