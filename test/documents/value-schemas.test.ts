import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import {
  commandSchema,
  countSchema,
  durationSchema,
  listSchema,
  moneySchema,
  textSchema,
  tokensSchema,
  yesNoSchema,
} from "../../lib/documents/value-schemas.ts";

const text = textSchema("a name", 5, "shorten it");

/** A schema, what it takes as it is, and what it refuses. */
const table: Readonly<Record<string, readonly [v.GenericSchema, readonly unknown[], readonly unknown[]]>> = {
  "a text": [text, ["a", "a b", "12345"], ["", " ", "123456", "a\nb", "a\tb", "a\u2028", "a\0", 5, null, ["a"]]],
  "a count": [countSchema(0), [0, 1, 1_000_000], [-1, 1.5, 1_000_001, "1", Number.NaN, null]],
  "a count in a range": [countSchema(2, 3), [2, 3], [1, 4]],
  "an amount of money": [moneySchema, [0.01, 5, 1e9], [0, 0.009, -1, Number.POSITIVE_INFINITY, Number.NaN, "5"]],
  "an amount of tokens": [tokensSchema, [1, 1_000_000_000_000], [0, 1_000_000_000_001, 1.5]],
  "true or false": [yesNoSchema, [true, false], ["yes", 1, null]],
  "a list": [listSchema(text, "names", "[a]"), [[], ["a", "b"]], ["a", [""], null]],
  "a command": [commandSchema, [["a"], ["a", ""]], [[], [" "], ["", "a"], ["a", 1], ["a\0"], "a b", 5]],
};

for (const [what, [schema, taken, refused]] of Object.entries(table))
  test(`${what} is taken in its own form alone`, () => {
    for (const value of taken) assert.deepEqual(v.parse(schema, value), value);
    for (const value of refused) assert.ok(!v.safeParse(schema, value).success, JSON.stringify(value));
  });

test("a duration is given in milliseconds, and is at most a week", () => {
  assert.deepEqual(
    ["90s", "5m", "2h", "168h", 30].map((value) => v.parse(durationSchema, value)),
    [90_000, 300_000, 7_200_000, 604_800_000, 30_000],
  );
  for (const value of ["169h", "5x", "-1s", "", null, []]) assert.ok(!v.safeParse(durationSchema, value).success);
});

test("a command that is one text is answered with the list of its words, if no shell is needed for them", () => {
  const said = (command: string) => v.safeParse(commandSchema, command).issues?.[0].message.split("\n");
  const fix = "write a list, since no shell runs it: command: ";
  assert.deepEqual(said("npm run  test"), [
    `must be a list of words, found the text "npm run test"`,
    `${fix}[npm, run, test]`,
  ]);
  for (const command of ["a && b", "", "a b c d e f g h i"]) assert.equal(said(command)?.[1], `${fix}[npm, test]`);
});
