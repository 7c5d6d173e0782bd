import assert from "node:assert/strict";
import { test } from "node:test";
import { finalTextOf } from "../../../lib/models/run/final-text.ts";
import { createRedactor } from "../../../lib/text/redact.ts";

test("the final text has no colours and plain line ends", () => {
  const output = "working\r\n\u001b[1m<promise>COMPLETE</promise>\u001b[0m\r\n";
  assert.equal(finalTextOf(output, createRedactor({})), "working\n<promise>COMPLETE</promise>\n");
});

test("a secret that was hidden by a colour in its middle is redacted", () => {
  const redactor = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery" });
  assert.equal(finalTextOf("correct-\u001b[1mhorse-battery", redactor), "[redacted:env]");
});
