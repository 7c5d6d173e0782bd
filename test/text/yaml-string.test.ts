import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "yaml";
import { showOneLine } from "../../lib/documents/templates/visible.ts";
import { yamlList, yamlString } from "../../lib/text/yaml-string.ts";
import { hostileTexts } from "../documents/templates/hostile.ts";

test("every text is read back as the same text, as a value and inside a list", () => {
  for (const hostile of hostileTexts) {
    assert.deepEqual(parse(`key: ${yamlString(hostile)}   # comment\n`), { key: hostile });
    assert.deepEqual(parse(`{ key: ${yamlString(hostile)}, list: ${yamlList([hostile, "b"])} }`), {
      key: hostile,
      list: [hostile, "b"],
    });
  }
});

test("plain words stay plain, words that YAML takes for something else do not", () => {
  assert.equal(yamlString("Stream the CSV export"), "Stream the CSV export");
  assert.equal(yamlString("T-123"), "T-123");
  assert.equal(yamlString("No"), '"No"');
  assert.equal(yamlString("12"), '"12"');
  assert.equal(yamlString("a: b"), '"a: b"');
});

test("a quoted text is one line without hidden characters", () => {
  for (const hostile of hostileTexts) assert.equal(yamlString(hostile), showOneLine(yamlString(hostile)));
});
