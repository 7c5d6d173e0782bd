import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import type { Policy, ReviewStanding } from "../../lib/rules/facts.ts";
import type { Gate, GateInput } from "../../lib/rules/gate.ts";
import { judgeGates } from "../../lib/rules/gates.ts";
import type { MatrixFacts } from "../../lib/rules/matrix.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { FeatureRow, FieldValues, StateView } from "../../lib/rules/state-view.ts";
import type { WatchedChange } from "../../lib/rules/watched.ts";
import { check, checkRun, codeIs, failing, gateInput, policy, stateAt, stepsAre } from "./arrange.ts";
import { cell, heldOut, matrix } from "./matrix-facts.ts";

interface Case {
  readonly was?: Partial<FieldValues>;
  readonly fields?: Partial<FieldValues>;
  readonly lists?: Partial<StateView>;
  readonly input?: Partial<GateInput>;
}

/** The gates with these codes as people read them: what holds, or why one is shut. */
function words(from: Phase, to: Phase, wanted: RegExp, { was, fields, lists, input }: Case = {}): string[] {
  const say = ({ code, ok, detail, failed }: Gate) =>
    `${code}${ok ? " holds" : ""}: ${ok || !failed.includes(detail) ? detail : ""}${ok ? "" : `|${failed}`}`;
  return judgeGates(from, to, gateInput(stateAt(from, was), stateAt(to, fields, lists), input))
    .filter(({ code }) => wanted.test(code))
    .map(say);
}

const log = "artifacts/passes/0001/validators/tests.log";
const waysOut =
  "propose `repair`, which makes a ticket of each, tick what you saw to be fixed (`- [x]`), or move what is not a defect to Notes and say why";
const ofDone = /^(?!no_required|validator|required_ran|checks_|proof_|evidence)/;

describe("the gates of done", () => {
  test("hold", () => {
    const proven = { checks: checkRun() };
    assert.deepEqual(words("review", "done", ofDone, { was: { repair_applied: "yes" }, input: proven }), [
      "findings_closed holds: none open",
      "review_kept_code holds: same fingerprint",
      "candidate_done holds: it is yes",
      "revalidated holds: Revalidation status is pending",
      "no_blockers holds: none",
      "steps_done holds: none open",
      "promise holds: it did",
    ]);
  });

  test("are shut, each for its own reason, with long words shortened", () => {
    const lists = { findings: [`it  is\n${"x".repeat(200)}`, "b"] };
    const steps = [
      { text: "y".repeat(121), done: false },
      { text: "z", done: false },
    ];
    const input = {
      reviewed_fingerprint: null,
      promise_seen: false,
      promise_problem: "it is quoted",
      steps: stepsAre(steps),
    };
    const fields = { blockers: "x".repeat(121), candidate_done: "no" };
    const cut = `it is ${"x".repeat(114)}`;
    assert.deepEqual(words("review", "done", ofDone, { fields, lists, input }), [
      `findings_closed: 2 are open, the first: ${cut}|of the items under Findings 2 are open: ${cut}; ${waysOut}`,
      "review_kept_code: |no verify → review was accepted since the task was opened",
      "candidate_done: it is no|Candidate done is no, but done needs yes",
      "revalidated holds: no repair was applied",
      `no_blockers: |Blockers is still: ${"x".repeat(120)}`,
      `steps_done: 2 open, the first: ${"y".repeat(120)}|TASKS.md has 2 open items, the first: ${"y".repeat(120)}`,
      "promise: |the completion promise was not given: it is quoted; end the final text with this line, alone: <promise>COMPLETE</promise>",
    ]);
  });

  test("want a person's look at each manual scenario, if the contract has any", () => {
    const manual = [
      { name: "page", look: "it fits" },
      { name: "print", look: "it is black" },
    ];
    const looks = manual.map((one) => ({ ...one, fingerprint: "f1", holds: true, said: "yes", question: "Q1" }));
    const say = (given: typeof looks) =>
      words("review", "done", /^manual_open/, { input: { policy: policy({ manual }), manual_answers: given } });
    const open = "page (it fits); print (it is black)";
    assert.deepEqual(say(looks), ["manual_open holds: no question is open"]);
    assert.deepEqual(say([]), [
      `manual_open: nobody has looked yet at ${open}|a person has to look before done: ${open}`,
    ]);
  });

  test("name one of a thing as one", () => {
    const lists = { findings: ["it  is"] };
    const steps = [{ text: "z", done: false }];
    const input = { fingerprint: codeIs("f2"), steps: stepsAre(steps) };
    assert.deepEqual(words("review", "done", ofDone, { was: { repair_applied: "yes" }, lists, input }), [
      `findings_closed: 1 is open, the first: it is|of the items under Findings 1 is open: it is; ${waysOut}`,
      "review_kept_code: the repo changed since it was verified; review must not change code|the code moved since the accepted verify → review: the repo changed, but review must not change code",
      "candidate_done holds: it is yes",
      "revalidated: |the repair was not revalidated: Revalidation status is pending",
      "no_blockers holds: none",
      "steps_done: 1 open, the first: z|TASKS.md has 1 open item, the first: z",
      "promise holds: it did",
    ]);
  });
});

describe("the gates of the checks", () => {
  const ofChecks = /^(no_required|validator|scenario|required_ran|checks_)/;
  const missing =
    "the contract has no required validator, so nothing can prove the work; add `validators` to the front matter of README.md";

  test("are one if nothing ran", () => {
    assert.deepEqual(words("verify", "review", ofChecks, { input: { policy: policy({ required_validators: [] }) } }), [
      `no_required_validator: |${missing}`,
      "checks_ran: they have not run on the current fingerprint|validators and scenarios have not run on the current fingerprint",
    ]);
  });

  test("tell how each required check ended, and what did not run", () => {
    const ends = [
      failing({ name: "a" }),
      failing({ name: "b", exit_code: null, signal: "SIGSEGV" }),
      failing({ name: "c", status: "timeout" }),
      failing({ name: "d", status: "not_started" }),
      failing({ name: "e", unmet: "it ran 0 tests" }),
      failing({ name: "f", required: false }),
      check({ name: "g", kind: "scenario" }),
    ];
    const rules = policy({ required_validators: ["a", "g"], required_scenarios: ["g", "a"] });
    assert.deepEqual(words("verify", "review", ofChecks, { input: { checks: checkRun(ends), policy: rules } }), [
      "no_required_validator holds: a, g",
      `validator_a: |validator a failed: it ended with 1; see ${log}`,
      `validator_b: |validator b failed: it ended with SIGSEGV; see ${log}`,
      `validator_c: timeout; see ${log}|validator c failed: it ran out of time; see ${log}`,
      `validator_d: not started; see ${log}|validator d failed: it did not start; see ${log}`,
      `validator_e: |validator e failed: it ran 0 tests; see ${log}`,
      "scenario_g holds: exit code 0",
      "required_ran: |not every required validator and scenario ran: no result of g, a",
      "checks_moved_repo holds: it did",
      "checks_on_present_code holds: same fingerprint",
    ]);
  });

  test("name a repo that moved under the checks, and one without a judgement", () => {
    const moved = checkRun([check()], { attempts: 2, moved: ["a", "b"] });
    const cut = checkRun([failing()], { moved: ["a"], failed_first: true });
    const still = /^checks_/;
    assert.deepEqual(
      [moved, cut].map((checks) => words("verify", "review", still, { input: { checks, fingerprint: codeIs("f2") } })),
      [
        [
          "checks_moved_repo: the checks themselves changed a, b, twice|the checks change the repo while they run: they changed a, b, twice",
          "checks_on_present_code: the repo changed after the checks|the checks did not run on the current code: the repo changed after them",
        ],
        [
          "checks_moved_repo holds: not judged: a check failed first",
          "checks_on_present_code: the repo changed after the checks|the checks did not run on the current code: the repo changed after them",
        ],
      ],
    );
  });
});

describe("the gates of the proof", () => {
  const proof = { without: "auto", clean: "auto", wrong: "auto" } as const;
  const say = (of: MatrixFacts | null, rules: Partial<Policy> = {}, wanted = /^(proof|clean|held|without)/) => {
    const input = { checks: checkRun(), policy: policy({ proof, ...rules }) };
    return words("verify", "review", wanted, { input: of === undefined ? input : { ...input, matrix: of } });
  };

  test("are none where the checks failed in the repo", () => {
    const failed = { checks: checkRun([failing()]), matrix: matrix(), policy: policy({ proof }) };
    assert.deepEqual(words("verify", "review", /proof|clean/, { input: failed }), []);
  });

  test("ask that it ran, and on the code that the checks ran on", () => {
    assert.deepEqual(say(null), ["proof_judged: |the proof was not run on the current code"]);
    assert.deepEqual(say(matrix()), ["proof_on_present_code holds: same fingerprint", "clean_copy holds: it does"]);
    assert.deepEqual(say(matrix({ fingerprint: "f0" })), [
      "proof_on_present_code: the repo changed since|the proof was run on other code: the repo has changed since",
      "clean_copy holds: it does",
    ]);
  });

  test("judge a clean copy as the contract wants", () => {
    const broken = { clean: cell([failing()]) };
    const differs = { ...broken, calibration: { kind: "differs", reason: "tests fails there", home: null } } as const;
    const bare = { ...broken, calibration: { kind: "none", reason: null, home: null } } as const;
    const fails = `a fresh copy of what git lists does not pass: tests (exit 1; see ${log})`;
    const rows: readonly [Partial<MatrixFacts>, "auto" | "require" | "off", string[]][] = [
      [{}, "auto", ["clean_copy holds: it does"]],
      [broken, "off", []],
      [broken, "auto", [`clean_copy: |${fails}`]],
      [
        differs,
        "auto",
        ["clean_copy holds: not judged, since this repo cannot be judged in a copy (tests fails there)"],
      ],
      [
        bare,
        "auto",
        ["clean_copy holds: not judged, since this repo cannot be judged in a copy (it was not calibrated at pass 1)"],
      ],
      [differs, "require", [`clean_copy: |${fails}`]],
      [{ clean: cell([check(), heldOut({ status: "fail", exit_code: 1 })]) }, "auto", ["clean_copy holds: it does"]],
      [{ clean: null }, "auto", ["clean_copy holds: not judged: no clean copy was made"]],
      [
        { clean: null, no_clean: "too large" },
        "require",
        ["clean_copy: not judged: too large|proof.clean is `require`, and no clean copy could be judged: too large"],
      ],
    ];
    for (const [facts, clean, said] of rows) {
      assert.deepEqual(say(matrix(facts), { proof: { ...proof, clean } }, /^clean/), said, JSON.stringify(facts));
    }
  });

  test("name five failed checks and five paths that no copy holds, and count the others", () => {
    const ends = [
      failing({ name: "a" }),
      failing({ name: "b", exit_code: null, signal: "SIGSEGV" }),
      failing({ name: "c", status: "timeout" }),
      failing({ name: "d", status: "not_started" }),
      failing({ name: "e", unmet: "it ran 0 tests" }),
    ];
    const five = `a (exit 1; see ${log}), b (exit SIGSEGV; see ${log}), c (it ran out of time; see ${log}), d (it did not start; see ${log}), e (it ran 0 tests; see ${log})`;
    const why =
      "a file that git ignores, a link that leaves the repo, a nested repository, a special file, or something in a folder of dependencies that no lockfile brought";
    const paths = ["a", "b", "c", "d", "e"];
    assert.deepEqual(say(matrix({ clean: cell(ends), left_out: paths }), {}, /^clean/), [
      `clean_copy: |a fresh copy of what git lists does not pass: ${five}; a clean copy does not hold a, b, c, d, e: ${why}`,
    ]);
    const more = matrix({ clean: cell([...ends, failing({ name: "f" })]), left_out: [...paths, "f"] });
    assert.deepEqual(say(more, {}, /^clean/), [
      `clean_copy: |a fresh copy of what git lists does not pass: ${five}, and 1 more; a clean copy does not hold a, b, c, d, e, and 1 more: ${why}`,
    ]);
  });

  test("tell how a required held-out check ended, and nothing of what it looks for", () => {
    const ended: readonly [CheckResult, string | null][] = [
      [heldOut(), null],
      [heldOut({ status: "fail", exit_code: 1 }), "it fails"],
      [heldOut({ status: "fail", unmet: "it ran 0 tests" }), "it fails"],
      [heldOut({ status: "timeout" }), "it ran out of time"],
      [heldOut({ status: "not_started" }), "it did not start"],
      [heldOut({ name: "other" }), "it did not run"],
      [check({ name: "hidden" }), "it did not run"],
    ];
    const rules = { required_held_out: ["hidden"] };
    const shut = (how: string) => `held_out_hidden: |held-out check hidden did not pass in a clean copy: ${how}`;
    for (const [one, how] of ended) {
      const said = say(matrix({ clean: cell([check(), one]) }), rules, /^held/);
      assert.deepEqual(said, [how === null ? "held_out_hidden holds: exit code 0" : shut(how)]);
    }
    const none = matrix({ clean: null, no_clean: "too large" });
    assert.deepEqual(say(none, rules, /^held/), [shut("too large")]);
  });

  test("want a check that fails without the work only if the contract does", () => {
    const rules = { proof: { without: "require", clean: "auto", wrong: "auto" } } as const;
    const shut = (why: string) => `without_check: |proof.without is \`require\`: ${why}`;
    const rows: readonly [Partial<MatrixFacts>, string][] = [
      [{}, shut("every check also passes without this work, so none shows that the work is there")],
      [{ without: cell([failing(), failing({ name: "b" })]) }, "without_check holds: tests, b"],
      [{ without: null }, shut("the checks were not run without the work")],
      [{ without: null, no_without: "too large" }, shut("too large")],
    ];
    for (const [facts, said] of rows) assert.deepEqual(say(matrix(facts), rules, /^without/), [said]);
    assert.deepEqual(say(matrix(), {}, /^without/), []);
  });
});

describe("the gates of the reviewers", () => {
  const standing = (role: string, more: Partial<ReviewStanding> = {}): ReviewStanding => ({
    ...{ role, current: true, problem: null, findings: [] },
    ...more,
  });
  const blocking = (...texts: string[]) => ({
    findings: texts.map((text) => ({ severity: "blocking", text }) as const),
  });
  const say = (reviews?: readonly ReviewStanding[], phase: "shape" | "review" = "review") => {
    const rules = policy({ review: { reviewers: ["s", "t"], at: [phase] } });
    const input = { checks: checkRun(), policy: rules, ...(reviews === undefined ? {} : { reviews }) };
    return words(phase, phase === "shape" ? "implement" : "done", /^review_[st]/, { input });
  };
  const missing = (role: string, how: string) =>
    `review_${role}_missing: |reviewer ${role} has no readable report on the current state: ${how}`;

  test("hold if each reported on this state and nothing blocks", () => {
    const minor = { findings: [{ severity: "major", text: "m" }] } as const;
    assert.deepEqual(say([standing("s"), standing("t", minor)]), [
      "review_s_missing holds: it did",
      "review_s holds: nothing",
      "review_t_missing holds: it did",
      "review_t holds: nothing",
    ]);
  });

  test("say why a report is missing", () => {
    const late = "its report is about an earlier state; it is asked again before the next pass";
    assert.deepEqual(
      say(),
      ["s", "t"].map((role) => missing(role, "it has not reported yet")),
    );
    assert.deepEqual(say([standing("s", { problem: "p".repeat(301) }), standing("t", { current: false })]), [
      missing("s", "p".repeat(300)),
      missing("t", late),
    ]);
  });

  test("name up to five findings that block, each in one short line", () => {
    const five = ["a", "b", "c", "d", "e"];
    assert.deepEqual(
      say([standing("s", blocking("one\n two")), standing("t", blocking(...five))]).filter(
        (line) => !/missing/.test(line),
      ),
      [
        "review_s: 1 blocking: one two|reviewer s reported a blocking finding: one two",
        "review_t: 5 blocking: a; b; c; d; e|reviewer t reported 5 blocking findings: a; b; c; d; e",
      ],
    );
    const long = [...five, "f"].map((letter) => letter.repeat(201));
    const shown = `${five.map((letter) => letter.repeat(200)).join("; ")}; and 1 more`;
    assert.deepEqual(
      say([standing("s", blocking(...long)), standing("t")], "shape")[1],
      `review_s: 6 blocking: ${shown}|reviewer s reported 6 blocking findings: ${shown}`,
    );
  });
});

describe("the gates of changed tests and checks", () => {
  const change = (name: string, answer: WatchedChange["answer"] = null): WatchedChange => ({
    ...{ name, kind: "check_file", change: "changed", side: "checks", detail: "", digest: "d" },
    answer,
  });
  const say = (watched: readonly WatchedChange[], of?: MatrixFacts) => {
    const input = { checks: checkRun(), watched, policy: policy({ tests_changed: "block" }) };
    return words("verify", "review", /^watched/, { input: of === undefined ? input : { ...input, matrix: of } });
  };
  const told = (name: string) => `the file of a check ${name} was changed`;
  const open = "watched_open: |tests or checks changed since pass 1: ";

  test("distinguish unanswered, refused and accepted changes", () => {
    assert.deepEqual(say([change("a", "accepted")]), [
      "watched_refused holds: none",
      "watched_open holds: nothing is open",
    ]);
    assert.deepEqual(say([change("a"), change("b", "refused")], matrix({ old_checks: cell([failing()]) })), [
      `watched_refused: |a person did not accept these changes of tests or checks: ${told("b")}`,
      `${open}${told("a")}; with the tests and checks of pass 1 this work does not pass: tests (exit 1; see ${log})`,
    ]);
  });

  test("name twelve changes, each in 160 characters", () => {
    const twelve = [..."abcdefghijkl"];
    assert.equal(say(twelve.map((name) => change(name)))[1], `${open}${twelve.map(told).join("; ")}`);
    const more = say([...twelve, "m"].map((name) => change(name)))[1];
    assert.equal(more, `${open}${twelve.map(told).join("; ")}; and 1 more, see EVIDENCE.md`);
    const room = 160 - told("").length;
    const exact = "x".repeat(room);
    assert.equal(
      say([change(exact), change(`${exact}x`)])[1],
      `${open}${told(exact)}; ${told(`${exact}x`).slice(0, 159)}…`,
    );
  });
});

test("the gates of the ways aside count their reason", () => {
  const say = (to: Phase, of: Case = {}) => words("implement", to, /^(ticket|blockers|question)/, of);
  const finding = { severity: "blocking", text: "no" } as const;
  const review = { role: "s", current: true, problem: null, findings: [finding, finding] };
  const refused = {
    name: "a",
    kind: "test",
    change: "removed",
    detail: "",
    digest: "d",
    side: "checks",
    answer: "refused",
  } as const;
  const shut = {
    ticket: "add each defect as an item under Findings",
    question: "add the question to DECISIONS.md, with Options and an empty Answer",
  };
  assert.deepEqual(
    [
      say("repair"),
      say("repair", { lists: { findings: ["x"] } }),
      say("repair", { input: { reviews: [review] } }),
      say("repair", { input: { watched: [refused, refused] } }),
      say("blocked"),
      say("blocked", { fields: { blockers: "no key" } }),
      say("needs_user_decision"),
      say("needs_user_decision", { input: { open_questions: ["Q1", "Q2"] } }),
    ],
    [
      [`ticket_given: |no finding says what to repair: ${shut.ticket}`],
      ["ticket_given holds: 1 open"],
      ["ticket_given holds: 2 from reviewers"],
      ["ticket_given holds: 2 changes of tests or checks that a person refused"],
      ["blockers_filled: Blockers is empty or none|Blockers does not name the obstacle: it is empty or none"],
      ["blockers_filled holds: filled"],
      [`question_open: ${shut.question}|DECISIONS.md has no open question: add it, with Options and an empty Answer`],
      ["question_open holds: Q1, Q2"],
    ],
  );
});

test("the gates of visible features name what is missing, unproven or gone", () => {
  const row: FeatureRow = { feature: "Export", label: "real_working", proof: "a" };
  const proven = (problem: string | null) => [{ feature: "Export", problem }];
  const at = (features: readonly FeatureRow[], input: Partial<GateInput> = {}) =>
    words("verify", "review", /^features_(?!known)/, { lists: { features }, input: { checks: checkRun(), ...input } });
  const all = ["features_proven holds: all do", "features_kept holds: none"];
  assert.deepEqual(at([]), []);
  assert.deepEqual(at([row], { feature_proofs: proven(null) }), all);
  assert.deepEqual(at([{ ...row, label: "blocked_hidden" }], { feature_proofs: proven("gone") }), all);
  assert.deepEqual(
    at([row])[0],
    "features_proven: |real features carry no proof that exists: Export: its proof was not found",
  );
  assert.deepEqual(at([], { known_features: ["Gone"] }), [
    "features_proven holds: all do",
    "features_kept: gone: Gone; hide a feature by its label, not by deleting its row|visible features vanished: Gone; hide a feature by its label, not by deleting its row",
  ]);
  const shaped = (features: readonly FeatureRow[]) =>
    words("shape", "implement", /^feature/, { lists: { features }, input: { policy: policy({ user_facing: true }) } });
  assert.deepEqual(shaped([]), [
    "features_listed: |no visible feature is listed: the task is user-facing, so Visible features needs at least one row",
    "feature_labels holds: all legal",
  ]);
  assert.deepEqual(shaped([row]), ["features_listed holds: 1 listed", "feature_labels holds: all legal"]);
});
