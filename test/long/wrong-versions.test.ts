import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccepted, makeMatrixWorld } from "../cli/matrix-world.ts";

const concurrency = 2;
const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const contract = ["validators: [{ name: tests, command: [node, --test] }]"];
const base = {
  "src/sum.mjs": "export const sum = (a, b) => a + b;\n",
  "test/sum.test.mjs": `${nodeTest}import { sum } from "../src/sum.mjs";\ntest("adds", () => { assert.equal(sum(1, 2), 3); });\n`,
};

const worlds: readonly (readonly [
  what: string,
  repo: Readonly<Record<string, string>>,
  work: Readonly<Record<string, string>>,
  grade: string,
  headline: RegExp,
])[] = [
  [
    "a new module with a test that asserts",
    base,
    {
      "src/twice.mjs": "export function twice(n) {\n  if (n < 0) return 0;\n  return n * 2;\n}\n",
      "test/twice.test.mjs": `${nodeTest}import { twice } from "../src/twice.mjs";\ntest("doubles", () => { assert.equal(twice(4), 8); assert.equal(twice(-1), 0); });\n`,
    },
    "shown",
    /^Done\. The check passes; without this work only tests written with it fail; it notices \d of \d wrong versions of it$/,
  ],
  [
    "a stub and a test that only calls it",
    base,
    {
      "src/twice.mjs": "export const twice = () => 42;\n",
      "test/twice.test.mjs": `${nodeTest}import { twice } from "../src/twice.mjs";\ntest("doubles", () => { twice(4); });\n`,
    },
    "hollow",
    /^Done, but the checks only need the new code to be there: none of \d wrong versions of it is noticed$/,
  ],
  [
    "an old line under an old test, beside a new setter that no test asserts",
    {
      "src/price.mjs": "export const price = (n) => n * 2;\n",
      "test/price.test.mjs": `${nodeTest}import * as lib from "../src/price.mjs";\ntest("doubles", () => { assert.equal(lib.price(3), 6); });\n`,
    },
    {
      "src/price.mjs":
        "let rate = 2;\nexport const price = (n) => n * rate;\nexport function setRate(to) {\n  rate = to;\n}\n",
      "test/price.test.mjs": `${nodeTest}import * as lib from "../src/price.mjs";\ntest("doubles", () => { assert.equal(lib.price(3), 6); });\ntest("another rate", () => {\n  lib.setRate(5);\n  lib.price(3);\n  lib.setRate(2);\n});\n`,
    },
    "hollow",
    /^Done, but the checks only need the new code to be there: only tests that pass without it notice \d of \d wrong versions of it$/,
  ],
  [
    "a setter that a new test asserts",
    {
      "src/price.mjs": "export const price = (n) => n * 2;\n",
      "test/price.test.mjs": `${nodeTest}import * as lib from "../src/price.mjs";\ntest("doubles", () => { assert.equal(lib.price(3), 6); });\n`,
    },
    {
      "src/price.mjs":
        "let rate = 2;\nexport const price = (n) => n * rate;\nexport function setRate(to) {\n  rate = to;\n}\n",
      "test/price.test.mjs": `${nodeTest}import * as lib from "../src/price.mjs";\ntest("doubles", () => { assert.equal(lib.price(3), 6); });\ntest("another rate", () => {\n  lib.setRate(5);\n  assert.equal(lib.price(3), 15);\n  lib.setRate(2);\n});\n`,
    },
    "shown",
    /^Done\. The check passes; without this work only tests written with it fail; it notices \d of \d wrong versions of it$/,
  ],
  [
    "an assertion in a function that is never called, beside an old assertion",
    {
      "src/price.mjs": "export const price = (n) => n * 2;\n",
      "test/price.test.mjs": `${nodeTest}import { price } from "../src/price.mjs";\ntest("doubles", () => { assert.equal(price(3), 6); });\n`,
    },
    {
      "src/price.mjs":
        "let rate = 2;\nexport const price = (n) => n * rate;\nexport function setRate(to) {\n  rate = to;\n}\n",
      "test/price.test.mjs": `${nodeTest}import { price, setRate } from "../src/price.mjs";\ntest("doubles", () => { assert.equal(price(3), 6); });\nexport function anotherRate() {\n  setRate(5);\n  assert.equal(price(3), 15);\n  setRate(2);\n}\n`,
    },
    "hollow",
    /^Done, but the checks only need the new code to be there: what they expect can be wrong too$/,
  ],
  [
    "a test that compares the work with itself",
    base,
    {
      "src/twice.mjs": "export const twice = (n) => n * 3;\n",
      "test/twice.test.mjs": `${nodeTest}import { twice } from "../src/twice.mjs";\ntest("doubles", () => { assert.equal(twice(4), twice(4)); });\n`,
    },
    "hollow",
    /^Done, but /,
  ],
  [
    "a test that takes what it expects from the work",
    base,
    {
      "src/post.mjs":
        "export const prices = [[100, 100], [1000, 150]];\n\nexport function postage(grams) {\n  return prices.find(([most]) => grams <= most)?.[1];\n}\n",
      "test/post.test.mjs": `${nodeTest}import { postage, prices } from "../src/post.mjs";\ntest("prices", () => { for (const [grams, cents] of prices) assert.equal(postage(grams), cents); });\n`,
    },
    "hollow",
    /^Done, but the checks only need the new code to be there: what they expect can be wrong too$/,
  ],
  [
    "a fix that a test of pass 1 waited for",
    { ...base, "src/sum.mjs": "export const sum = (a, b) => a - b;\n" },
    { "src/sum.mjs": "export const sum = (a, b) => a + b;\n" },
    "shown",
    /^Done\. The check passes; without this work it fails; it notices \d of \d wrong versions of it$/,
  ],
];

test("wrong versions of a work that the checks notice", { concurrency }, async (t) => {
  const world = makeMatrixWorld(t);
  await Promise.all(
    worlds.map(([what, repo, work, grade, headline], index) =>
      t.test(what, async () => {
        const task = await world.begin(`case-${index}`, { repo, contract });
        assertAccepted(await task.finish(work), "done");
        const { proof } = task.last();
        const text = task
          .read("EVIDENCE.md")
          .replace(/&#\d+;/g, " ")
          .match(/\*\*(Done.*?)\*\*/)?.[1];
        assert.match(text ?? "", headline);
        assert.equal(proof?.grade, grade);
        await task.assertChecked();
      }),
    ),
  );
});

const kit = "export const same = () => {};\n";
const waiting = {
  "src/one.mjs": "export const one = 1;\n",
  "test/kit.mjs": kit,
  "test/twice.test.mjs": `import test from "node:test";\nimport { same } from "./kit.mjs";\nimport { twice } from "../src/twice.mjs";\ntest("doubles", () => same(twice(4).value, 8));\n`,
};
const doubles = { "src/twice.mjs": "export const twice = (n) => ({ value: n * 3 });\n" };

test("a test of pass 1 that passes whatever it expects", { concurrency }, async (t) => {
  const world = makeMatrixWorld(t);
  await Promise.all([
    t.test("asks a person, and `accept` holds for it", async () => {
      const task = await world.begin("unfailing", { repo: waiting, contract });
      assertAccepted(await task.step("verify", doubles), "verify");
      const asked = await task.step("review");
      assert.deepEqual([asked.to, asked.exit_code], ["needs_user_decision", 22], asked.reason);
      const what = /the test test\/twice\.test\.mjs passes whatever it expects: no check notices line 4: 8 made 9/;
      assert.match(task.read("DECISIONS.md"), what);
      const path = "DECISIONS.md";
      task.write(path, task.read(path).replace(/Answer:[^\n]*$/m, "Answer: accept"));
      assertAccepted(await task.step("review"), "review");
      assertAccepted(await task.step("done"), "done");
      assert.equal(task.last().proof?.wrong?.can_fail, true);
      await task.assertChecked();
    }),
    t.test("asks no question if the brief allows its change", async () => {
      const may = "tests_may_change: [test/twice.test.mjs]";
      const task = await world.begin("may-change", { repo: waiting, contract: [...contract, may] });
      assertAccepted(await task.finish(doubles), "done");
      const rows = task.last().watched?.map(({ name, change, answer_by }) => [name, change, answer_by]);
      assert.deepEqual(rows, [["test/twice.test.mjs", "unfailing", "brief"]]);
    }),
  ]);
});
