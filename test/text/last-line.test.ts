import assert from "node:assert/strict";
import { test } from "node:test";
import { openLastLine } from "../../lib/text/last-line.ts";
import { createRedactor } from "../../lib/text/redact.ts";

const secret = `ghp_${"a1B2".repeat(9)}`;

function lineOf(...pieces: readonly (string | Uint8Array)[]): string {
  const line = openLastLine(createRedactor({ MY_SECRET: "pa55 word with spaces" }));
  for (const piece of pieces) line.add(piece);
  return line.read();
}

test("the newest whole line that holds anything is the last line", () => {
  assert.equal(lineOf("one\ntwo\n\n  \n"), "two");
  assert.equal(lineOf("one\ntw", "o\nthree"), "two");
  assert.equal(lineOf("50%\r", "60%\r", "70"), "60%");
  assert.equal(lineOf(), "");
});

test("a character that is cut between two pieces is whole again", () => {
  const bytes = Buffer.from("naïve\n");
  assert.equal(lineOf(bytes.subarray(0, 3), bytes.subarray(3)), "naïve");
});

test("no secret is in it: not a known one, not a half, not the rest of one whose beginning was dropped", () => {
  assert.match(lineOf(`token ${secret}\n`), /^token \[redacted/);
  assert.match(lineOf("password pa55 word with spaces\n"), /^password \[redacted/);
  assert.equal(lineOf(`one\ntoken ${secret.slice(0, 20)}`), "one");
  assert.equal(lineOf(`${secret}${"x".repeat(20_000)}`, "\n"), "");
  const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(20)}`;
  assert.doesNotMatch(lineOf(key), /MIIE/);
});

test("no mark of a terminal is in it", () => {
  assert.equal(lineOf("\u001b[31mred\u001b[0m\n"), "red");
});
