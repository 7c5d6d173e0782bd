import assert from "node:assert/strict";
import { test } from "node:test";
import { briefChanges } from "../../lib/documents/brief-changes.ts";

const brief = (front: string, text = "Export it.") =>
  Buffer.from(`---\nid: T-1\ntitle: Export\n${front}---\n\n${text}\n`);

test("keys that differ are named, sorted, and the text below them as `text`", () => {
  const was = brief("validators: [{ name: tests, command: [npm, test] }]\npriority: 1\n");
  const now = brief('validators: [{ name: tests, command: ["true"] }]\nbudget: { passes: 3 }\n', "Import it.");
  assert.deepEqual(briefChanges(was, now), ["budget", "priority", "validators", "text"]);
});

test("another form of the same values is no change", () => {
  const now = Buffer.from("\uFEFF---\r\ntitle: 'Export'\r\nid: T-1 # the id\r\n---\r\n\r\nExport it.\r\n");
  assert.deepEqual(briefChanges(brief(""), now), []);
});

test("where one of them cannot be read, nothing is known", () => {
  assert.equal(briefChanges(brief(""), Buffer.from("no front matter\n")), null);
  assert.equal(briefChanges(Buffer.from("---\n- a list\n: {\n---\n"), brief("")), null);
  assert.equal(briefChanges(Buffer.from([0xff, 0xfe, 0x00]), brief("")), null);
});
