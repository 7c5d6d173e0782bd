import assert from "node:assert/strict";
import { test } from "node:test";
import { writeTable } from "../src/table.js";

test("aligns the columns", async () => {
  const orders = [
    { id: "A-1", customer: "Ada", note: "", cents: 1250 },
    { id: "A-12", customer: "Grace", note: "two\nlines", cents: -5 },
  ];
  let text = "";
  for await (const part of writeTable(orders)) text += part;
  assert.equal(text, "id    customer  note       amount\nA-1   Ada                  12.50\nA-12  Grace     two lines  -0.05\n");
});
