import { createInterface } from "node:readline";

/** Reads one order a line, one at a time. Throws where a line is no order, and names the line. */
export async function* readOrders(input) {
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() !== "") yield parseOrder(line, number);
  }
}

function parseOrder(line, number) {
  let order;
  try {
    order = JSON.parse(line);
  } catch {
    throw new Error(`line ${number}: expected a JSON object, found ${JSON.stringify(line.slice(0, 40))}`);
  }
  const { id, customer, note = "", cents } = order ?? {};
  if (typeof id !== "string" || typeof customer !== "string" || typeof note !== "string" || !Number.isInteger(cents)) {
    throw new Error(`line ${number}: expected text in id, customer and note, and a whole number in cents`);
  }
  return { id, customer, note, cents };
}
