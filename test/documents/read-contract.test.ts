import assert from "node:assert/strict";
import { test } from "node:test";
import { readContract } from "../../lib/documents/read-contract.ts";
import { contractProblems as problems, readYaml as read } from "./arrange.ts";

test("broken YAML is a data error with its line in the file", () => {
  assert.match(problems(read("id: T-2")).join(), /^data: TP_YAML_SYNTAX 4:1 the key `id` appears twice in one map/);
  assert.match(problems(read("a: &b 1")).join(), /^data: TP_YAML_ALIAS 4:7/);
});

for (const [yaml, expected] of [
  [
    "validators: [{ name: '-', command: [a] }]",
    '4:22 `validators[1].name` has no letter or digit; found "-" → give the check a name',
  ],
  [
    "validators: [{ name: A b, command: [a] }]\nscenarios: [{ name: a-b, command: [b] }]",
    '5:21 two checks have names that are too similar: "A b" and "a-b" → give each check its own name',
  ],
  ["depends_on: [T-1]", '4:14 the task "T-1" depends on itself → remove it from depends_on'],
  [
    "depends_on: [a/b]",
    "4:14 `depends_on[1]` must not contain a slash, or begin or end with a space → write an id such as T-123",
  ],
  ["priority: high", '4:11 `priority` must be a number, found the text "high" → write a number such as 5'],
  ["priority: .inf", "4:11 `priority` must be a finite number → write a number such as 5"],
  [
    "scenarios: [{ name: a, manual: look }, { name: A, command: [b], held_out: ../x }]",
    '4:48 two checks have names that are too similar: "a" and "A" → give each check its own name',
  ],
] as const) {
  test(`a check without a name of its own, or a task that needs itself, is a config error with its place: ${yaml.slice(0, 60)}`, () => {
    assert.deepEqual(problems(read(yaml)), [`config: TP_CONFIG_VALUE ${expected}`]);
  });
}

test("missing and unknown keys are reported together", () => {
  assert.deepEqual(
    problems(readContract("id: x\nfoo: 1\n", "README.md", {})).map((line) => line.split(" → ")[0]),
    [
      "config: TP_CONFIG_MISSING_KEY 2:1 `title` is missing",
      "config: TP_CONFIG_UNKNOWN_KEY 3:1 `foo` is not a known key",
    ],
  );
  assert.match(
    problems(readContract("- a\n", "README.md", {})).join(),
    /TP_CONFIG_VALUE 2:1 the file must be a map with keys such as id, title, depends_on, found a list/,
  );
});

test("names of checks that only the defaults of task-phase.yaml bring are judged too", () => {
  const check = { name: "a b", command: ["x"], timeoutMs: 1, required: true, expect: { minTests: null, output: null } };
  assert.deepEqual(problems(read("scenarios: [{ name: A-b, command: [y] }]", { validators: [check] })), [
    'config: TP_CONFIG_VALUE 4:21 two checks have names that are too similar: "a b" and "A-b" → give each check its own name',
  ]);
  const both = problems(read("validators: [{ name: A-b, command: [y] }]", { scenarios: [check] }));
  assert.match(both.join(), /^config: TP_CONFIG_VALUE \S+ two checks have names that are too similar: "A-b" and "a b"/);
});
