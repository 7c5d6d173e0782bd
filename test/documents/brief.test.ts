import assert from "node:assert/strict";
import { test } from "node:test";
import { readBrief } from "../../lib/documents/brief.ts";
import { showFinding } from "./arrange.ts";

const bytesOf = (yaml: string) => Buffer.from(`---\nid: T-1\ntitle: A title\n${yaml}\n---\n\n# Body\n`);

function brief(yaml: string, defaults = {}) {
  return readBrief(bytesOf(yaml), "README.md", defaults);
}

const noExpectation = { minTests: null, output: null };

/** `exit: CODE line:column message → fix` of each finding. */
function problems(read: ReturnType<typeof readBrief>): string[] {
  if (read.kind !== "bad") return assert.fail("readable");
  return read.findings.map((finding) => `${read.exit}: ${showFinding(finding)} → ${finding.fix}`);
}

test("a brief with the two required keys gets every default", () => {
  assert.deepEqual(brief(""), {
    kind: "brief",
    bytes: bytesOf(""),
    title: "A title",
    body: "# Body",
    wish: "# Body",
    isEmpty: true,
    contract: {
      id: "T-1",
      title: "A title",
      priority: 0,
      dependsOn: [],
      provenOnly: [],
      repo: null,
      userFacing: false,
      validators: [],
      scenarios: [],
      manual: [],
      heldOut: [],
      proof: {
        without: "auto",
        clean: "auto",
        wrong: { mode: "auto", max: 8, time: 2 },
        freshMs: 3_600_000,
        carry: ["node_modules", ".venv", "venv", "vendor"],
        prepare: [],
      },
      parallel: "auto",
      protected: [],
      watched: [],
      testsMayChange: [],
      testsChanged: "block",
      source: null,
      budget: { passes: 20, repairs: 5, moneyUsd: null, tokens: null, timeMs: null },
      bounds: { verify: { files: 10, lines: 200 }, repair: { files: 20, lines: 400 }, over: "show" },
      retriesPerFailure: 2,
      advance: "auto",
      review: { reviewers: [], at: ["review"] },
      approve: [],
      degradeOver: 0.8,
      questionWaitMs: 600_000,
      completionPromise: "COMPLETE",
    },
  });
});

test("every key is read", () => {
  const read = brief(`priority: 5
depends_on: [T-0]
repo: ../../app
user_facing: true
validators:
  - { name: tests, command: [npm, test], timeout: 5m }
  - { name: lint, command: [npx, biome], required: false }
scenarios:
  - { name: acceptance, command: [./run.sh, ""], timeout: 30 }
  - { name: hidden, command: [node, held-out/run.js], held_out: ../../../hidden }
  - { name: page, manual: "the header fits" }
proof: { without: require, clean: "off", wrong: { max: 3 }, carry: [libs/deps], prepare: [[npm, ci]], fresh: 0 }
tests_may_change: ["test/export/**"]
parallel: false
protected: ["test/acceptance/**"]
budget: { repairs: 0, money_usd: 2.5, tokens: 1000000, time: 2h }
retries_per_failure: 0
advance: never
review: { reviewers: [security, tests], at: [shape, review] }
question_wait: 5s
watched: ["golden/**"]
tests_changed: show
source: { prd: ../prd.json, story: US-1 }
bounds: { repair: { files: 3 }, over: block }
approve: [shape]
degrade: null
completion_promise: null`);
  assert.ok(read.kind === "brief");
  assert.deepEqual(read.contract, {
    id: "T-1",
    title: "A title",
    priority: 5,
    dependsOn: ["T-0"],
    provenOnly: [],
    repo: "../../app",
    userFacing: true,
    validators: [
      { name: "tests", command: ["npm", "test"], timeoutMs: 300_000, required: true, expect: noExpectation },
      { name: "lint", command: ["npx", "biome"], timeoutMs: 600_000, required: false, expect: noExpectation },
    ],
    scenarios: [
      { name: "acceptance", command: ["./run.sh", ""], timeoutMs: 30_000, required: true, expect: noExpectation },
    ],
    manual: [{ name: "page", look: "the header fits" }],
    heldOut: [
      {
        name: "hidden",
        command: ["node", "held-out/run.js"],
        timeoutMs: 600_000,
        required: true,
        expect: noExpectation,
        folder: "../../../hidden",
      },
    ],
    proof: {
      without: "require",
      clean: "off",
      wrong: { mode: "auto", max: 3, time: 2 },
      freshMs: 0,
      carry: ["libs/deps"],
      prepare: [["npm", "ci"]],
    },
    parallel: false,
    protected: ["test/acceptance/**"],
    watched: ["golden/**"],
    testsMayChange: ["test/export/**"],
    testsChanged: "show",
    source: { prd: "../prd.json", story: "US-1" },
    budget: { passes: 20, repairs: 0, moneyUsd: 2.5, tokens: 1_000_000, timeMs: 7_200_000 },
    bounds: { verify: { files: 10, lines: 200 }, repair: { files: 3, lines: 400 }, over: "block" },
    retriesPerFailure: 0,
    advance: "never",
    review: { reviewers: ["security", "tests"], at: ["shape", "review"] },
    approve: ["shape"],
    degradeOver: null,
    questionWaitMs: 5_000,
    completionPromise: null,
  });
});

test("the contract beats the defaults, and those beat the built-in ones", () => {
  const read = brief("budget: { passes: 3 }\ncompletion_promise: FERTIG", {
    budget: { passes: 7, repairs: 1, money_usd: 4 },
    priority: 9,
    completion_promise: null,
    retries_per_failure: 4,
  });
  assert.ok(read.kind === "brief");
  const { budget, priority, completionPromise, retriesPerFailure } = read.contract;
  assert.deepEqual(
    { budget, priority, completionPromise, retriesPerFailure },
    {
      budget: { passes: 3, repairs: 1, moneyUsd: 4, tokens: null, timeMs: null },
      priority: 9,
      completionPromise: "FERTIG",
      retriesPerFailure: 4,
    },
  );
  const free = brief("budget: { money_usd: null }", { budget: { money_usd: 4 } });
  assert.ok(free.kind === "brief");
  assert.deepEqual(free.contract.budget, { passes: 20, repairs: 5, moneyUsd: null, tokens: null, timeMs: null });
  const silent = brief("", { completion_promise: null });
  assert.ok(silent.kind === "brief");
  assert.equal(silent.contract.completionPromise, null);
});

test("Windows line endings and a byte-order mark change nothing", () => {
  const read = readBrief(Buffer.from("\uFEFF---\r\nid: T-1\r\ntitle: x\r\nbudgett: 1\r\n---\r\nb\r\n"), "README.md");
  assert.deepEqual(problems(read), [
    "config: TP_CONFIG_UNKNOWN_KEY 4:1 `budgett` is not a known key → did you mean `budget`?",
  ]);
});

test("a file without a contract is no brief", () => {
  assert.deepEqual(problems(readBrief(Buffer.from("# x\n"), "README.md")), [
    "data: TP_BRIEF_NO_CONTRACT 1:1 line 1 must be `---`, the beginning of the task's contract → put front matter with `id` and `title` at the top",
  ]);
  assert.deepEqual(problems(readBrief(Buffer.from("---\nid: x\n"), "README.md")), [
    "data: TP_BRIEF_NO_CONTRACT 1:1 the front matter that begins at line 1 is never closed → end the front matter with a line `---`",
  ]);
  assert.match(problems(readBrief(Buffer.from([0xff]), "README.md")).join(), /^data: TP_TEXT_ENCODING 1:1/);
});

test("broken YAML is a data error with its line in the file", () => {
  assert.match(problems(brief("id: T-2")).join(), /^data: TP_YAML_SYNTAX 4:1 the key `id` appears twice in one map/);
  assert.match(problems(brief("a: &b 1")).join(), /^data: TP_YAML_ALIAS 4:7/);
});

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
    "validators: [{ name: '-', command: [a] }]",
    '4:22 `validators[1].name` has no letter or digit; found "-" → give the check a name',
  ],
  [
    "validators: [{ name: A b, command: [a] }]\nscenarios: [{ name: a-b, command: [b] }]",
    '5:21 two checks have names that are too similar: "A b" and "a-b" → give each check its own name',
  ],
  [
    "validators: null",
    "4:13 `validators` must be a list of checks, found nothing → write it as a list: [{ name: tests, command: [npm, test] }]",
  ],
  ["depends_on: [T-1]", '4:14 the task "T-1" depends on itself → remove it from depends_on'],
  [
    "depends_on: [a/b]",
    "4:14 `depends_on[1]` must not contain a slash, or begin or end with a space → write an id such as T-123",
  ],
  ["priority: high", '4:11 `priority` must be a number, found the text "high" → write a number such as 5'],
  ["priority: .inf", "4:11 `priority` must be a finite number → write a number such as 5"],
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
] as const) {
  test(`a wrong value is a config error with its place: ${yaml.slice(0, 60)}`, () => {
    assert.deepEqual(problems(brief(yaml)), [`config: TP_CONFIG_VALUE ${expected}`]);
  });
}

test("missing and unknown keys are reported together", () => {
  assert.deepEqual(
    problems(readBrief(Buffer.from("---\nid: x\nfoo: 1\n---\n"), "README.md")).map((line) => line.split(" → ")[0]),
    [
      "config: TP_CONFIG_MISSING_KEY 2:1 `title` is missing",
      "config: TP_CONFIG_UNKNOWN_KEY 3:1 `foo` is not a known key",
    ],
  );
  assert.match(
    problems(readBrief(Buffer.from("---\n- a\n---\n"), "README.md")).join(),
    /TP_CONFIG_VALUE 2:1 the file must be a map with keys such as id, title, depends_on, found a list/,
  );
});

test("a manual scenario takes a name and nothing else; each other key is an error at its place", () => {
  const mixed = (lines: string) => {
    const read = brief(lines);
    return read.kind === "brief"
      ? "read"
      : read.findings.map(({ code, message, line, column }) => `${code} ${line}:${column} ${message}`);
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
  assert.match(String(problems(brief("source: { prd: ../prd.md, story: US-1 }"))), /`source.prd` must end in .json/);
  assert.match(String(problems(brief("source: { prd: ../prd.json }"))), /`source.story` is missing/);
  const none = brief("source: null");
  assert.equal(none.kind === "brief" && none.contract.source, null);
});
