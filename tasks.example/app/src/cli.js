#!/usr/bin/env node
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { parseArgs } from "node:util";
import { formats } from "./formats.js";
import { readOrders } from "./orders.js";

async function main() {
  const { values, positionals } = parseArgs({
    options: { format: { type: "string", default: "table" } },
    allowPositionals: true,
  });
  if (!Object.hasOwn(formats, values.format)) {
    throw new Error(`--format: expected one of ${Object.keys(formats).join(", ")}, found ${values.format}`);
  }
  const input = positionals.length > 0 ? createReadStream(positionals[0]) : process.stdin;
  for await (const text of formats[values.format](readOrders(input))) {
    if (!process.stdout.write(text)) await once(process.stdout, "drain");
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`orders-report: ${error.message}\n`);
  process.exitCode = 1;
}
