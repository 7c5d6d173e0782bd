import assert from "node:assert/strict";
import { test } from "node:test";
import { callsForChecks, decide } from "../../lib/rules/decide.ts";
import type { ReasonCategory, Verdict } from "../../lib/rules/decision.ts";
import type { Facts, Proposal } from "../../lib/rules/facts.ts";
import type { ModelEnd } from "../../lib/rules/model-end.ts";
import { mayPropose, type Phase, phaseNames } from "../../lib/rules/phases.ts";
import { before, check, checkRun, codes, counts, facts, failing, policy, proposal, tamper } from "./arrange.ts";

const checks = checkRun();
const noValidators = policy({ required_validators: [] });

/** Facts with which every gate of every transition holds. */
const openGates = facts({ checks, open_questions: ["Q1"] });
const willing = (to: Phase): Proposal =>
  proposal(to, { blockers: to === "blocked" ? "no key" : "none" }, { findings: to === "repair" ? ["new"] : [] });

for (const from of phaseNames) {
  for (const to of phaseNames) {
    const allowed = mayPropose(from, to);
    test(`${from} → ${to} is ${allowed ? "accepted where every gate holds" : "rejected as illegal"}`, () => {
      const seen =
        from === to ? { ...openGates, fingerprint: { before: "f0", after: "f1", present: null } } : openGates;
      const { verdict, reasons, to: landing, exit_name } = decide(before(from), willing(to), seen, policy());
      // An open question waits, and only a task that is done needs no answer any more.
      const stop = to === "blocked" ? to : to === "done" ? "ok" : "needs_user_decision";
      assert.deepEqual(
        { verdict, categories: reasons.map((reason) => reason.category), landing, exit_name },
        allowed
          ? { verdict: "accepted", categories: [], landing: to, exit_name: stop }
          : { verdict: "rejected", categories: ["illegal"], landing: from, exit_name: "rejected" },
      );
    });
  }
}

test("the whole decision of an accepted pass", () => {
  assert.deepEqual(decide(before("implement"), proposal("verify"), facts(), policy()), {
    verdict: "accepted",
    from: "implement",
    proposed: "verify",
    to: "verify",
    reason: "implement → verify",
    reasons: [],
    gates: [
      { gate: "Current result is filled", ok: true, detail: "filled" },
      { gate: "The Evidence location holds proof", ok: true, detail: "1 file" },
    ],
    progress: ["state_change"],
    tickets: [],
    failure: null,
    escalation: null,
    ...{ proof: null, manual: [], over_bounds: null, frame: null },
    runner_fields: { validator_status: "pending", repair_applied: "no", revalidation_status: "pending" },
    exit_name: "ok",
  });
});

test("the whole decision of a redirected pass", () => {
  const seen = facts({ checks: checkRun([failing()]) });
  assert.deepEqual(
    decide(
      before("verify", { repair_applied: "yes" }),
      proposal("review", {}, { findings: ["no header"] }),
      seen,
      policy(),
    ),
    {
      verdict: "redirected",
      from: "verify",
      proposed: "review",
      to: "repair",
      reason: "validator tests failed: it ended with 1; see artifacts/passes/0001/validators/tests.log",
      reasons: [
        {
          category: "redirect",
          code: "validator_tests",
          text: "validator tests failed: it ended with 1; see artifacts/passes/0001/validators/tests.log",
        },
        {
          category: "gate",
          code: "findings_closed",
          text: "of the items under Findings 1 is open: no header; propose `repair`, which makes a ticket of each, tick what you saw to be fixed (`- [x]`), or move what is not a defect to Notes and say why",
        },
      ],
      gates: [
        { gate: "At least one required validator ran", ok: true, detail: "tests" },
        {
          gate: "validator tests passes",
          ok: false,
          detail: "ended with 1; see artifacts/passes/0001/validators/tests.log",
        },
        { gate: "Every required validator and scenario ran", ok: true, detail: "all did" },
        { gate: "The checks leave the repo unchanged", ok: true, detail: "they did" },
        { gate: "The checks ran on the current code", ok: true, detail: "same fingerprint" },
        { gate: "No item under Findings is open", ok: false, detail: "1 is open, the first: no header" },
        { gate: "The Evidence link's target exists", ok: true, detail: "artifacts/run.log" },
      ],
      progress: ["state_change"],
      tickets: [
        {
          id: "validator:tests",
          source: "validator",
          name: "tests",
          text: "validator tests did not pass (exit 1, regressed); log artifacts/passes/0001/validators/tests.log\n1 failing",
        },
        { id: "finding:1", source: "finding", name: "no header", text: "no header" },
      ],
      failure: { signature: "redirected validator tests | validator tests: N failing", count: 1, passes: [1] },
      escalation: null,
      proof: {
        grade: "unshown",
        passed: 0,
        failing: [],
        only_own: false,
        wrong: null,
        reason: "a required check did not pass",
        looked: [],
      },
      ...{ manual: [], over_bounds: null, frame: null },
      runner_fields: { validator_status: "fail", repair_applied: "yes", revalidation_status: "fail" },
      exit_name: "ok",
    },
  );
});

test("a pass that kept its phase and moved something is accepted as progress in it", () => {
  const seen = facts({ fingerprint: { before: "f0", after: "f1", present: null } });
  const { verdict, reason, to } = decide(before("implement"), proposal("implement"), seen, policy());
  assert.deepEqual({ verdict, reason, to }, { verdict: "accepted", reason: "progress in implement", to: "implement" });
});

test("a pass that moved nothing made no progress", () => {
  const decision = decide(
    before("implement"),
    proposal("implement", { status: "busy", validator_status: "pass" }),
    facts(),
    policy(),
  );
  assert.deepEqual(
    [decision.verdict, decision.to, codes(decision), decision.failure, decision.exit_name],
    ["no_progress", "implement", ["no_progress"], { signature: "no_progress", count: 1, passes: [1] }, "no_progress"],
  );
});

interface Trouble {
  readonly verdict: Verdict;
  readonly facts?: Partial<Facts>;
  /** What the pass proposes from verify; null leaves it to the other trouble. */
  readonly to: Phase | null;
}
const troubles: Readonly<Record<ReasonCategory, Trouble>> = {
  interrupted: {
    verdict: "interrupted",
    facts: { end: { kind: "interrupted", reason: "SIGTERM", cause: "signal" } },
    to: null,
  },
  unavailable: { verdict: "unavailable", facts: { end: { kind: "auth_failed", reason: "log in" } }, to: null },
  tampering: { verdict: "rejected", facts: { tampering: [tamper()] }, to: null },
  unreadable: { verdict: "rejected", facts: { secrets: ["github"] }, to: null },
  illegal: { verdict: "rejected", to: "implement" },
  redirect: { verdict: "redirected", facts: { checks: checkRun([failing()]) }, to: "review" },
  gate: { verdict: "rejected", facts: { evidence: { ...facts().evidence, link_target: null } }, to: "review" },
  progress: { verdict: "no_progress", to: "verify" },
};

/** Every two troubles that one pass can be in at once: one end, and one proposal. */
const together = (Object.keys(troubles) as ReasonCategory[]).flatMap((first, index, all) =>
  all.slice(index + 1).flatMap((second) => {
    const [one, other] = [troubles[first], troubles[second]];
    const sameEnd = one.facts?.end !== undefined && other.facts?.end !== undefined;
    return sameEnd || (one.to !== null && other.to !== null && one.to !== other.to) ? [] : [{ first, second }];
  }),
);

test("the pairs of troubles below are all that one pass can be in", () => {
  assert.equal(together.length, 5 + 16 + 1);
});

for (const { first, second } of together) {
  test(`${first} decides before ${second}, and both are listed`, () => {
    const to = troubles[first].to ?? troubles[second].to ?? "review";
    const seen = facts({
      checks: to === "review" ? checks : null,
      ...troubles[second].facts,
      ...troubles[first].facts,
    });
    const decision = decide(before("verify"), proposal(to), seen, policy());
    assert.deepEqual(
      [decision.verdict, decision.reasons.map((reason) => reason.category), decision.reason],
      [troubles[first].verdict, [first, second], decision.reasons[0]?.text],
    );
  });
}

test("all troubles at once are listed in the order of judgement", () => {
  const seen = facts({
    ...troubles.unavailable.facts,
    ...troubles.tampering.facts,
    ...troubles.unreadable.facts,
    ...troubles.gate.facts,
    ...troubles.redirect.facts,
  });
  const decision = decide(before("verify"), proposal("review"), seen, policy());
  assert.deepEqual(
    decision.reasons.map((reason) => reason.category),
    ["unavailable", "tampering", "unreadable", "redirect", "gate"],
  );
});

test("an unreadable proposal is rejected with each of its problems", () => {
  const decision = decide(
    before("verify"),
    { kind: "unreadable", problems: ["no field list", "NUL byte"] },
    facts(),
    policy(),
  );
  assert.deepEqual(
    [
      decision.verdict,
      decision.proposed,
      decision.to,
      decision.reasons.map((reason) => reason.text),
      decision.gates,
      decision.progress,
    ],
    ["rejected", null, "verify", ["no field list", "NUL byte"], [], []],
  );
});

for (const from of ["verify", "review"] as const) {
  const to = from === "verify" ? "review" : "done";
  test(`${from} → ${to} without any required validator asks a person and names the key`, () => {
    const decision = decide(before(from), proposal(to), facts({ checks: checkRun([]) }), noValidators);
    assert.deepEqual(
      [decision.verdict, decision.to, decision.escalation?.cause, decision.exit_name],
      ["rejected", "needs_user_decision", "no_validators", "needs_user_decision"],
    );
    assert.match(decision.escalation?.question ?? "", /`validators`/);
    assert.match(decision.reason, /`validators`/);
  });
}

test("without a required validator, what is judged before the other gates still decides", () => {
  const seen = facts({ checks: checkRun([failing({ kind: "scenario", name: "export" })]) });
  const decision = decide(before("verify"), proposal("review"), seen, noValidators);
  assert.deepEqual([decision.verdict, decision.to, decision.escalation], ["redirected", "repair", null]);
});

test("code that moved in review is redirected with a ticket that names the paths", () => {
  const seen = facts({ fingerprint: { before: "f1", after: "f2", present: null }, moved_since_review: ["src/a.ts"] });
  const run = checkRun([check()], { fingerprint_before: "f2", fingerprint_after: "f2" });
  for (const each of [{ ...seen, checks: run }, seen]) {
    const decision = decide(before("review"), proposal("done"), each, policy());
    assert.deepEqual(
      [decision.verdict, decision.to, decision.tickets],
      [
        "redirected",
        "repair",
        [
          {
            id: "finding:code-changed-in-review",
            source: "finding",
            name: "code changed in review",
            text: "the repo changed since it was verified: src/a.ts; check each change, then verify again",
          },
        ],
      ],
    );
  }
});

test("checks that moved the reviewed code are redirected, since the code that stands is no longer that one", () => {
  const run = checkRun([check()], { attempts: 2, fingerprint_before: "f2", fingerprint_after: "f2" });
  const decision = decide(before("review"), proposal("done"), facts({ checks: run }), policy());
  assert.deepEqual([decision.verdict, codes(decision)], ["redirected", ["review_kept_code"]]);
});

test("a failing validator in review is redirected with only its ticket if the code did not change", () => {
  const decision = decide(before("review"), proposal("done"), facts({ checks: checkRun([failing()]) }), policy());
  assert.deepEqual(
    [decision.verdict, decision.tickets.map((ticket) => ticket.id)],
    ["redirected", ["validator:tests"]],
  );
});

test("a proposal of repair is accepted with one ticket for each finding that is open", () => {
  const decision = decide(
    before("review", {}, { findings: ["old"] }),
    proposal("repair", {}, { findings: ["old", "a", "b"] }),
    facts(),
    policy(),
  );
  assert.deepEqual([decision.verdict, decision.tickets.map((ticket) => ticket.text)], ["accepted", ["old", "a", "b"]]);
});

test("staying in repair writes no tickets", () => {
  const seen = facts({ fingerprint: { before: "f0", after: "f1", present: null } });
  assert.deepEqual(decide(before("repair"), proposal("repair", {}, { findings: ["a"] }), seen, policy()).tickets, []);
});

test("a protected path that a pass changed is rejected with its ticket", () => {
  const seen = facts({ tampering: [tamper({ path: "a.test.ts", guard: "protected" })] });
  const decision = decide(before("implement"), proposal("verify"), seen, policy());
  assert.deepEqual(
    [decision.verdict, decision.tickets.map((ticket) => ticket.id)],
    ["rejected", ["protected:a.test.ts"]],
  );
});

/** Decides passes one after the other as the journal would count them; all fail the same way but for the outputs. */
function repeat(outputs: readonly string[], from: Phase = "verify") {
  let history = counts();
  return outputs.map((excerpt) => {
    const to = from === "verify" ? "review" : "done";
    const decision = decide(
      before(from),
      proposal(to),
      facts({ checks: checkRun([failing({ excerpt })]), history }),
      policy(),
    );
    history = { ...history, failure: decision.failure };
    return decision;
  });
}

test("a repeated failure is stuck after two retries", () => {
  const decisions = repeat(["exit in 12 ms", "exit in 900 ms", "exit in 1.2 s"]);
  assert.deepEqual(
    decisions.map(({ verdict, to, failure, escalation, exit_name }) => [
      verdict,
      to,
      failure?.count,
      escalation?.cause,
      exit_name,
    ]),
    [
      ["redirected", "repair", 1, undefined, "ok"],
      ["redirected", "repair", 2, undefined, "ok"],
      ["redirected", "blocked", 3, "stuck", "no_progress"],
    ],
  );
  assert.equal(decisions[2]?.tickets.length, 1);
});

test("a repeated failure in review asks a question once it is stuck", () => {
  const last = repeat(["no", "no", "no"], "review")[2];
  assert.deepEqual(
    [last?.to, last?.escalation?.cause, typeof last?.escalation?.question],
    ["needs_user_decision", "stuck", "string"],
  );
});

test("three different failures are not stuck", () => {
  assert.deepEqual(
    repeat(["TypeError", "RangeError", "SyntaxError"]).map((each) => [each.failure?.count, each.escalation]),
    [
      [1, null],
      [1, null],
      [1, null],
    ],
  );
});

test("no progress escalates after its retries, and in intake keeps the phase", () => {
  const seen = facts({ history: counts({ failure: { signature: "no_progress", count: 2, passes: [] } }) });
  const told = (from: Phase) => {
    const { verdict, to, escalation, exit_name } = decide(before(from), proposal(from), seen, policy());
    return [verdict, to, escalation?.cause, exit_name];
  };
  assert.deepEqual(told("implement"), ["no_progress", "blocked", "no_progress", "no_progress"]);
  assert.deepEqual(told("review"), ["no_progress", "needs_user_decision", "no_progress", "no_progress"]);
  assert.deepEqual(told("intake"), ["no_progress", "intake", "no_progress", "no_progress"]);
});

test("retries of the contract bound the row", () => {
  const decision = decide(before("implement"), proposal("implement"), facts(), policy({ retries_per_failure: 0 }));
  assert.equal(decision.escalation?.cause, "no_progress");
});

for (const [from, target] of [
  ["verify", "blocked"],
  ["review", "needs_user_decision"],
] as const) {
  test(`spent repairs lead from ${from} to ${target}, for a redirect and for a proposal of repair`, () => {
    const history = counts({ repairs: 5 });
    const to = from === "verify" ? "review" : "done";
    const forced = decide(before(from), proposal(to), facts({ checks: checkRun([failing()]), history }), policy());
    const asked = decide(before(from), proposal("repair", {}, { findings: ["a"] }), facts({ history }), policy());
    assert.deepEqual(
      [forced, asked].map(({ verdict, to: landing, escalation, exit_name, tickets }) => [
        verdict,
        landing,
        escalation?.cause,
        exit_name,
        tickets.length,
      ]),
      [
        ["redirected", target, "repairs", target, 1],
        ["accepted", target, "repairs", target, 1],
      ],
    );
  });
}

test("the fifth of five repairs is still made, and staying in repair spends none", () => {
  const fifth = decide(
    before("verify"),
    proposal("review"),
    facts({ checks: checkRun([failing()]), history: counts({ repairs: 4 }) }),
    policy(),
  );
  const staying = facts({ fingerprint: { before: "f0", after: "f1", present: null }, history: counts({ repairs: 5 }) });
  assert.deepEqual(
    [fifth.to, decide(before("repair"), proposal("repair"), staying, policy()).escalation],
    ["repair", null],
  );
});

test("the third timeout in a row escalates, the second does not", () => {
  const end: ModelEnd = { kind: "timed_out", timeout_ms: 1000 };
  const told = [1, 2].map((timeouts_in_row) => {
    const seen = facts({ end, history: counts({ timeouts_in_row }) });
    const { verdict, to, escalation, failure, exit_name } = decide(
      before("implement"),
      proposal("implement"),
      seen,
      policy(),
    );
    return [verdict, to, escalation?.cause, failure, exit_name];
  });
  assert.deepEqual(told, [
    ["unavailable", "implement", undefined, null, "unavailable"],
    ["unavailable", "blocked", "timeouts", null, "unavailable"],
  ]);
});

test("a timeout in which the model never answered stops no task, however often it comes", () => {
  const end: ModelEnd = { kind: "timed_out", timeout_ms: 1000, silent: true };
  const seen = facts({ end, history: counts({ timeouts_in_row: 2 }) });
  const { verdict, escalation, reasons } = decide(before("implement"), proposal("implement"), seen, policy());
  assert.deepEqual([verdict, escalation, reasons[0]?.code], ["unavailable", null, "no_answer"]);
  const changed = facts({ ...seen, fingerprint: { before: "f0", after: "f1", present: null } });
  assert.equal(decide(before("implement"), proposal("implement"), changed, policy()).escalation?.cause, "timeouts");
});

test("the stop after three timeouts names a reviewer if the newest was a reviewer's", () => {
  const end: ModelEnd = { kind: "timed_out", timeout_ms: 1000, role: "security" };
  const seen = facts({ end, history: counts({ timeouts_in_row: 2 }) });
  assert.match(
    decide(before("review"), proposal("review"), seen, policy()).escalation?.blockers ?? "",
    /: 3 passes in a row timed out, the newest in reviewer security, before the model was called\. What/,
  );
});

for (const [repairs, text] of [
  [0, "the budget has no repairs"],
  [1, "the one repair is spent"],
  [2, "all 2 repairs are spent"],
] as const) {
  test(`a stop with a budget of ${repairs} repairs says that ${text}`, () => {
    const seen = facts({ checks: checkRun([failing()]), history: counts({ repairs }) });
    const { escalation } = decide(
      before("verify"),
      proposal("review"),
      seen,
      policy({ budget: { passes: 12, repairs } }),
    );
    assert.ok(escalation?.blockers.includes(`: ${text} and the work still fails (validator tests failed: it ended`));
  });
}

test("the reason of a check that failed says how: its exit code, its signal, its time, or that it did not start", () => {
  const told = [
    failing(),
    failing({ exit_code: null, signal: "SIGKILL" }),
    failing({ status: "timeout" }),
    failing({ status: "not_started" }),
  ].map((one) => decide(before("verify"), proposal("review"), facts({ checks: checkRun([one]) }), policy()).reason);
  assert.deepEqual(
    told,
    ["it ended with 1", "it ended with SIGKILL", "it ran out of time", "it did not start"].map(
      (how) => `validator tests failed: ${how}; see artifacts/passes/0001/validators/tests.log`,
    ),
  );
});

test("three unavailable passes that did not time out do not escalate", () => {
  const seen = facts({
    end: { kind: "limited", cause: "rate_limit", reason: "429", until: null },
    history: counts({ timeouts_in_row: 2 }),
  });
  assert.equal(decide(before("implement"), proposal("implement"), seen, policy()).escalation, null);
});

test("an exit of 0 with no result and no change is unavailable, and no failure", () => {
  const end: ModelEnd = { kind: "exited", exit_code: 0, signal: null, result_event: false };
  const decision = decide(before("implement"), proposal("implement"), facts({ end }), policy());
  assert.deepEqual(
    [decision.verdict, codes(decision), decision.failure],
    ["unavailable", ["nothing_happened", "no_progress"], null],
  );
});

test("three passes whose model failed stop the task with the cause and its remedy", () => {
  const end: ModelEnd = { kind: "exited", exit_code: 3, signal: null, result_event: true, said: "Prompt is too long" };
  const row = { signature: "no_progress", count: 2, passes: [1, 2] };
  const seen = facts({ end, pass: 3, history: counts({ failure: row }) });
  const decision = decide(before("implement"), proposal("implement"), seen, policy());
  assert.equal(
    decision.reason,
    "no material progress: no code, state or evidence changed; the model ended with exit code 3: Prompt is too long",
  );
  assert.equal(
    decision.escalation?.blockers,
    "Stopped by task-phase: 3 passes in a row ended the same way (no material progress: no code, state or evidence changed): passes 1, 2 and 3, and each retry was told to try less and to change one thing; in the newest the model ended with exit code 3: Prompt is too long. What a person can do: read stderr.log of the newest pass, run `task-phase probe` to see whether the model works, then `task-phase resume TASK --to implement --reason TEXT`.",
  );
  assert.deepEqual(
    decide(before("implement"), proposal("implement"), { ...seen, end: { ...end, said: null } }, policy()).failure,
    decision.failure,
  );
});

test("a model that failed but did the work is judged by the work", () => {
  const end: ModelEnd = { kind: "exited", exit_code: 1, signal: null, result_event: false };
  assert.equal(decide(before("implement"), proposal("verify"), facts({ end }), policy()).verdict, "accepted");
});

test("an interrupted pass keeps the phase, counts as no failure and exits as paused", () => {
  const decision = decide(
    before("implement"),
    proposal("verify"),
    facts({ end: { kind: "interrupted", reason: "SIGTERM", cause: "signal" } }),
    policy(),
  );
  assert.deepEqual(
    [decision.verdict, decision.to, decision.failure, decision.exit_name, decision.reason],
    ["interrupted", "implement", null, "paused", "SIGTERM"],
  );
});

test("a withheld pass is rejected, with or without what had changed", () => {
  const end: ModelEnd = { kind: "withheld", reason: "the brief changed under the run before the work" };
  const told = [[tamper({ by: "before" })], []].map((tampering) => {
    const { verdict, to, reasons } = decide(
      before("implement"),
      proposal("verify"),
      facts({ end, tampering }),
      policy(),
    );
    return [verdict, to, reasons[0]?.category];
  });
  assert.deepEqual(told, [
    ["rejected", "implement", "tampering"],
    ["rejected", "implement", "tampering"],
  ]);
});

const yes = { validator_status: "pass", repair_applied: "yes", revalidation_status: "pass" } as const;

test("the runner's fields after each move", () => {
  const after = (from: Phase, to: Phase, fields = {}, overrides: Partial<Facts> = {}) =>
    Object.values(
      decide(before(from, fields), willing(to), facts({ open_questions: ["Q1"], ...overrides }), policy())
        .runner_fields,
    ).join(" ");
  assert.deepEqual(
    {
      "intake → shape": after("intake", "shape"),
      "implement → verify": after("implement", "verify", yes),
      "verify → review": after("verify", "review", {}, { checks }),
      "verify → review, repaired": after("verify", "review", { repair_applied: "yes" }, { checks }),
      "verify → review, failing": after("verify", "review", {}, { checks: checkRun([failing()]) }),
      "verify → review, rejected": after("verify", "review", {}, { checks, ...troubles.gate.facts }),
      "verify → repair": after("verify", "repair", yes),
      "repair → verify": after("repair", "verify", { validator_status: "fail" }),
      "review → done": after("review", "done", yes, { checks }),
      "review → needs_user_decision": after("review", "needs_user_decision", yes),
    },
    {
      "intake → shape": "pending no pending",
      "implement → verify": "pending yes pass",
      "verify → review": "pass no pending",
      "verify → review, repaired": "pass yes pass",
      "verify → review, failing": "fail no pending",
      "verify → review, rejected": "pending no pending",
      "verify → repair": "pass yes pass",
      "repair → verify": "pending yes pending",
      "review → done": "pass yes pass",
      "review → needs_user_decision": "pass yes pass",
    },
  );
});

test("a proposal that claims the runner's own fields gets none of them", () => {
  const decision = decide(before("implement"), proposal("verify", yes), facts(), policy());
  assert.deepEqual(decision.runner_fields, {
    validator_status: "pending",
    repair_applied: "no",
    revalidation_status: "pending",
  });
});

test("checks are called for by verify → review and review → done alone", () => {
  const calling = phaseNames.flatMap((from) =>
    phaseNames.filter((to) => callsForChecks(before(from), willing(to), facts())).map((to) => `${from} → ${to}`),
  );
  assert.deepEqual(calling, ["verify → review", "review → done"]);
  const alone = facts({ end: { kind: "no_model" } });
  const staying = phaseNames.filter((phase) => callsForChecks(before(phase), willing(phase), alone));
  assert.deepEqual(staying, ["review"], "without a model the checks of a review run again on moved code");
});

test("no check runs where the pass is already decided, and closed gates do not decide before them", () => {
  const asks = (overrides: Partial<Facts>, proposed: Proposal = proposal("review")) =>
    callsForChecks(before("verify"), proposed, facts(overrides));
  assert.deepEqual(
    [
      asks({ ...troubles.interrupted.facts }),
      asks({ ...troubles.unavailable.facts }),
      asks({ ...troubles.tampering.facts }),
      asks({ ...troubles.unreadable.facts }),
      asks({}, { kind: "unreadable", problems: ["no list"] }),
      asks({ ...troubles.gate.facts }),
    ],
    [false, false, false, false, false, true],
  );
});

test("a feature row that vanished in an earlier accepted pass fails verify → review", () => {
  const seen = facts({ checks, known_features: ["Export"] });
  const decision = decide(before("verify"), proposal("review"), seen, policy());
  assert.deepEqual(
    [decision.verdict, codes(decision), decision.reason],
    [
      "rejected",
      ["features_kept"],
      "visible features vanished: Export; hide a feature by its label, not by deleting its row",
    ],
  );
});

test("code that changed between the checks and the verdict is rejected, and is not what was reviewed", () => {
  const seen = facts({ checks, fingerprint: { before: "f1", after: "f1", present: "f2" } });
  const verified = decide(before("verify"), proposal("review"), seen, policy());
  assert.deepEqual([verified.verdict, codes(verified)], ["rejected", ["checks_on_present_code"]]);
  const done = decide(before("review"), proposal("done"), seen, policy());
  assert.deepEqual([done.verdict, codes(done)], ["redirected", ["review_kept_code", "checks_on_present_code"]]);
  assert.deepEqual(
    done.tickets.map((ticket) => ticket.id),
    ["finding:code-changed-in-review"],
  );
});

test("a present fingerprint that is that of the checks changes nothing", () => {
  const seen = facts({ checks, fingerprint: { before: "f0", after: "f0", present: "f1" } });
  assert.equal(decide(before("verify"), proposal("review"), seen, policy()).verdict, "accepted");
});

test("done after a repair needs no earlier revalidation where the present checks hold", () => {
  const repaired = before("review", { repair_applied: "yes", revalidation_status: "pending" });
  const decision = decide(repaired, proposal("done"), facts({ checks }), policy());
  assert.deepEqual([decision.verdict, decision.runner_fields.revalidation_status], ["accepted", "pass"]);
});
