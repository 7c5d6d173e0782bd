import assert from "node:assert/strict";
import { test } from "node:test";
import { formats } from "../src/formats.js";

async function* several(...orders) {
  yield* orders;
}

async function exportCsv(...orders) {
  assert.equal(typeof formats.csv, "function", "there is no csv format");
  let text = "";
  for await (const part of formats.csv(several(...orders))) text += part;
  return text;
}

test("writes a header and one row an order, each ended by CR LF", async () => {
  assert.equal(
    await exportCsv({ id: "A-1", customer: "Ada", note: "", cents: 1250 }),
    "id,customer,note,amount\r\nA-1,Ada,,12.50\r\n",
  );
});

test("writes the header where there are no orders", async () => {
  assert.equal(await exportCsv(), "id,customer,note,amount\r\n");
});

test("quotes a field that holds a comma", async () => {
  assert.equal(
    await exportCsv({ id: "A-2", customer: "Lovelace, Ada", note: "", cents: 100 }),
    'id,customer,note,amount\r\nA-2,"Lovelace, Ada",,1.00\r\n',
  );
});

test("doubles a quote inside a field", async () => {
  assert.equal(
    await exportCsv({ id: "A-3", customer: "Ada", note: '5" disk', cents: 100 }),
    'id,customer,note,amount\r\nA-3,Ada,"5"" disk",1.00\r\n',
  );
});

test("doubles every quote, and quotes a field that holds a line break", async () => {
  assert.equal(
    await exportCsv({ id: "A-4", customer: 'a "b" c "d"', note: "one\ntwo\r\nthree", cents: 100 }),
    'id,customer,note,amount\r\nA-4,"a ""b"" c ""d""","one\ntwo\r\nthree",1.00\r\n',
  );
});

test("yields a row before it asks for the next order", async () => {
  assert.equal(typeof formats.csv, "function", "there is no csv format");
  let asked = 0;
  async function* endless() {
    while (true) {
      asked += 1;
      yield { id: `A-${asked}`, customer: "Ada", note: "", cents: 100 };
    }
  }
  const rows = formats.csv(endless());
  await rows.next();
  await rows.next();
  assert.ok(asked <= 1, `asked for ${asked} orders`);
  await rows.return();
});
