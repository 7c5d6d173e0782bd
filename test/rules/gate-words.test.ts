import { describe, test } from "node:test";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import type { Policy, ReviewStanding } from "../../lib/rules/facts.ts";
import type { Gate, GateInput } from "../../lib/rules/gate.ts";
import { judgeGates } from "../../lib/rules/gates.ts";
import type { MatrixFacts } from "../../lib/rules/matrix.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { FeatureRow, FieldValues, StateView } from "../../lib/rules/state-view.ts";
import type { WatchedChange } from "../../lib/rules/watched.ts";
import { openTexts } from "../texts.ts";
import { check, checkRun, codeIs, failing, gateInput, policy, stateAt, stepsAre } from "./arrange.ts";
import { cell, heldOut, matrix } from "./matrix-facts.ts";

const expectText = openTexts("rules/gate-words");

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

const ends = [
  failing({ name: "a" }),
  failing({ name: "b", exit_code: null, signal: "SIGSEGV" }),
  failing({ name: "c", status: "timeout" }),
  failing({ name: "d", status: "not_started" }),
  failing({ name: "e", unmet: "it ran 0 tests" }),
];

test("the gates of done hold, are shut each for its own reason, and shorten long words", () => {
  const say = (name: string, of: Case) =>
    expectText(name, words("review", "done", /^(?!no_required|validator|required_ran|checks_|proof_|evidence)/, of));
  say("done: all hold", { was: { repair_applied: "yes" }, input: { checks: checkRun() } });
  const step = (text: string) => ({ text, done: false });
  say("done: all are shut", {
    fields: { blockers: "x".repeat(121), candidate_done: "no" },
    lists: { findings: [`it  is\n${"x".repeat(200)}`, "b"] },
    input: {
      ...{ reviewed_fingerprint: null, promise_seen: false, promise_problem: "it is quoted" },
      steps: stepsAre([step("y".repeat(121)), step("z")]),
    },
  });
  say("done: one of a thing is named as one", {
    was: { repair_applied: "yes" },
    lists: { findings: ["it  is"] },
    input: { fingerprint: codeIs("f2"), steps: stepsAre([step("z")]) },
  });
});

test("done wants a person's look at each manual scenario, if the contract has any", () => {
  const manual = [
    { name: "page", look: "it fits" },
    { name: "print", look: "it is black" },
  ];
  const looks = manual.map((one) => ({ ...one, fingerprint: "f1", holds: true, said: "yes", question: "Q1" }));
  const say = (name: string, given: typeof looks) =>
    expectText(
      name,
      words("review", "done", /^manual/, { input: { policy: policy({ manual }), manual_answers: given } }),
    );
  say("manual: seen", looks);
  say("manual: not seen", []);
});

test("the gates of the checks say how each required check ended, and what did not run", () => {
  const say = (
    name: string,
    input: Partial<GateInput>,
    wanted = /^(no_required|validator|scenario|required_ran|checks_)/,
  ) => expectText(name, words("verify", "review", wanted, { input }));
  say("checks: none", { policy: policy({ required_validators: [] }) });
  const others = [failing({ name: "f", required: false }), check({ name: "g", kind: "scenario" })];
  const rules = policy({ required_validators: ["a", "g"], required_scenarios: ["g", "a"] });
  say("checks: each end", { checks: checkRun([...ends, ...others]), policy: rules });
  const fingerprint = codeIs("f2");
  const moved = checkRun([check()], { attempts: 2, moved: ["a", "b"] });
  const cut = checkRun([failing()], { moved: ["a"], failed_first: true });
  say("checks: the repo moved under them", { checks: moved, fingerprint }, /^checks_/);
  say("checks: the repo moved, and one failed first", { checks: cut, fingerprint }, /^checks_/);
});

describe("the gates of the proof", () => {
  const proof = { without: "auto", clean: "auto", wrong: "auto" } as const;
  const say = (
    name: string,
    of: MatrixFacts | null,
    rules: Partial<Policy> = {},
    wanted = /^(proof|clean|held|without)/,
  ) => {
    const input = { checks: checkRun(), policy: policy({ proof, ...rules }) };
    expectText(name, words("verify", "review", wanted, { input: of === null ? input : { ...input, matrix: of } }));
  };

  test("ask that it ran, on the code that the checks ran on, and are none where those failed", () => {
    const failed = { checks: checkRun([failing()]), matrix: matrix(), policy: policy({ proof }) };
    expectText("proof: the checks failed", words("verify", "review", /proof|clean/, { input: failed }));
    say("proof: not run", null);
    say("proof: run", matrix());
    say("proof: of other code", matrix({ fingerprint: "f0" }));
  });

  test("judge a clean copy as the contract wants", () => {
    const broken = { clean: cell([failing()]) };
    const differs = { ...broken, calibration: { kind: "differs", reason: "tests fails there", home: null } } as const;
    const bare = { ...broken, calibration: { kind: "none", reason: null, home: null } } as const;
    const hidden = { clean: cell([check(), heldOut({ status: "fail", exit_code: 1 })]) };
    const rows: readonly [string, Partial<MatrixFacts>, "auto" | "require" | "off"][] = [
      ["passes", {}, "auto"],
      ["fails, off", broken, "off"],
      ["fails, auto", broken, "auto"],
      ["differs, auto", differs, "auto"],
      ["not calibrated, auto", bare, "auto"],
      ["differs, required", differs, "require"],
      ["a held-out check fails", hidden, "auto"],
      ["not made, auto", { clean: null }, "auto"],
      ["not made, required", { clean: null, no_clean: "too large" }, "require"],
    ];
    for (const [name, facts, clean] of rows)
      say(`clean copy: ${name}`, matrix(facts), { proof: { ...proof, clean } }, /^clean/);
  });

  test("name five failed checks and five paths that no copy holds, and count the others", () => {
    const paths = ["a", "b", "c", "d", "e"];
    say("clean copy: five of each", matrix({ clean: cell(ends), left_out: paths }), {}, /^clean/);
    const six = [...ends, failing({ name: "f" })];
    say("clean copy: six of each", matrix({ clean: cell(six), left_out: [...paths, "f"] }), {}, /^clean/);
  });

  test("say how a required held-out check ended, and nothing of what it looks for", () => {
    const rows: readonly [string, CheckResult][] = [
      ["passed", heldOut()],
      ["failed", heldOut({ status: "fail", exit_code: 1 })],
      ["ran no tests", heldOut({ status: "fail", unmet: "it ran 0 tests" })],
      ["ran out of time", heldOut({ status: "timeout" })],
      ["did not start", heldOut({ status: "not_started" })],
      ["is another one", heldOut({ name: "other" })],
      ["is not held out", check({ name: "hidden" })],
    ];
    const rules = { required_held_out: ["hidden"] };
    for (const [name, one] of rows)
      say(`held-out check ${name}`, matrix({ clean: cell([check(), one]) }), rules, /^held/);
    say("held-out check without a copy", matrix({ clean: null, no_clean: "too large" }), rules, /^held/);
  });

  test("want a check that fails without the work only if the contract does", () => {
    const rules = { proof: { without: "require", clean: "auto", wrong: "auto" } } as const;
    const rows: readonly [string, Partial<MatrixFacts>][] = [
      ["all pass", {}],
      ["two fail", { without: cell([failing(), failing({ name: "b" })]) }],
      ["not run", { without: null }],
      ["not made", { without: null, no_without: "too large" }],
    ];
    for (const [name, facts] of rows) say(`without the work: ${name}`, matrix(facts), rules, /^without/);
    say("without the work: not asked", matrix(), {}, /^without/);
  });
});

test("the gates of the reviewers say what is missing and what blocks, five findings by name, each in one short line", () => {
  const standing = (role: string, more: Partial<ReviewStanding> = {}): ReviewStanding => ({
    ...{ role, current: true, problem: null, findings: [] },
    ...more,
  });
  const blocking = (...texts: string[]) => ({
    findings: texts.map((text) => ({ severity: "blocking", text }) as const),
  });
  const say = (name: string, reviews?: readonly ReviewStanding[], phase: "shape" | "review" = "review") => {
    const rules = policy({ review: { reviewers: ["s", "t"], at: [phase] } });
    const input = { checks: checkRun(), policy: rules, ...(reviews === undefined ? {} : { reviews }) };
    expectText(`reviewers: ${name}`, words(phase, phase === "shape" ? "implement" : "done", /^review_[st]/, { input }));
  };
  say("nothing blocks", [standing("s"), standing("t", { findings: [{ severity: "major", text: "m" }] })]);
  say("none reported");
  say("a problem, and an old report", [standing("s", { problem: "p".repeat(301) }), standing("t", { current: false })]);
  const five = ["a", "b", "c", "d", "e"];
  say("one and five block", [standing("s", blocking("one\n two")), standing("t", blocking(...five))]);
  const long = [...five, "f"].map((letter) => letter.repeat(201));
  say("six long ones block", [standing("s", blocking(...long)), standing("t")], "shape");
});

test("the gates of changed tests distinguish answers, and name twelve changes, each in 160 characters", () => {
  const change = (name: string, answer: WatchedChange["answer"] = null): WatchedChange => ({
    ...{ name, kind: "check_file", change: "changed", side: "checks", detail: "", digest: "d" },
    answer,
  });
  const say = (name: string, watched: readonly WatchedChange[], of?: MatrixFacts) => {
    const input = { checks: checkRun(), watched, policy: policy({ tests_changed: "block" }) };
    const given = of === undefined ? input : { ...input, matrix: of };
    expectText(`changed tests: ${name}`, words("verify", "review", /^watched/, { input: given }));
  };
  say("accepted", [change("a", "accepted")]);
  say("open and refused", [change("a"), change("b", "refused")], matrix({ old_checks: cell([failing()]) }));
  const twelve = [..."abcdefghijkl"];
  say(
    "twelve",
    twelve.map((name) => change(name)),
  );
  say(
    "thirteen",
    [...twelve, "m"].map((name) => change(name)),
  );
  const exact = "x".repeat(160 - "the file of a check  was changed".length);
  say("160 and 161 characters", [change(exact), change(`${exact}x`)]);
});

test("the gates of the ways aside count their reason", () => {
  const say = (name: string, to: Phase, of: Case = {}) =>
    expectText(`aside: ${name}`, words("implement", to, /^(ticket|blockers|question)/, of));
  const finding = { severity: "blocking", text: "no" } as const;
  const review = { role: "s", current: true, problem: null, findings: [finding, finding] };
  const refused = {
    ...({ name: "a", kind: "test", change: "removed", detail: "", digest: "d" } as const),
    ...({ side: "checks", answer: "refused" } as const),
  };
  say("repair of nothing", "repair");
  say("repair of a finding", "repair", { lists: { findings: ["x"] } });
  say("repair of a review", "repair", { input: { reviews: [review] } });
  say("repair of refused changes", "repair", { input: { watched: [refused, refused] } });
  say("blocked by nothing", "blocked");
  say("blocked", "blocked", { fields: { blockers: "no key" } });
  say("no question", "needs_user_decision");
  say("two questions", "needs_user_decision", { input: { open_questions: ["Q1", "Q2"] } });
});

test("the gates of visible features name what is missing, unproven or gone", () => {
  const row: FeatureRow = { feature: "Export", label: "real_working", proof: "a" };
  const proven = (problem: string | null) => [{ feature: "Export", problem }];
  const say = (name: string, features: readonly FeatureRow[], input: Partial<GateInput> = {}) => {
    const of = { lists: { features }, input: { checks: checkRun(), ...input } };
    expectText(`features: ${name}`, words("verify", "review", /^features_(?!known)/, of));
  };
  say("none", []);
  say("proven", [row], { feature_proofs: proven(null) });
  say("hidden", [{ ...row, label: "blocked_hidden" }], { feature_proofs: proven("gone") });
  say("unproven", [row]);
  say("gone", [], { known_features: ["Gone"] });
  const shaped = (name: string, features: readonly FeatureRow[]) => {
    const of = { lists: { features }, input: { policy: policy({ user_facing: true }) } };
    expectText(`features: ${name}`, words("shape", "implement", /^feature/, of));
  };
  shaped("not listed", []);
  shaped("listed", [row]);
});
