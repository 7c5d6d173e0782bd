import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { readOrders } from "../src/orders.js";

async function read(text) {
  const orders = [];
  for await (const order of readOrders(Readable.from([text]))) orders.push(order);
  return orders;
}

test("reads one order a line and takes a missing note as empty", async () => {
  assert.deepEqual(await read('{"id":"A-1","customer":"Ada","cents":1250}\n\n'), [
    { id: "A-1", customer: "Ada", note: "", cents: 1250 },
  ]);
});

test("names the line that is no order", async () => {
  await assert.rejects(read('{"id":"A-1","customer":"Ada","cents":1250}\nnonsense\n'), /line 2: expected a JSON object/);
  await assert.rejects(read('{"id":"A-1"}\n'), /line 1: expected text in id/);
});
