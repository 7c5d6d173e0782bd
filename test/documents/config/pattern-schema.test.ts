import assert from "node:assert/strict";
import { test } from "node:test";
import { readModels, refuses } from "./arrange.ts";

const fix = 'write it as in JavaScript, in quotes, such as "come back (later|tomorrow)"';
const place = "TP_CONFIG_VALUE 1:56 `models[1].rate_limit_patterns[1]`";
const patterns = (...list: string[]) =>
  `models: [{ name: a, adapter: pi, rate_limit_patterns: [${list.map((text) => `'${text}'`).join(", ")}] }]`;
const compiled = (text: string) => readModels(patterns(text))[0]?.rateLimitPatterns[0];

test("upper and lower case are alike in a pattern, and a character is one character", () => {
  assert.equal(compiled("come back")?.test("COME BACK tomorrow"), true);
  assert.equal(compiled("^limit.$")?.test("limit🐢"), true);
});

test("a pattern that Unicode mode refuses is read without it", () => {
  assert.deepEqual(
    ["try\\-later", "a{,2}b"].map((text) => String(compiled(text))),
    ["/try\\-later/i", "/a{,2}b/i"],
  );
});

refuses([
  [patterns("("), `${place} must be a regular expression (Unterminated group), found the text "(" → ${fix}`],
  [patterns("*a"), `${place} must be a regular expression (Nothing to repeat), found the text "*a" → ${fix}`],
  ...["(later)?", "^$", ".", ".+", "[^a]", "a|"].map(
    (text) =>
      [
        patterns(text),
        `${place} must match limit messages only, not any text: every error would count as a limit, found the text "${text}" → ${fix}`,
      ] as const,
  ),
  [patterns(""), `${place} must be a regular expression of 1 to 200 characters, found the text "" → ${fix}`],
  [
    patterns("x".repeat(201)),
    `${place} must be a regular expression of 1 to 200 characters, found the text "${"x".repeat(59)}…" → ${fix}`,
  ],
  [
    "models: [{ name: a, adapter: pi, rate_limit_patterns: [429] }]",
    `${place} must be a regular expression of 1 to 200 characters, found 429 → ${fix}`,
  ],
  [
    "models: [{ name: a, adapter: pi, rate_limit_patterns: later }]",
    'TP_CONFIG_VALUE 1:55 `models[1].rate_limit_patterns` must be a list of regular expressions, found the text "later" → write it as a list: rate_limit_patterns: ["come back later"]',
  ],
  [
    patterns("fine", "(", "[z"),
    `TP_CONFIG_VALUE 1:64 \`models[1].rate_limit_patterns[2]\` must be a regular expression (Unterminated group), found the text "(" → ${fix}`,
    `TP_CONFIG_VALUE 1:69 \`models[1].rate_limit_patterns[3]\` must be a regular expression (Unterminated character class), found the text "[z" → ${fix}`,
  ],
]);

test("two hundred characters are not too many", () => {
  assert.equal(compiled("x".repeat(200))?.source.length, 200);
});
