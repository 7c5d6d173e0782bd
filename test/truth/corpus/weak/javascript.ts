import { indent, type Language, type WeakWork, weakCases } from "./weak-work.ts";

const javascript: Language = {
  name: "js",
  needs: ["node"],
  check: ["node", "--test"],
  files: { "package.json": '{\n  "name": "parts",\n  "private": true,\n  "type": "module"\n}\n' },
  source: (name) => `src/${name}.mjs`,
  code: ({ head }, body) => `${head} {\n${indent(body, "  ")}\n}\n`,
  test: (name, work) => [
    `test/${name}.test.mjs`,
    `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { ${exported(work)} } from "../src/${name}.mjs";\n\ntest("${name}", async () => {\n${indent(work.test, "  ")}\n});\n`,
  ],
  truth: (name, work) =>
    `import assert from "node:assert/strict";\nimport { ${exported(work)} } from "../src/${name}.mjs";\n\n${work.truth}\nconsole.log("oracle: right");\n`,
  truthFile: "truth.mjs",
  judge: (folder) => ["node", `${folder}/truth.mjs`],
};

function exported({ head }: WeakWork): string {
  return /export (?:async )?function (\w+)/.exec(head)?.[1] ?? "";
}

export const weakJavascript = weakCases(javascript, {
  "fee-at-the-limit": {
    brief: "`fee(amount)` is 5, and nothing from an amount of 50 on.",
    head: "export function fee(amount)",
    before: "return 5;",
    weak: "return amount > 50 ? 0 : 5;",
    right: "return amount >= 50 ? 0 : 5;",
    test: "assert.equal(fee(20), 5);\nassert.equal(fee(80), 0);",
    truth: "assert.equal(fee(50), 0);\nassert.equal(fee(49.99), 5);",
  },
  "shares-that-add-up": {
    brief: "`share(cents, people)` splits an amount into whole cents that add up to it; the first ones get one more.",
    head: "export function share(cents, people)",
    before: "return [cents];",
    weak: "return Array.from({ length: people }, () => Math.round(cents / people));",
    right:
      "return Array.from({ length: people }, (_, at) => Math.floor(cents / people) + (at < cents % people ? 1 : 0));",
    test: "assert.deepEqual(share(100, 4), [25, 25, 25, 25]);\nassert.deepEqual(share(9, 3), [3, 3, 3]);",
    truth: "assert.deepEqual(share(100, 3), [34, 33, 33]);\nassert.deepEqual(share(5, 2), [3, 2]);",
  },
  "list-that-stays": {
    brief: "`newest(rows)` is a list of the rows by `at`, the latest first. The given list stays as it is.",
    head: "export function newest(rows)",
    before: "return rows;",
    weak: "return rows.sort((left, right) => right.at - left.at);",
    right: "return [...rows].sort((left, right) => right.at - left.at);",
    test: "assert.deepEqual(newest([{ at: 1 }, { at: 3 }, { at: 2 }]), [{ at: 3 }, { at: 2 }, { at: 1 }]);",
    truth: "const rows = [{ at: 1 }, { at: 2 }];\nassert.equal(newest(rows)[0].at, 2);\nassert.equal(rows[0].at, 1);",
  },
  "equals-by-name": {
    brief: "`rank(players)` sorts players by their points, the most first; those of the same points by name.",
    head: "export function rank(players)",
    before: "return players;",
    weak: "return [...players].sort((left, right) => right.points - left.points);",
    right:
      "return [...players].sort((left, right) => right.points - left.points || (left.name < right.name ? -1 : 1));",
    test: 'const sorted = rank([{ name: "b", points: 1 }, { name: "a", points: 2 }]);\nassert.deepEqual(sorted.map(({ name }) => name), ["a", "b"]);',
    truth:
      'const tied = rank([{ name: "b", points: 1 }, { name: "a", points: 1 }]);\nassert.deepEqual(tied.map(({ name }) => name), ["a", "b"]);',
  },
  "error-that-is-told": {
    brief:
      "`readSettings(text)` reads JSON. A text that is none is thrown as an Error whose message begins with `settings:`.",
    head: "export function readSettings(text)",
    before: "return text;",
    weak: "try {\n  return JSON.parse(text);\n} catch {\n  return {};\n}",
    right:
      "try {\n  return JSON.parse(text);\n} catch (error) {\n  throw new Error(`settings: ${error.message}`, { cause: error });\n}",
    test: 'assert.deepEqual(readSettings(\'{ "a": 1 }\'), { a: 1 });\nassert.deepEqual(readSettings("[]"), []);',
    truth: 'assert.throws(() => readSettings("{"), /^Error: settings:/);',
  },
  "counters-apart": {
    brief: "`counter()` makes a function that counts from 1. Each counts on its own.",
    head: "let count = 0;\n\nexport function counter()",
    before: "return () => count;",
    weak: "count = 0;\nreturn () => ++count;",
    right: "let own = 0;\nreturn () => ++own;",
    test: "const next = counter();\nassert.deepEqual([next(), next()], [1, 2]);\nassert.equal(counter()(), 1);",
    truth: "const one = counter();\nconst two = counter();\nassert.deepEqual([one(), one(), two()], [1, 2, 1]);",
  },
  "path-that-stays-inside": {
    brief:
      "`inside(root, name)` is the path of a file below root. A name that leads out of it is refused with an Error.",
    head: 'import path from "node:path";\n\nexport function inside(root, name)',
    before: "return name;",
    weak: "return path.join(root, name);",
    right:
      "const full = path.resolve(root, name);\nif (!full.startsWith(`${path.resolve(root)}${path.sep}`)) throw new Error(`${name} leads out`);\nreturn full;",
    test: 'assert.equal(inside("/data", "a/b.txt"), "/data/a/b.txt");',
    truth:
      'assert.throws(() => inside("/data", "../etc/passwd"), Error);\nassert.throws(() => inside("/data", "../data2/x"), Error);\nassert.equal(inside("/data", "a"), "/data/a");',
  },
  "median-of-numbers": {
    brief: "`median(numbers)` is the one in the middle when they are in order; there are always oddly many.",
    head: "export function median(numbers)",
    before: "return numbers[0];",
    weak: "const sorted = [...numbers].sort();\nreturn sorted[(sorted.length - 1) / 2];",
    right: "const sorted = [...numbers].sort((left, right) => left - right);\nreturn sorted[(sorted.length - 1) / 2];",
    test: "assert.equal(median([3, 1, 2]), 2);\nassert.equal(median([5]), 5);",
    truth: "assert.equal(median([10, 9, 100]), 10);\nassert.equal(median([-1, -10, 5]), -1);",
  },
  "letters-and-not-units": {
    brief: "`clip(text, most)` is the text, or its first letters with `…` if it has more. An emoji is one letter.",
    head: "export function clip(text, most)",
    before: "return text;",
    weak: "return text.length <= most ? text : `${text.slice(0, most)}…`;",
    right: "const letters = [...text];\nreturn letters.length <= most ? text : `${letters.slice(0, most).join('')}…`;",
    test: 'assert.equal(clip("abcdef", 3), "abc…");\nassert.equal(clip("abc", 3), "abc");',
    truth: 'assert.equal(clip("😀😀", 2), "😀😀");\nassert.equal(clip("a😀c", 2), "a😀…");',
  },
  "day-of-utc": {
    brief: "`dayOf(time)` is the day of a time in UTC, as `2026-01-31`, wherever the program runs.",
    head: "export function dayOf(time)",
    before: "return String(time);",
    weak: "const two = (number) => String(number).padStart(2, '0');\nreturn `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;",
    right: "return time.toISOString().slice(0, 10);",
    test: 'assert.equal(dayOf(new Date("2026-01-31T12:00:00Z")), "2026-01-31");',
    truth: 'process.env.TZ = "America/New_York";\nassert.equal(dayOf(new Date("2026-01-31T01:00:00Z")), "2026-01-31");',
  },
  "words-of-any-name": {
    brief: "`count(words)` is a Map of how often each word is there, whatever the word is.",
    head: "export function count(words)",
    before: "return new Map();",
    weak: "const found = {};\nfor (const word of words) found[word] = (found[word] ?? 0) + 1;\nreturn new Map(Object.entries(found));",
    right:
      "const found = new Map();\nfor (const word of words) found.set(word, (found.get(word) ?? 0) + 1);\nreturn found;",
    test: 'assert.equal(count(["a", "b", "a"]).get("a"), 2);\nassert.equal(count(["a"]).size, 1);',
    truth: 'assert.equal(count(["constructor"]).get("constructor"), 1);\nassert.equal(count(["__proto__"]).size, 1);',
  },
  "answers-in-order": {
    brief: "`askAll(questions, ask)` asks all at once, and is a list of the answers in the order of the questions.",
    head: "export async function askAll(questions, ask)",
    before: "return questions;",
    weak: "const answers = [];\nawait Promise.all(questions.map(async (one) => answers.push(await ask(one))));\nreturn answers;",
    right: "return await Promise.all(questions.map((one) => ask(one)));",
    test: "assert.deepEqual(await askAll([1, 2, 3], async (one) => one * 2), [2, 4, 6]);",
    truth:
      "const late = (ms) => new Promise((resolve) => setTimeout(() => resolve(ms), ms));\nassert.deepEqual(await askAll([40, 5, 20], late), [40, 5, 20]);",
  },
});
