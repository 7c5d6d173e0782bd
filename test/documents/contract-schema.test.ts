import assert from "node:assert/strict";
import { test } from "node:test";
import { contractProblems as problems, readYaml as read } from "./arrange.ts";

for (const [yaml, expected] of [
  [
    "depends_on: T-0",
    '4:13 `depends_on` must be a list of task ids, found the text "T-0" → write it as a list: depends_on: [T-120]',
  ],
  [
    'validators: [{ name: t, command: "npm test" }]',
    '4:34 `validators[1].command` must be a list of words, found the text "npm test" → write a list, since no shell runs it: command: [npm, test]',
  ],
  [
    "validators: [{ name: t, command: a && b }]",
    '4:34 `validators[1].command` must be a list of words, found the text "a && b" → write a list, since no shell runs it: command: [npm, test]',
  ],
  [
    "validators: [{ name: t, command: 5 }]",
    "4:34 `validators[1].command` must be a list of words, found something else → write a list, since no shell runs it: command: [npm, test]",
  ],
  [
    "validators: [{ name: t, command: [] }]",
    "4:34 `validators[1].command` must name a program first → write a list such as [npm, test]",
  ],
  [
    "validators: [{ name: t, command: [a, 1] }]",
    "4:38 `validators[1].command[2]` must be text, found 1 → put the word in quotes",
  ],
  [
    "validators: [{ name: t, command: [a], timeout: 5x }]",
    '4:48 `validators[1].timeout` must be a duration such as 90s, 5m or 2h, at most 168h, found the text "5x" → write a number followed by s, m or h',
  ],
  [
    "validators: [{ name: t, command: [a], timeout: 200h }]",
    '4:48 `validators[1].timeout` must be a duration such as 90s, 5m or 2h, at most 168h, found the text "200h" → write a number followed by s, m or h',
  ],
  [
    "proof: { prepare: [npm, ci] }",
    "4:19 `proof.prepare` must be a list of commands, found the words of one → put the command in a list of its own: [[npm, ci]]",
  ],
  [
    "validators: null",
    "4:13 `validators` must be a list of checks, found nothing → write it as a list: [{ name: tests, command: [npm, test] }]",
  ],
  ["user_facing: yes", '4:14 `user_facing` must be true or false, found the text "yes" → write true or false'],
  [
    "budget: { passes: 0 }",
    "4:19 `budget.passes` must be a whole number of at least 1, found 0 → write a number such as 5",
  ],
  [
    "budget: [5]",
    "4:9 `budget` must be a map with keys such as passes, repairs, money_usd, found a list → write `key: value` pairs",
  ],
  [
    "budget: { money_usd: 0 }",
    "4:22 `budget.money_usd` must be an amount of at least 0.01 US dollars, found 0 → write a number such as 5, or remove the key for no limit",
  ],
  [
    "budget: { money_usd: 0.009 }",
    "4:22 `budget.money_usd` must be an amount of at least 0.01 US dollars, found 0.009 → write a number such as 5, or remove the key for no limit",
  ],
  [
    "budget: { money_usd: .inf }",
    "4:22 `budget.money_usd` must be an amount of at least 0.01 US dollars, found Infinity → write a number such as 5, or remove the key for no limit",
  ],
  [
    "budget: { money_usd: 5 USD }",
    '4:22 `budget.money_usd` must be an amount of at least 0.01 US dollars, found the text "5 USD" → write a number such as 5, or remove the key for no limit',
  ],
  [
    'protected: ["../x"]',
    '4:13 `protected[1]` must be a path in the repo, relative and without `..`, `!` or `~`, found the text "../x" → write a path such as "test/acceptance/**"',
  ],
  [
    "completion_promise: '<a>'",
    "4:21 `completion_promise` must not contain < or > → write a word such as COMPLETE, or null",
  ],
  [
    "repo: {}",
    "4:7 `repo` must be a path, one line of at most 4096 characters, found a map → write a path relative to the task folder",
  ],
  [
    "protected: [[]]",
    '4:13 `protected[1]` must be a glob of repo paths, one line of at most 500 characters, found an empty list → write a path such as "test/acceptance/**"',
  ],
  [
    "tests_changed: ask",
    '4:16 `tests_changed` must be block or show, found the text "ask" → write tests_changed: block',
  ],
  [
    "degrade: { when_over_pct: 80 }",
    "4:27 `degrade.when_over_pct` must be a share above 0 and up to 1, found 80 → write a number such as 0.8, which is 80 %",
  ],
  [
    "review: { reviewers: [test] }",
    '4:23 `review.reviewers[1]` must be one of architecture, security, tests, requirements, usability, found the text "test" → did you mean `tests`?',
  ],
  ["review: { reviewers: [tests, tests] }", "4:22 `review.reviewers` must name each role once → remove the duplicate"],
  [
    "budget: { tokens: 0 }",
    "4:19 `budget.tokens` must be a whole number of at least 1, found 0 → write a number such as 5",
  ],
] as const) {
  test(`a wrong value is a config error with its place: ${yaml.slice(0, 60)}`, () => {
    assert.deepEqual(problems(read(yaml)), [`config: TP_CONFIG_VALUE ${expected}`]);
  });
}

test("a manual scenario takes a name and nothing else; each other key is an error at its place", () => {
  const mixed = (lines: string) => {
    const found = read(lines);
    return found.kind === "contract"
      ? "read"
      : found.findings.map(({ code, message, line, column }) => `${code} ${line}:${column} ${message}`);
  };
  assert.deepEqual(
    ["command: [npm, test]", "timeout: 5m", "required: false", "expect: { min_tests: 1 }", "held_out: ../x"].map(
      (key) => mixed(`scenarios:\n  - name: page\n    manual: look\n    ${key}`),
    ),
    ["command", "timeout", "required", "expect", "held_out"].map((key) => [
      `TP_CONFIG_VALUE 7:${key.length + 7} \`scenarios[1].${key}\` cannot be combined with \`manual\`: a person looks, and nothing is run`,
    ]),
  );
  assert.match(String(mixed("scenarios: [{ name: page, manual: }]")), /manual` must be what a person looks at/);
  assert.match(String(mixed("scenarios: [{ name: page, manual: a }, { name: Page, manual: b }]")), /too similar/);
  assert.match(String(mixed("validators: [{ name: page, manual: a }]")), /manual` is not a known key/);
});

test("the source of a task is a JSON file and a story, both or neither", () => {
  assert.match(String(problems(read("source: { prd: ../prd.md, story: US-1 }"))), /`source.prd` must end in .json/);
  assert.match(String(problems(read("source: { prd: ../prd.json }"))), /`source.story` is missing/);
  const none = read("source: null");
  assert.equal(none.kind === "contract" && none.contract.source, null);
});

test("a scenario is run, kept from the agent, or looked at by a person", () => {
  const found = read(
    "scenarios: [{ name: a, command: [x], timeout: 5s }, { name: b, command: [y], held_out: ../b }, { name: c, manual: d }]",
  );
  assert.ok(found.kind === "contract");
  const { scenarios, heldOut, manual } = found.contract;
  assert.deepEqual(
    [
      scenarios.map(({ name, timeoutMs }) => [name, timeoutMs]),
      heldOut.map(({ name, folder }) => [name, folder]),
      manual,
    ],
    [[["a", 5_000]], [["b", "../b"]], [{ name: "c", look: "d" }]],
  );
});

test("what a check expects is a number of tests, a text of its output, or both", () => {
  const expect = (what: string) => {
    const found = read(`validators: [{ name: t, command: [a], expect: ${what} }]`);
    return found.kind === "contract" ? found.contract.validators[0]?.expect : problems(found)[0]?.split(" → ")[0];
  };
  assert.deepEqual(expect("{ min_tests: 12 }"), { minTests: 12, output: null });
  assert.deepEqual(expect('{ output: "12 passed" }'), { minTests: null, output: "12 passed" });
  assert.equal(expect("{}"), "config: TP_CONFIG_VALUE 4:47 `validators[1].expect` must say what is expected");
});
