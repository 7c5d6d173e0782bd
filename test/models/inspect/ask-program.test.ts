import assert from "node:assert/strict";
import { test } from "node:test";
import { askProgram } from "../../../lib/models/inspect/ask-program.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { makeFolder, plainEnv } from "../../process/arrange.ts";

test("an answer that comes in pieces is kept whole, though each piece's memory is used again", async (t) => {
  const argv = ["/bin/sh", "-c", "for word in one two three; do echo $word; sleep 0.02; done; echo four >&2"];
  const asking = { scratch: makeFolder(t), redactor: createRedactor({}), abort: null };
  assert.deepEqual(await askProgram(asking, { argv, env: plainEnv, timeoutMs: 10_000 }), {
    kind: "exited",
    exitCode: 0,
    stdout: "one\ntwo\nthree\n",
    stderr: "four\n",
  });
});
