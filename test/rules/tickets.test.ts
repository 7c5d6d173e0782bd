import assert from "node:assert/strict";
import { test } from "node:test";
import type { Policy } from "../../lib/rules/facts.ts";
import type { MatrixFacts } from "../../lib/rules/matrix.ts";
import {
  checkTickets,
  findingTickets,
  matrixTickets,
  movedTicket,
  protectedTickets,
  watchedTickets,
} from "../../lib/rules/tickets.ts";
import { check, checkRun, facts, failing, policy, stateAt, tamper } from "./arrange.ts";
import { cell, heldOut, matrix } from "./matrix-facts.ts";

test("each required check that failed becomes one ticket that says how, and where its log is", () => {
  const run = checkRun([
    check({ name: "lint" }),
    failing({ excerpt: "1 failing\n" }),
    failing({ name: "optional", required: false }),
    failing({
      name: "export",
      kind: "scenario",
      status: "timeout",
      exit_code: null,
      attribution: null,
      excerpt: "",
      log: "s.log",
    }),
    failing({
      name: "types",
      status: "not_started",
      exit_code: null,
      attribution: "broken_before",
      excerpt: "",
      log: "t.log",
    }),
    failing({ name: "crash", exit_code: null, signal: "SIGSEGV", excerpt: "", log: "c.log" }),
  ]);
  assert.deepEqual(checkTickets(run), [
    {
      id: "validator:tests",
      source: "validator",
      name: "tests",
      text: "validator tests did not pass (exit 1, regressed); log artifacts/passes/0001/validators/tests.log\n1 failing",
    },
    {
      id: "scenario:export",
      source: "scenario",
      name: "export",
      text: "scenario export did not pass (timeout); log s.log",
    },
    {
      id: "validator:types",
      source: "validator",
      name: "types",
      text: "validator types did not pass (not started, broken before); log t.log",
    },
    {
      id: "validator:crash",
      source: "validator",
      name: "crash",
      text: "validator crash did not pass (exit SIGSEGV, regressed); log c.log",
    },
  ]);
});

test("checks that moved the repo twice become a ticket that names the files", () => {
  assert.deepEqual(checkTickets(checkRun([check()], { attempts: 2, moved: ["a.txt", "b.txt"] })), [
    {
      id: "validator:repo-moved",
      source: "validator",
      name: "repo-moved",
      text: "the checks changed the repo while they ran, twice: a.txt, b.txt",
    },
  ]);
});

test("checks that moved the repo become a ticket even where unknown paths", () => {
  assert.deepEqual(
    checkTickets(checkRun([check()], { fingerprint_before: "f0" })).map((ticket) => ticket.text),
    ["the checks changed the repo while they ran, twice: unknown paths"],
  );
});

test("each open finding becomes one ticket, whichever pass added it; blank ones are none", () => {
  const to = stateAt("repair", {}, { findings: ["known", " ", `first line\nsecond ${"x".repeat(90)}`] });
  assert.deepEqual(findingTickets(to), [
    { id: "finding:1", source: "finding", name: "known", text: "known" },
    { id: "finding:2", source: "finding", name: "first line", text: `first line\nsecond ${"x".repeat(90)}` },
  ]);
});

test("code that moved in review becomes a ticket that names the paths where they are known", () => {
  const base = { id: "finding:code-changed-in-review", source: "finding", name: "code changed in review" };
  assert.deepEqual(movedTicket(facts({ moved_since_review: ["a.ts"] })), {
    ...base,
    text: "the repo changed since it was verified: a.ts; check each change, then verify again",
  });
  assert.deepEqual(movedTicket(facts()), {
    ...base,
    text: "the repo changed since it was verified; check the diff, then verify again",
  });
  assert.deepEqual(movedTicket(facts({ reviewed_fingerprint: null })), {
    ...base,
    text: "no verify → review was accepted since the task was opened; verify before the review",
  });
});

test("a protected path becomes a ticket, another changed path does not", () => {
  const seen = facts({
    tampering: [tamper(), tamper({ path: "test/a.test.ts", guard: "protected", change: "removed" })],
  });
  assert.deepEqual(protectedTickets(seen), [
    {
      id: "protected:test/a.test.ts",
      source: "protected",
      name: "test/a.test.ts",
      text: "test/a.test.ts is protected and was removed; it was restored. Make the work fit it unchanged",
    },
  ]);
});

test("findings of the proof become tickets as far as the contract asks for them", () => {
  const log = "artifacts/passes/0001/validators/tests.log";
  const say = (of: Partial<MatrixFacts>, proof: Policy["proof"] = { without: "auto", clean: "auto", wrong: "auto" }) =>
    matrixTickets(facts({ checks: checkRun(), matrix: matrix(of) }), policy({ proof })).map(
      ({ id, source, name, text }) => `${id}|${source}|${name}|${text}`,
    );
  const broken = { clean: cell([check({ name: "lint" }), failing({ excerpt: "1 failing\n" })]) };
  const differs = { ...broken, calibration: { kind: "differs", reason: "r", home: null } } as const;
  const inCopy = `proof:tests|proof|tests|tests passes in the repo, and fails in a fresh copy of what git lists: the work needs something that git does not list, or that only this folder has; log ${log}\n1 failing`;
  const hidden =
    "proof:held-out:hidden|proof|hidden|held-out check hidden does not pass. It runs in a clean copy, on files that you cannot see: make the work correct for every input that the brief covers";
  const noCheck = (text: string) => `proof:no-check-fails|proof|no check fails without this work|${text}`;
  const noCopy = (why: string) => `proof:clean-copy|proof|clean-copy|no clean copy of the repo could be judged: ${why}`;
  const require = { without: "auto", clean: "require", wrong: "auto" } as const;
  const without = { without: "require", clean: "auto", wrong: "auto" } as const;
  assert.deepEqual(
    [
      say({}),
      say(broken),
      say(differs),
      say(differs, require),
      say({ ...differs, clean: cell([heldOut({ status: "fail", exit_code: 1, excerpt: "expected 7" })]) }),
      say({ clean: null }),
      say({ clean: null }, require),
      say({ clean: null, no_clean: "too large" }, require),
      say({}, require),
      say({}, without),
      say({ without: cell([failing()]) }, without),
      say({ without: null }, without),
      say(broken, without),
    ],
    [
      [],
      [inCopy],
      [],
      [inCopy],
      [hidden],
      [],
      [noCopy("none was made")],
      [noCopy("too large")],
      [],
      [noCheck("every check also passes without this work: add a test that fails without it and passes with it")],
      [],
      [noCheck("it could not be shown that a check fails without this work: the checks were not run without the work")],
      [inCopy],
    ],
  );
  assert.deepEqual(matrixTickets(facts(), policy({ proof: require })), []);
});

test("a change that a person did not accept becomes a ticket with the answer, if it is at hand", () => {
  const change = {
    name: "a.test.js",
    kind: "test",
    change: "removed",
    detail: "",
    digest: "d",
    side: "checks",
    answer: "refused",
  } as const;
  const undo = "Undo the change, and make the work fit";
  const text = (said?: string) => watchedTickets([change], said)[0]?.text;
  assert.equal(text(), `the test a.test.js was removed; a person did not accept that. ${undo}`);
  assert.equal(
    text("put it back"),
    `the test a.test.js was removed; a person did not accept that ("put it back"). ${undo}`,
  );
});

test("a ticket says which failed tests were broken before the work, and which are not", () => {
  const failure = {
    said: null,
    by: "assertion" as const,
    tests: ["lower", "widget renders"],
    broken_before: ["widget renders"],
  };
  const [ticket] = checkTickets(checkRun([failing({ failure, attribution: "broken_before" })]));
  assert.match(ticket?.text ?? "", /did not pass \(exit 1, broken before: widget renders; regressed: lower\); log /);
});
