import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { CellGround } from "../../../lib/checks/proof/cell.ts";
import { contentsOf } from "../../../lib/checks/proof/clean-copy.ts";
import { judgeMatrix } from "../../../lib/checks/proof/judge-matrix.ts";
import type { MatrixRequest } from "../../../lib/checks/proof/matrix-runs.ts";
import type { ContractCheck } from "../../../lib/documents/contract.ts";
import type { CheckResult, CheckRun } from "../../../lib/rules/check-run.ts";
import { gradeProof, type MatrixFacts } from "../../../lib/rules/matrix.ts";
import { refusing } from "../../store/refused-calls.ts";
import { makeProofWorld, noExpectation, type ProofWorld } from "./arrange.ts";

const files = { "test/check.sh": "grep -qx 42 answer.txt\n", "answer.txt": "0\n", "package.json": "{}\n" };
const tests: ContractCheck = {
  ...{ name: "tests", command: ["sh", "test/check.sh"], timeoutMs: 30_000, required: true },
  expect: noExpectation,
};

interface Judged {
  /** The cells that were run, in order. */
  readonly ran: readonly string[];
  readonly matrix: MatrixFacts;
}

/** As without git: all that the repo lists is handed over. */
function delivered(entries: ReadonlyMap<string, string>, ground: CellGround) {
  const { origin } = ground;
  const before = origin === null ? null : contentsOf(origin.entries, "origin", ground);
  return {
    now: contentsOf(entries, "repo", ground),
    before,
    looseChecks: [],
    undelivered: [],
    earlier: null,
    ...{ run: passed([]), pass: 2, failedOn: new Map(), parallel: "auto" as const, inTurn: false },
    sharedData: [],
  };
}

async function judge(world: ProofWorld, more: Partial<MatrixRequest> = {}): Promise<Judged> {
  const ran: string[] = [];
  const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
  const outcome = await judgeMatrix({
    ground: world.ground([tests]),
    fingerprint: { hash: "now", entries },
    ...delivered(more.fingerprint?.entries ?? entries, more.ground ?? world.ground([tests])),
    changedChecks: [],
    testsMayChange: [],
    heldOut: [],
    noClean: null,
    noWithout: null,
    noWrong: "not here",
    wrongRules: { max: 8, time: 2 },
    logFolder: world.path("logs"),
    logRelative: "logs",
    tell: (text) => ran.push(text.replace("running the checks in a clean copy: ", "")),
    ...more,
  });
  assert(outcome.kind === "judged");
  assert.equal(outcome.leftover, null);
  return { ran, matrix: outcome.matrix };
}

function passed(results: readonly CheckResult[]): CheckRun {
  return { ...noChecks, results };
}

const noChecks = { fingerprint_before: "now", fingerprint_after: "now", attempts: 1, moved: [] };
const present = "the current code";
const oldChecks = "with the old tests and checks";
const without = "without this work";
const again = "without this work, once more";

/** The work is done, and what came before it is kept. */
async function worked(world: ProofWorld, more: Readonly<Record<string, string>> = {}) {
  const origin = await world.origin();
  for (const [name, text] of Object.entries({ "answer.txt": "42\n", ...more })) world.write(`my repo/${name}`, text);
  return origin;
}

test("if no check changed `old_checks` is `clean`, and `without` is run twice, as it fails", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await worked(world);
  const { ran, matrix } = await judge(world, { ground: world.ground([tests], { origin }) });
  assert.deepEqual(ran, [present, without, again]);
  assert.deepEqual([matrix.old_checks?.same_as, matrix.without?.same_as, matrix.unsteady], ["clean", null, []]);
  assert.deepEqual([matrix.wrong, matrix.no_wrong], [null, "not here"]);
  assert.equal(matrix.without?.results[0]?.log, "logs/without/tests.log");
});

test("if a check changed, `old_checks` and `without` are run on what they name", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await worked(world, {
    "test/check.sh": "grep -q 42 answer.txt && test -e test/new.sh\n",
    "test/new.sh": "",
  });
  const changedChecks = ["test/check.sh", "test/new.sh"];
  const { ran, matrix } = await judge(world, { ground: world.ground([tests], { origin }), changedChecks });
  assert.deepEqual(ran, [present, oldChecks, without, again]);
  const status = (cell: MatrixFacts["old_checks"]) => cell?.results.map((result) => result.status);
  assert.deepEqual(
    [status(matrix.clean), status(matrix.old_checks), status(matrix.without)],
    [["pass"], ["pass"], ["fail"]],
  );
  assert.deepEqual(matrix.changed_checks, changedChecks);
});

test("nothing more is run if `clean` does not pass, or if no copy is wanted", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await world.origin();
  const ground = world.ground([tests], { origin });
  const failed = await judge(world, { ground, changedChecks: ["test/check.sh"] });
  const reason = "the checks do not pass in a clean copy of the current code";
  assert.deepEqual(failed.ran, [present, `${present}, once more`, "the code of pass 1"]);
  assert.match(failed.matrix.calibration.reason ?? "", /^tests failed in a clean copy before this work too$/);
  assert.deepEqual([failed.matrix.old_checks, failed.matrix.without], [null, null]);
  assert.deepEqual([failed.matrix.no_old_checks, failed.matrix.no_without], [reason, reason]);
  const off = await judge(world, { ground, noClean: "`proof.clean` is off" });
  assert.deepEqual([off.ran, off.matrix.clean, off.matrix.no_clean], [[], null, "`proof.clean` is off"]);
});

test("a delivery that names what is outside of the repo shows nothing in a copy, where a copy can see it", async (t) => {
  const world = makeProofWorld(t, files);
  const answer = world.write("beside/answer.txt", "42\n");
  const check: ContractCheck = { ...tests, command: ["sh", "answer.sh"] };
  const origin = await worked(world, { "answer.sh": `grep -qx 42 ${answer}\n` });
  const changedChecks = ["test/check.sh"];
  const { matrix } = await judge(world, { ground: world.ground([check], { origin }), changedChecks });
  const why = `answer.sh:1 names ${answer}, which a copy on this machine finds and a clone does not have`;
  assert.deepEqual([matrix.old_checks, matrix.no_old_checks, matrix.no_without], [null, why, why]);
  const own = makeProofWorld(t, files);
  const begun = await worked(own, { "tasks/task-phase.yaml": `command: [${answer}]\n` });
  const settings = ["tasks/task-phase.yaml"];
  const judged = await judge(own, { ground: own.ground([tests], { origin: begun, settings }) });
  assert.equal(judged.matrix.no_without, null, "no clone needs what the runner is set to");
  const ground = world.ground([check], { origin, isSeen: () => false });
  assert.notEqual((await judge(world, { ground })).matrix.without, null);
});

/** A check that prints as many tests as TAP has them. */
const tap = (condition: string) =>
  `echo 1..2; echo 'ok 1 - a'; if ${condition}; then echo 'ok 2 - b'; else echo 'ok 2 - b # SKIP'; fi\n`;
const ran = (count: number): CheckResult[] => [
  {
    ...{ name: "tests", kind: "validator", required: true, command: [], status: "pass", exit_code: 0, signal: null },
    ...{
      duration_ms: 1,
      attribution: null,
      log: "",
      excerpt: "",
      tests: { ran: count, failed: 0, skipped: 2 - count },
    },
  },
];

test("a copy in which a test skips itself has judged nothing, and names what the tests name and it lacks", async (t) => {
  const world = makeProofWorld(t, { ...files, ".gitignore": "corpus/\n", "test/check.sh": tap("test -e corpus/rows") });
  const origin = await worked(world, { "corpus/rows": "" });
  const ground = world.ground([tests], { origin });
  const { ran: cells, matrix } = await judge(world, { ground, run: passed(ran(2)), changedChecks: ["test/check.sh"] });
  assert.deepEqual(cells, [present]);
  assert.deepEqual(
    [matrix.calibration.kind, matrix.clean?.results[0]?.status, matrix.clean?.results[0]?.unmet],
    ["differs", "fail", "tests ran 1 test, and 2 in the repo"],
  );
  assert.match(
    matrix.calibration.reason ?? "",
    /^tests ran 1 test in a clean copy, and 2 in the repo: the copy lacks corpus.* carry: \[node_modules, corpus/,
  );
  const enough = await judge(world, { ground, run: passed(ran(1)) });
  assert.equal(enough.matrix.clean?.results[0]?.status, "pass");
});

test("a copy that cannot be made is the reason why there is no `clean`", async (t) => {
  const world = makeProofWorld(t, files);
  const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
  world.write("my repo/answer.txt", "changed meanwhile\n");
  const { ran, matrix } = await judge(world, { fingerprint: { hash: "now", entries } });
  assert.deepEqual([ran, matrix.clean], [[present], null]);
  assert.equal(matrix.no_clean, "answer.txt changed while it was copied");
});

test("no cell holds a nested repository, and what no copy holds is named", async (t) => {
  const world = makeProofWorld(t, { ...files, "inner/x.sh": "", "answer.txt": "42\n" });
  const origin = await world.origin();
  world.write("my repo/test/check.sh", "test ! -e inner && grep -qx 42 answer.txt\n");
  world.link("/etc/passwd", "my repo/outside");
  const ground = world.ground([tests], { origin, nested: ["inner"] });
  const { ran, matrix } = await judge(world, { ground, changedChecks: ["test/check.sh"] });
  assert.deepEqual(ran, [present, oldChecks, without]);
  assert.deepEqual(matrix.left_out, ["inner", "outside"]);
  assert.equal(matrix.without?.results[0]?.status, "pass");
});

test("wrong lines that the tests name are tried before unnoticed ones end it", async (t) => {
  const names = ["maxDepth", "maxWidth", "maxCount", "maxItems", "maxLines"];
  const write = (values: readonly string[]) =>
    [
      ...values.map((name, index) => `export const ${name} = ${index};`),
      "export const walk = (n) => n > 7 && n < 9;",
      "",
    ].join("\n");
  const check = (held: string) =>
    `import * as work from "../walk.mjs";\nimport assert from "node:assert";\nfor (const name of [${names.map((name) => `"${name}"`).join(", ")}]) assert(name in work);\nassert.equal(work.${held}, ${names.indexOf(held)});\nassert(work.walk);\n`;
  const judged = async (held: string) => {
    const world = makeProofWorld(t, {
      "test/walk.test.mjs": "",
      "walk.mjs": "export const walk = 1;\n",
      "package.json": "{}\n",
    });
    const origin = await world.origin();
    world.write("my repo/walk.mjs", write(names));
    world.write("my repo/test/walk.test.mjs", check(held));
    const validator = { ...tests, command: [process.execPath, "test/walk.test.mjs"] };
    const { matrix } = await judge(world, {
      ground: world.ground([validator], { origin }),
      changedChecks: ["test/walk.test.mjs"],
      noWrong: null,
    });
    const lines = matrix.wrong?.versions.filter(({ line }) => line !== null) ?? [];
    const { grade } = gradeProof({ ...noChecks, results: matrix.clean?.results ?? [] }, matrix);
    return { grade, tried: lines.map(({ line, outcome }) => `${names[(line ?? 0) - 1] ?? "walk"} ${outcome}`) };
  };
  const first = await judged("maxDepth");
  assert.deepEqual([first.grade, first.tried.at(-1)], ["shown", "maxDepth noticed"]);
  const untried = names.filter((name) => !first.tried.some((one) => one.startsWith(name)));
  const last = await judged(untried.at(-1) ?? "maxLines");
  assert.equal(last.grade, "shown");
});

test("what a person writes while the checks run takes nothing from what is judged", async (t) => {
  const source = 'import assert from "node:assert";\nimport { one } from "../one.mjs";\none();\nassert(true);\n';
  const world = makeProofWorld(t, { "test/a.test.mjs": "", "one.mjs": "", "package.json": "{}\n" });
  const origin = await world.origin();
  world.write("my repo/one.mjs", "export function one() {\n  return 1;\n}\n");
  world.write("my repo/test/a.test.mjs", source);
  const validator = { ...tests, command: [process.execPath, "test/a.test.mjs"] };
  const { matrix } = await judge(world, {
    ground: world.ground([validator], { origin }),
    ...{ changedChecks: ["test/a.test.mjs"], noWrong: null },
    tell: (text) => {
      if (text.endsWith(without)) world.write("my repo/one.mjs", "export const one = () => 2;\n");
    },
  });
  assert.equal(gradeProof({ ...noChecks, results: matrix.clean?.results ?? [] }, matrix).grade, "hollow");
});

test("a makefile as at pass 1 lists the new sources of the work, and has nothing else of the present one", async (t) => {
  const world = makeProofWorld(t, { "test/check.sh": "grep -q 'a.c b.c' Makefile && ! grep -q O2 Makefile\n" });
  world.write("my repo/a.c", "");
  world.write("my repo/Makefile", "CFLAGS = -O0\nSRC = a.c\n");
  const origin = await world.origin();
  world.write("my repo/b.c", "");
  world.write("my repo/Makefile", "CFLAGS = -O2\nSRC = a.c b.c\n");
  world.write("my repo/test/check.sh", "true\n");
  const changedChecks = ["Makefile", "test/check.sh"];
  const { matrix } = await judge(world, { ground: world.ground([tests], { origin }), changedChecks });
  assert.equal(matrix.old_checks?.results[0]?.status, "pass");
});

test("an example that was made to fit fails with that of pass 1, though the check runs its file", async (t) => {
  const source = (value: number, more = "") =>
    `def one():\n    """\n    >>> one()\n    ${value}\n${more}    """\n    return ${value}\n\n\nif __name__ == "__main__":\n    import doctest\n    import sys\n\n    sys.exit(doctest.testmod().failed)\n`;
  const world = makeProofWorld(t, { "one.py": source(1) });
  const origin = await world.origin();
  const validator = { ...tests, command: ["python3", "one.py"] };
  const judged = async (text: string) => {
    world.write("my repo/one.py", text);
    const ground = world.ground([validator], { origin });
    const { matrix } = await judge(world, { ground, changedChecks: ["one.py"], noWrong: null });
    return [matrix.old_checks?.results[0]?.status, gradeProof({ ...noChecks, results: [] }, matrix).grade];
  };
  assert.deepEqual(await judged(source(2)), ["fail", "shown"]);
  assert.deepEqual(await judged(source(1, "    >>> one() + 1\n    2\n")), ["pass", "kept"]);
  const hollow = source(1, "    >>> _ = one(up=1)\n")
    .replace("def one():", "def one(up=0):")
    .replace(">>> one()\n    1\n", "");
  assert.deepEqual(await judged(hollow.replace("return 1", "return 1 + up")), ["pass", "hollow"]);
});

test("a script that is a check and has examples of its own is held as it is now", async (t) => {
  const script = (examples: string, more: string) =>
    `from shop import total\n\n\ndef near(a, b):\n    """\n    >>> near(1, 1)\n    True\n${examples}    """\n    return a == b\n\n\nassert near(total(1), 1)\n${more}`;
  const world = makeProofWorld(t, { "shop.py": "def total(x):\n    return x\n", "verify.py": script("", "") });
  const origin = await world.origin();
  world.write("my repo/shop.py", "def total(x, vat=0):\n    return x + vat\n");
  const more = "assert near(total(100, 20), 120)\n";
  world.write("my repo/verify.py", script("    >>> near(1, 2)\n    False\n", more));
  const ground = world.ground([{ ...tests, command: ["python3", "verify.py"] }], { origin });
  const { matrix } = await judge(world, { ground, changedChecks: ["verify.py"], noWrong: null });
  assert.equal(gradeProof({ ...noChecks, results: [] }, matrix).grade, "shown");
  assert.deepEqual([...new Set(matrix.wrong?.versions.map(({ path }) => path))], ["shop.py"]);
});

test("with `parallel: true` checks run side by side even if they failed that way before", async (t) => {
  const world = makeProofWorld(t, files);
  const pipe = world.path("pipe");
  execFileSync("mkfifo", [pipe]);
  const meet = (name: string, script: string): ContractCheck => ({
    ...{ ...tests, name, timeoutMs: 5_000 },
    command: ["sh", "-c", script, "sh", pipe],
  });
  const { matrix } = await judge(world, {
    ground: world.ground([meet("one", 'echo here > "$1"'), meet("two", 'read line < "$1"')]),
    ...{ parallel: true, inTurn: true },
  });
  assert.deepEqual(
    matrix.clean?.results.map(({ name, status }) => `${name} ${status}`),
    ["one pass", "two pass"],
  );
});

test("a signal ends the judging in whatever cell it comes", async (t) => {
  const world = makeProofWorld(t, files);
  const origin = await world.origin();
  world.write("my repo/answer.mjs", "export const answer = 6 * 7;\n");
  world.write("my repo/test/check.sh", "exec node test/check.mjs\n");
  world.write("my repo/test/check.mjs", 'import { answer } from "../answer.mjs";\nif (answer !== 42) throw answer;\n');
  for (const at of [present, oldChecks, without, "with this work made wrong"]) {
    const controller = new AbortController();
    const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
    const outcome = await judgeMatrix({
      ground: world.ground([tests], { origin, signal: controller.signal }),
      fingerprint: { hash: "now", entries },
      changedChecks: ["test/check.sh", "test/check.mjs"],
      testsMayChange: [],
      ...delivered(entries, world.ground([tests], { origin })),
      heldOut: [],
      noClean: null,
      noWithout: null,
      noWrong: null,
      wrongRules: { max: 8, time: 2 },
      logFolder: world.path("logs"),
      logRelative: "logs",
      tell: (text) => text.endsWith(at) && controller.abort("SIGTERM"),
    });
    assert.deepEqual(outcome, { kind: "aborted" }, at);
  }
});

test("a copy that cannot be removed is named beside what it showed", async (t) => {
  const world = makeProofWorld(t, { ...files, "answer.txt": "42\n" });
  const folder = world.path("runner/copies/kept");
  const entries = new Map([...(await world.contents())].map(([path, { entry }]) => [path, entry]));
  const test = (path: string) => path === folder && world.exists("logs/clean/tests.log");
  const outcome = await refusing("rmSync", "EBUSY", { test }, () =>
    judgeMatrix({
      ...{
        ground: world.ground([tests]),
        fingerprint: { hash: "now", entries },
        changedChecks: [],
        testsMayChange: [],
      },
      ...{ ...delivered(entries, world.ground([tests])), heldOut: [] },
      ...{
        noClean: null,
        noWithout: null,
        noWrong: "not here",
        wrongRules: { max: 8, time: 2 },
        logFolder: world.path("logs"),
        logRelative: "logs",
        tell: () => undefined,
      },
    }),
  );
  assert.equal(outcome.kind === "judged" ? outcome.leftover : null, folder);
});
