import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { parseCsv } from "./parse-csv.js";

const cli = fileURLToPath(new URL("../../src/cli.js", import.meta.url));
const orders = [
  { id: "A-1", customer: "Ada", note: "plain", cents: 1250 },
  { id: "A-2", customer: "Lovelace, Ada", note: 'she said "now", twice: "now"', cents: 5 },
  { id: "A-3", customer: "Grace", note: "first line\nsecond line", cents: -700 },
  { id: "A-4", customer: "Mary\r\nSomerville", note: "  spaces stay  ", cents: 0 },
  { id: "A-5", customer: "Åsa 🛒", note: "", cents: 123456789 },
];

function startExport(t) {
  const child = spawn(process.execPath, [cli, "--format", "csv"], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  child.stdout.setEncoding("utf8");
  return child;
}

test("a strict reader gets every order back, whatever stands in its fields", { timeout: 20_000 }, async (t) => {
  const child = startExport(t);
  child.stdin.end(orders.map((order) => `${JSON.stringify(order)}\n`).join(""));
  let text = "";
  for await (const part of child.stdout) text += part;
  assert.deepEqual(parseCsv(text), [
    ["id", "customer", "note", "amount"],
    ["A-1", "Ada", "plain", "12.50"],
    ["A-2", "Lovelace, Ada", 'she said "now", twice: "now"', "0.05"],
    ["A-3", "Grace", "first line\nsecond line", "-7.00"],
    ["A-4", "Mary\r\nSomerville", "  spaces stay  ", "0.00"],
    ["A-5", "Åsa 🛒", "", "1234567.89"],
  ]);
});

test("rows come out while the input is still open", { timeout: 20_000 }, async (t) => {
  const child = startExport(t);
  child.stdin.write(`${JSON.stringify(orders[0])}\n`);
  let text = "";
  for await (const part of child.stdout) {
    text += part;
    if (text.includes("A-1")) break;
  }
  assert.deepEqual(parseCsv(text), [
    ["id", "customer", "note", "amount"],
    ["A-1", "Ada", "plain", "12.50"],
  ]);
});
