import assert from "node:assert/strict";
import { test } from "node:test";
import { briefChanges, readBrief } from "../../lib/documents/brief.ts";
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

const written = (front: string, text = "Export it.") =>
  Buffer.from(`---\nid: T-1\ntitle: Export\n${front}---\n\n${text}\n`);

test("keys that differ are named, sorted, and the text below them as `text`", () => {
  const was = written("validators: [{ name: tests, command: [npm, test] }]\npriority: 1\n");
  const now = written('validators: [{ name: tests, command: ["true"] }]\nbudget: { passes: 3 }\n', "Import it.");
  assert.deepEqual(briefChanges(was, now), ["budget", "priority", "validators", "text"]);
});

test("another form of the same values is no change", () => {
  const now = Buffer.from("\uFEFF---\r\ntitle: 'Export'\r\nid: T-1 # the id\r\n---\r\n\r\nExport it.\r\n");
  assert.deepEqual(briefChanges(written(""), now), []);
  const lines = written("", "Export it.\n\nAs CSV.");
  const saved = Buffer.from(`\uFEFF${lines.toString("utf8").replaceAll("it.\n", "it.  \n").replaceAll("\n", "\r\n")}`);
  assert.deepEqual(briefChanges(lines, saved), []);
});

test("where one of them cannot be read, nothing is known", () => {
  assert.equal(briefChanges(written(""), Buffer.from("no front matter\n")), null);
  assert.equal(briefChanges(Buffer.from("---\n- a list\n: {\n---\n"), written("")), null);
  assert.equal(briefChanges(Buffer.from([0xff, 0xfe, 0x00]), written("")), null);
});
