import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  addFailure,
  briefly,
  failureSignature,
  isRow,
  normalizeOutput,
  renderFailures,
  wantedForm,
  withWantedForm,
} from "../../lib/rules/failure.ts";
import { startCpuTime } from "../patience.ts";
import { failing } from "./arrange.ts";

const same: readonly (readonly [string, string, string])[] = [
  ["times of day", "failed at 2026-01-02T03:04:05.678Z", "failed at 2026-11-22 13:14:15+02:00"],
  ["durations of other units", "1 failing (998ms)", "1 failing (1.02s)"],
  ["durations of more parts", "took 58s", "took 1m 2s"],
  ["numbers", "expected 41 to equal 42", "expected 7 to equal 42000000"],
  ["grouped numbers", "999 rows", "1,234,567 rows"],
  ["hashes", "at commit 0a1b2c3d", "at commit ffeeddccbbaa99887766554433221100ffeeddcc"],
  ["uuids", "run 0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f", "run ffeeddcc-bbaa-9988-7766-554433221100"],
  ["addresses", "segfault at 0x7ffe12ab", "segfault at 0xdeadbeef12"],
  ["paths", "cannot read /tmp/run-a8f/out.csv", "cannot read /var/folders/x/y/out.csv"],
  ["places in a file", "src/a.ts:12:5 wrong", "src/a.ts:120:15 wrong"],
  ["white space", "a\n\n  b", "a b"],
  ["the order of lines", "not ok 1 - a\nnot ok 2 - b", "not ok 2 - b\nnot ok 1 - a"],
  ["how often a line comes", "retry 1\nfailed", "retry 1\nretry 2\nretry 3\nfailed"],
  ["colours", "\u001b[31m✖ a\u001b[0m \u001b[1;38;5;200mwrong\u001b[m", "✖ a wrong"],
  ["a link of the terminal", "\u001b]8;;file:///a\u0007a.ts\u001b]8;;\u0007 is wrong", "a.ts is wrong"],
  ["dates in words", "on Sat Nov 21 2026 10:00:00", "on Tue, 3 Mar 2027 9:05"],
  ["dates with a zone", "2026-11-21 10:00:00,123 UTC: no", "2026-01-01T00:00:00Z: no"],
  ["the time of day", "at 9:05 AM", "at 11:59:59 pm"],
  ["clocks", "after 5:03", "after 1:05:03.123"],
  ["a hash without a letter", "at commit 1234567", "at commit 12345ab"],
  ["hashes in capitals and long ones", "sum ABCDEF0123", `sum ${"0f".repeat(64)}`],
  ["hashes in a longer word", "container_1a2b3c4d5e", "container_99ffee00aa"],
  ["ids of another alphabet", "request 01ARZ3NDEKTSV4RRFFQ69G5FAV", "request 01BX5ZZKBKACTAV9WEVGEMMVRZ"],
  ["ports and addresses", "connect ECONNREFUSED 127.0.0.1:3456", "connect ECONNREFUSED 10.12.0.254:65000"],
  ["addresses on the web", "GET http://localhost:3456/a?b=1 failed", "GET https://127.0.0.1:80/c failed"],
  ["file addresses", "at file:///tmp/a/b.js:3:4", "at file:///var/c/d/e.js:33:14"],
  ["Windows paths", "cannot read C:\\Temp\\a8f\\out.csv", "cannot read D:\\x\\out.csv"],
  ["the folder of a file of the repo", "FAIL test/a/export.test.js", "FAIL ./export.test.js"],
  ["signs and exponents", "expected -5 to be 1e-7", "expected 12.5 to be +3E10"],
  ["sizes", "used 900 KB", "used 1.2MiB"],
  ["versions", "v1.2.3", "v1.10"],
];
for (const [what, one, other] of same) {
  test(`two outputs that differ only in ${what} are the same failure`, () => {
    assert.equal(normalizeOutput(one), normalizeOutput(other));
  });
}

const different: readonly (readonly [string, string, string])[] = [
  ["message", "TypeError: x is not a function", "RangeError: x is not a function"],
  ["failing test", "not ok 3 - exports a header", "not ok 4 - exports a footer"],
  ["failing file of the repo", "FAIL test/import.test.js", "FAIL test/export.test.js"],
  ["code of an error", "src/a.ts(1,2): error TS2345: no", "src/a.ts(1,2): error TS2339: no"],
  ["code in brackets", "error[E0308]: no", "error[E0382]: no"],
  ["line among many", "a\nb\nc", "a\nb\nd"],
  ["word that looks nearly like a hash", "facade is open", "decade is open"],
];
for (const [what, one, other] of different) {
  test(`another ${what} is another failure`, () => {
    assert.notEqual(normalizeOutput(one), normalizeOutput(other));
  });
}

/** One part of an output that is another one in each run. */
const changing: readonly fc.Arbitrary<string>[] = [
  fc.nat().map(String),
  fc.double({ min: 0.01, max: 9e6, noNaN: true }).map((ms) => `${ms.toFixed(2)}ms`),
  fc.integer({ min: 1, max: 3599 }).map((s) => `${Math.floor(s / 60)}m ${s % 60}s`),
  fc.date({ min: new Date(0), max: new Date("2099-01-01"), noInvalidDate: true }).map((date) => date.toISOString()),
  fc.uuid(),
  fc.integer({ min: 1, max: 65_535 }).map((port) => `127.0.0.1:${port}`),
  fc
    .array(fc.stringMatching(/^[a-z0-9_.-]{1,9}$/), { minLength: 1, maxLength: 5 })
    .map((parts) => `/${parts.join("/")}`),
  fc.stringMatching(/^[0-9a-f]{7,40}$/).filter((hash) => /\d/.test(hash)),
  fc.nat().map((address) => `0x${address.toString(16)}`),
];

test("failures that differ only in numbers, times, paths, ports, hashes and the order of lines are equal", () => {
  const line = fc.record({
    words: fc.stringMatching(/^[g-z]{1,12}( [g-z]{1,12}){0,3}$/),
    what: fc.nat(changing.length - 1),
  });
  const lines = fc.uniqueArray(line, { minLength: 1, maxLength: 6, selector: ({ words, what }) => `${words} ${what}` });
  const run = lines.chain((parts) => {
    const values = () => fc.tuple(...parts.map(({ what }) => changing[what] ?? fc.constant("")));
    return fc.tuple(fc.constant(parts), values(), values(), fc.shuffledSubarray(parts, { minLength: parts.length }));
  });
  fc.assert(
    fc.property(run, ([parts, one, other, order]) => {
      const say = (all: readonly (typeof parts)[number][], values: readonly string[]) =>
        all
          .map((part) => `\u001b[3${values.length % 8}m${part.words}\u001b[0m (${values[parts.indexOf(part)]})`)
          .join("\n");
      assert.equal(normalizeOutput(say(parts, one)), normalizeOutput(say(order, other)));
    }),
  );
});

test("other failing checks are another failure, however alike their names and outputs are", () => {
  const name = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
  const status = fc.constantFrom("fail", "timeout", "not_started" as const);
  const set = fc.uniqueArray(fc.record({ name, status }), {
    minLength: 1,
    maxLength: 4,
    selector: (check) => check.name,
  });
  fc.assert(
    fc.property(set, set, (one, other) => {
      const key = (checks: typeof one) => JSON.stringify(checks.map(({ name, status }) => [name, status]).sort());
      const sign = (checks: typeof one) =>
        failureSignature(
          "redirected",
          [],
          checks.map((check) => failing({ ...check, excerpt: "1 failing" })),
        );
      assert.equal(sign(one) === sign(other), key(one) === key(other));
    }),
  );
});

test("a check that ran out of time is the same failure however far it came", () => {
  const [one, other] = ["a", "a\nb\nc"].map((excerpt) => failing({ status: "timeout", excerpt }));
  assert.ok(one && other);
  assert.equal(failureSignature("redirected", [], [one]), failureSignature("redirected", [], [other]));
  assert.equal(
    failureSignature("redirected", [], [one]),
    "redirected validator tests (timeout) | validator tests (timeout)",
  );
});

test("two failures that differ only in a cut part are distinguished", () => {
  const long = "x y ".repeat(900);
  assert.notEqual(normalizeOutput(`a${long}b`), normalizeOutput(`a${long}c`));
  const sign = (last: string) =>
    failureSignature(
      "redirected",
      [],
      ["a", "b", last].map((name) => failing({ name: name.repeat(900), excerpt: "" })),
    );
  assert.notEqual(sign("c"), sign("d"));
});

test("a row of failures counts its passes, and another failure begins a new row", () => {
  const first = addFailure(null, "a", 3);
  assert.deepEqual(first, { signature: "a", count: 1, passes: [3] });
  const second = addFailure(first, "a", 5);
  assert.deepEqual(second, { signature: "a", count: 2, passes: [3, 5] });
  assert.deepEqual(addFailure(second, "b", 6), { signature: "b", count: 1, passes: [6] });
  const many = Array.from({ length: 12 }, (_, index) => index + 1).reduce<ReturnType<typeof addFailure> | null>(
    (row, pass) => addFailure(row, "a", pass),
    null,
  );
  assert.deepEqual([many?.count, many?.passes], [12, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]);
});

test("a person is told what failed, how often, in which passes, and what was tried", () => {
  assert.equal(
    renderFailures({ signature: "a", count: 3, passes: [2, 4, 6] }, "tests fail"),
    "3 passes ended the same way (tests fail): passes 2, 4 and 6, and each retry was told to try less and to change one thing",
  );
  assert.equal(
    renderFailures({ signature: "a", count: 1, passes: [2] }, "tests fail"),
    "the pass failed (tests fail), and `retries_per_failure` allows no retry",
  );
  assert.equal(renderFailures({ signature: "a", count: 3, passes: [] }, "x"), "3 passes ended the same way (x)");
});

test("a reason that a stop repeats is cut to 120 characters, never within one", () => {
  assert.equal(briefly("x".repeat(120)), "x".repeat(120));
  assert.equal(briefly("\u{1f600}".repeat(500)), `${"\u{1f600}".repeat(119)}…`);
  // Half a code span would turn the code of the sentence around it into text.
  const span = `${"word ".repeat(22)}\`Brief 5aef0eba: why\``;
  assert.equal(briefly(span), `${"word ".repeat(22).trim()}…`);
  // Long code, or a lone backtick, near the start takes no words with it.
  assert.equal(briefly(`\`npm ${"x".repeat(200)}\` fails`), `\`npm ${"x".repeat(113)}…\``);
  assert.equal(briefly(`don\`t ${"x".repeat(200)}`), `don\`t ${"x".repeat(112)}…\``);
  assert.equal(
    renderFailures({ signature: "a", count: 3, passes: [] }, "x".repeat(300)),
    `3 passes ended the same way (${"x".repeat(119)}…)`,
  );
});

test("output of exactly 1,500 characters stays as it is, and one more makes its end a hash of the whole", () => {
  assert.equal(normalizeOutput("a".repeat(1_500)), "a".repeat(1_500));
  assert.match(normalizeOutput("a".repeat(1_501)), /^a{1481} … [0-9a-f]{16}$/);
});

test("a failure whose earlier passes are known names them, and one alone names none", () => {
  const told = (...passes: number[]) => renderFailures({ signature: "a", count: 2, passes }, "it fails");
  const tried = ", and each retry was told to try less and to change one thing";
  const what = (row: string) => `2 passes${row} ended the same way (it fails)`;
  assert.deepEqual(
    [told(), told(4), told(4, 5), told(4, 6)],
    [what(""), what(""), `${what(" in a row")}: passes 4 and 5${tried}`, `${what("")}: passes 4 and 6${tried}`],
  );
});

test("failures are in a row only if all their passes are known and none is between them", () => {
  const rows = [[1], [1, 2, 3], [4, 5, 7], [8, 9], []].map((passes) => isRow({ signature: "a", count: 3, passes }));
  assert.deepEqual(rows, [false, true, false, false, false]);
  assert.deepEqual(
    [isRow({ signature: "a", count: 1, passes: [] }), isRow({ signature: "a", count: 2, passes: [] })],
    [true, false],
  );
});

test("64 KB without a space are normalised without delay", () => {
  const used = startCpuTime();
  assert.ok(normalizeOutput("a".repeat(65_536)).length <= 1500);
  assert.ok(used() < 500);
});

test("no progress is one failure, whatever was said", () => {
  assert.equal(
    failureSignature("no_progress", [{ category: "progress", code: "no_progress", text: "a" }], []),
    "no_progress",
  );
});

test("the order of the failing checks makes no difference", () => {
  const [a, b] = [failing({ name: "a" }), failing({ name: "b" })];
  assert.equal(failureSignature("redirected", [], [a, b]), failureSignature("redirected", [], [b, a]));
});

test("checks that fail speak for the failure, else the reasons do, and progress never does", () => {
  const reasons = [
    { category: "gate", code: "candidate_done", text: "it is no" },
    { category: "progress", code: "no_progress", text: "nothing" },
  ] as const;
  assert.equal(
    failureSignature("redirected", reasons, [failing()]),
    "redirected validator tests | validator tests: N failing",
  );
  assert.equal(failureSignature("rejected", reasons, []), "rejected candidate_done: it is no");
});

test("failing names tell two failures apart however long the outputs are", () => {
  const long = "x y ".repeat(500);
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => failing({ name, excerpt: long }));
  assert.ok(a && b && c && d);
  assert.notEqual(failureSignature("redirected", [], [a, b, c]), failureSignature("redirected", [], [a, b, d]));
});

test("a signature is at most 2,000 characters", () => {
  const many = Array.from({ length: 50 }, (_, index) =>
    failing({ name: `check-${index}`, excerpt: "word ".repeat(300) }),
  );
  assert.equal(failureSignature("redirected", [], many).length, 2000);
});

test("a refusal shows the line to copy", () => {
  const wanted = (code: string) => wantedForm({ code }, "verify");
  assert.equal(wanted("objective_filled"), "- Objective: what holds, in one line");
  assert.equal(wanted("blockers_filled"), "- Blockers: what is missing, and who can provide it");
  assert.equal(wantedForm({ code: "illegal_transition" }, "implement"), "- Phase: verify");
  assert.equal(wanted("candidate_done"), "- Candidate done: yes");
  assert.equal(wanted("evidence_exists"), "- Evidence location: artifacts/");
  assert.equal(wanted("checks_failed"), null);
});

test("a refused transition of a judging phase suggests no verdict: only the model knows whether the work passes", () => {
  for (const from of ["verify", "review"] as const)
    assert.equal(wantedForm({ code: "illegal_transition" }, from), null);
});

test("the line stands behind the reason, and a reason without one stays as it is", () => {
  const reason = { category: "gate", code: "no_blockers", text: "Blockers is still: key" } as const;
  assert.equal(withWantedForm(reason, "review"), "Blockers is still: key. Write it so: `- Blockers: none`");
  assert.equal(withWantedForm({ ...reason, code: "other" }, "review"), "Blockers is still: key");
});
