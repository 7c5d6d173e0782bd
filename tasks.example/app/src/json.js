/** Yields the orders as one JSON array, one order a line, as they come. */
export async function* writeJson(orders) {
  let before = "[\n";
  for await (const order of orders) {
    yield `${before}${JSON.stringify(order)}`;
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}
