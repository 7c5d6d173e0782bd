import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { renderPage } from "../../lib/prove/render-page.ts";
import type { ProveKeys } from "../../lib/rules/shapes/reports/prove.ts";
import { withFolder } from "../store/temporary-folder.ts";

function keysWith(more: Partial<ProveKeys> = {}): ProveKeys {
  return {
    base: { name: "origin/<main>", commit: "0123456789abcdef" },
    ...{ changed: ["src/<b>.js"], grade: "kept", headline: "Nothing broke <here>", wrong: null, unnoticed: [] },
    ...{
      checks: [],
      watched: [],
      failing: [],
      old_failing: [],
      uncompared: null,
      unseparated: null,
      runs: 3,
      duration_ms: 61_000,
    },
    ...{ proven_at: "2026-01-02T03:04:05.000Z", known: false, page: null },
    ...more,
  };
}

test("a page has the sentence, the base and the paths, and none of their marks is HTML", () => {
  const page = renderPage(keysWith(), "/work/<repo>", "good");
  for (const text of [
    "Nothing broke &lt;here&gt;",
    "origin/&lt;main&gt; (0123456)",
    "src/&lt;b&gt;.js",
    "1 path · 3 runs · ",
  ])
    assert.ok(page.includes(text), text);
  assert.doesNotMatch(page, /<script|<b>|<here>|<repo>/);
  assert.match(renderPage(keysWith({ changed: ["a", "b"] }), "/r", "good"), /2 paths · /);
  assert.match(renderPage(keysWith({ runs: 1 }), "/r", "good"), / · 1 run · /);
  assert.match(renderPage(keysWith({ uncompared: "a <b> (why)" }), "/r", "good"), /Not compared: a &lt;b&gt; \(why\)/);
});

test("a run that failed opens its log, one that was not made says why, and a log that is gone says so", () =>
  withFolder((folder) => {
    const log = join(folder, "tests.log");
    writeFileSync(log, `${"x".repeat(20_000)}\u001b[31mthe end <of> it\n`);
    const page = renderPage(
      keysWith({
        checks: [
          {
            ...{ name: "tests", command: ["sh", "-c", "a b"] },
            before: { status: "pass", log: join(folder, "none.log") },
            clean: { status: "fail", log },
            old_checks: { status: "pass", log: null },
            without: { status: "pass", log },
          },
        ],
      }),
      "/r",
      "bad",
    );
    for (const text of ["sh -c &#39;a b&#39;", "as clean", "(the log is gone)", "the end &lt;of&gt; it"])
      assert.ok(page.includes(text), text);
    assert.doesNotMatch(page, /\[31m/);
    assert.ok(page.length < 60_000 && !page.includes("x".repeat(16 * 1024)));
    assert.equal(page.match(/<details[^>]*\bopen\b/g)?.length, 1);
  }));

test("many paths are cut, with their number", () => {
  const page = renderPage(
    keysWith({ changed: Array.from({ length: 205 }, (_none, index) => `f${index}.js`) }),
    "/r",
    "amber",
  );
  assert.ok(page.includes("f199.js") && !page.includes("f200.js"));
  assert.match(page, /\b5 more\b/);
});
