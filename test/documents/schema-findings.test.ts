import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { checkSchema, expects, strictMap, wordSchema } from "../../lib/documents/schema-findings.ts";
import { readStrictYaml } from "../../lib/documents/strict-yaml.ts";
import { showFinding } from "./arrange.ts";

const never = v.custom<number>(() => false, expects("a number", "write 5"));
const word = wordSchema(["block", "show"], "block or show", "write mode: block");
const schema = strictMap({ mode: v.optional(word), list: v.optional(v.array(strictMap({ size: never }))) });

function findings(text: string): string[] {
  const yaml = readStrictYaml({ text, file: "x.yaml", linesBefore: 0 });
  if (yaml.kind === "bad") return assert.fail("no YAML");
  const checked = checkSchema(schema, yaml);
  return checked.kind === "good" ? [] : checked.findings.map((one) => `${showFinding(one)} → ${one.fix}`);
}

test("a value that fits is given as it is", () => {
  const yaml = readStrictYaml({ text: "mode: show", file: "x.yaml", linesBefore: 0 });
  assert.ok(yaml.kind === "yaml");
  assert.deepEqual(checkSchema(schema, yaml), { kind: "good", value: { mode: "show" } });
});

test("a wrong value is shown as a person would call it", () => {
  const size = (yaml: string) => findings(`list: [{ size: ${yaml} }]`);
  const found = (what: string) => [`TP_CONFIG_VALUE 1:16 \`list[1].size\` must be a number, found ${what} → write 5`];
  assert.deepEqual(size("a b"), found('the text "a b"'));
  assert.deepEqual(size("5"), found("5"));
  assert.deepEqual(size("[]"), found("an empty list"));
  assert.deepEqual(size("[1]"), found("a list"));
  assert.deepEqual(size("{ a: 1 }"), found("a map"));
  assert.deepEqual(size("true"), found("true"));
  assert.deepEqual(size("null"), found("nothing"));
});

test("a word that is a letter off is answered with the right one, and any other with what may be written", () => {
  const at = "TP_CONFIG_VALUE 1:7 `mode` must be block or show, found";
  assert.deepEqual(findings("mode: blok"), [`${at} the text "blok" → did you mean \`block\`?`]);
  assert.deepEqual(findings("mode: never"), [`${at} the text "never" → write mode: block`]);
  assert.deepEqual(findings("mode: 5"), [`${at} 5 → write mode: block`]);
});

test("a key that is missing or not known is a finding with its place and the key that may be meant", () => {
  assert.deepEqual(findings("list: [{}]"), ["TP_CONFIG_MISSING_KEY 1:8 `list[1].size` is missing → add `size:`"]);
  assert.deepEqual(findings("a: 1"), [
    "TP_CONFIG_UNKNOWN_KEY 1:1 `a` is not a known key → remove it; known keys here: mode, list",
  ]);
  assert.deepEqual(findings("modes: show"), [
    "TP_CONFIG_UNKNOWN_KEY 1:1 `modes` is not a known key → did you mean `mode`?",
  ]);
});

test("every key that is not known is told at once, in the order of the file, with what else is wrong", () => {
  const text = "b: 1\nlist: [{ size: x, c: 1, d: 1 }, { sise: 1 }]\nmode: blok\na: 1\n";
  const places = findings(text).map((one) => one.replace(/ (is|must) .*/, ""));
  assert.deepEqual(places, [
    "TP_CONFIG_UNKNOWN_KEY 1:1 `b`",
    "TP_CONFIG_VALUE 2:16 `list[1].size`",
    "TP_CONFIG_UNKNOWN_KEY 2:19 `list[1].c`",
    "TP_CONFIG_UNKNOWN_KEY 2:25 `list[1].d`",
    "TP_CONFIG_MISSING_KEY 2:33 `list[2].size`",
    "TP_CONFIG_UNKNOWN_KEY 2:35 `list[2].sise`",
    "TP_CONFIG_VALUE 3:7 `mode`",
    "TP_CONFIG_UNKNOWN_KEY 4:1 `a`",
  ]);
});

test("of a map with many keys that are not known the first ones are told", () => {
  const text = Array.from({ length: 500 }, (_, index) => `k${index}: 1\n`).join("");
  assert.deepEqual(
    findings(text).map((one) => /`(.*?)`/.exec(one)?.[1]),
    Array.from({ length: 20 }, (_, index) => `k${index}`),
  );
});

test("what is no map at all is said of the file", () => {
  assert.deepEqual(findings("- a"), [
    "TP_CONFIG_VALUE 1:1 the file must be a map with keys such as mode, list, found a list → write `key: value` pairs",
  ]);
});
