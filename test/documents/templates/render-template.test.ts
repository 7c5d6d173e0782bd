import assert from "node:assert/strict";
import { test } from "node:test";
import {
  compileTemplate,
  mdProse,
  readTemplate,
  readWholeTemplate,
  renderTemplate,
  splitProse,
} from "../../../lib/documents/templates/render-template.ts";

test("in HTML every piece of data is escaped and its hidden characters are shown", () => {
  const page = compileTemplate("x.html", '<p title="<%= it.a %>"><%= it.a %></p>');
  assert.equal(
    page({ a: `<"'&>\u202e` }),
    '<p title="&lt;&quot;&#39;&amp;&gt;\\u{202e}">&lt;&quot;&#39;&amp;&gt;\\u{202e}</p>',
  );
});

test("data is never read as a template", () => {
  assert.equal(compileTemplate("x.md", "<%= it.a %>")({ a: "<%= 1 + 1 %>" }), "<%= 1 + 1 %>");
});

test("a key that is missing, or a value that has no words, is an error and no gap", () => {
  const template = compileTemplate("x.md", "<%= it.a.b %>");
  assert.throws(() => template({ a: {} }), /it\.a\.b/);
  assert.throws(() => template({ a: { b: null } }), /prints null/);
  assert.throws(() => template({ a: { b: Number.NaN } }), /prints number/);
  assert.throws(() => template({ a: { b: {} } }), /prints object/);
  assert.throws(() => renderTemplate("STATE.md", {}), /it\.id/);
});

test("lists, numbers and yes or no are printed", () => {
  const template = compileTemplate(
    "x.md",
    "<% for (const [a, b] of it.rows) { -%>\n<%= a %>=<%= b %>;\n<% } -%>\n<%= it.rows[5] === undefined %>",
  );
  assert.equal(
    template({
      rows: [
        ["x", 1],
        ["y", true],
      ],
    }),
    "x=1;\ny=true;\ntrue",
  );
});

test("a template of the package is read and compiled once", () => {
  assert.equal(renderTemplate("TASKS.md", { id: "T-1" }), renderTemplate("TASKS.md", { id: "T-1" }));
});

test("no template has a raw tag, and no attribute stands without quotes", () => {
  for (const name of [
    "evidence.html",
    "prompt.md",
    "README.md",
    "STATE.md",
    "EVIDENCE.md",
    "TASKS.md",
    "SUMMARY.md",
    "DEFERRED.md",
  ]) {
    const source = readWholeTemplate(`${name}.eta`);
    assert.doesNotMatch(source, /<%[-_]?\s*~/, name);
    assert.doesNotMatch(source, /=\s*<%=/, name);
  }
});

test("a line that names a part stands for the template of that name", () => {
  const whole = readWholeTemplate("evidence.html.eta");
  assert.ok(whole.includes(readTemplate("evidence/page-edits.html.eta")));
  // The passes have parts of their own.
  assert.ok(whole.includes(readTemplate("evidence/page-passes.html.eta")));
  assert.doesNotMatch(whole, /<!-- part/);
});

test("text between code marks is marked as code", () => {
  assert.deepEqual(splitProse("run `npm test` now"), [
    { text: "run ", code: false },
    { text: "npm test", code: true },
    { text: " now", code: false },
  ]);
  assert.deepEqual(splitProse("` `"), [{ text: "` `", code: false }]);
  assert.deepEqual(splitProse("one ` mark"), [{ text: "one ` mark", code: false }]);
  assert.deepEqual(splitProse("then `task-phase resu…"), [
    { text: "then ", code: false },
    { text: "task-phase resu…", code: true },
  ]);
});

test("in a cell code stays code and all else is plain", () => {
  assert.equal(mdProse("*run* `npm test` | now"), "&#42;run&#42; `npm test` &#124; now");
  assert.equal(mdProse("`a | b`"), "a &#124; b");
  assert.equal(mdProse(""), "–");
});
