import assert from "node:assert/strict";
import { test } from "node:test";
import { findStartTrouble } from "../../../lib/models/inspect/start-step.ts";

const trace = (node: string) => `file:///opt/pi/dist/cli.js:2
import { enableCompileCache } from "node:module";
         ^^^^^^^^^^^^^^^^^^
SyntaxError: The requested module 'node:module' does not provide an export named 'enableCompileCache'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:123:21)

Node.js v${node}
`;

test("a trace of an older Node than the CLI runs on says which one it needs, and what doctor says", () => {
  const trouble = findStartTrouble("pi", "pi", trace("20.20.2"));
  assert.equal(trouble?.need, "pi needs Node 22.19 or newer, and ran under 20.20.2");
  assert.match(
    trouble?.fix ?? "",
    /^put Node 22\.19 or newer first on PATH; or let npm, under Node 20\.20\.2, install/,
  );
});

test("a trace of a Node that is new enough, or of a CLI that runs on any, tells of another trouble", () => {
  assert.equal(findStartTrouble("pi", "pi", trace("22.19.0")), null);
  assert.equal(findStartTrouble("gemini", "gemini", trace("20.20.2")), null);
  assert.equal(findStartTrouble("pi", "pi", "error: unknown option '--x'\n"), null);
});

test("a CLI that finds no node at all, as with cron's PATH, says where there is one", () => {
  for (const said of [
    "/usr/bin/env: 'node': No such file or directory\n",
    "/usr/bin/env: ‘node’: No such file or directory",
  ]) {
    assert.deepEqual(findStartTrouble("codex", "codex", said, "/opt/node/bin/node"), {
      need: "codex needs node on PATH",
      fix: "put /opt/node/bin on PATH; if cron starts task-phase, write at the top of the crontab: PATH=/opt/node/bin:/usr/bin:/bin",
    });
  }
});
