import assert from "node:assert/strict";
import { test } from "node:test";
import type { Phase } from "../../lib/rules/phases.ts";
import { verdictEvent } from "../rules/arrange.ts";
import { eventsAt, fieldOf, type StateSpec, stateFile } from "./task-states.ts";
import {
  makeTaskWorld,
  type Proposal,
  type Report,
  type TaskCase,
  type TaskSpec,
  type TaskWorld,
  validator,
} from "./task-world.ts";
import { arrange, propose, stagesTo } from "./transition-case.ts";

/** Two processes at a time: the machines that run this have two cores. */
const concurrency = 2;

interface GateCase {
  readonly name: string;
  readonly from: Phase;
  readonly to: Phase;
  /** Of the proposal. */
  readonly proposed?: Partial<StateSpec>;
  readonly proposal?: Partial<Proposal>;
  readonly task?: Partial<TaskSpec> & { before?: Partial<StateSpec> };
  /** What the reason must say; the first gate that failed. */
  readonly reason: RegExp;
  readonly verdict?: "redirected";
  readonly lands?: Phase;
  readonly exit?: number;
  readonly tickets?: readonly string[];
}

const frame = ["Objective", "Done gate", "Not doing", "Reality constraints"];
const userFacing = ["user_facing: true", validator];
const row = ["Export", "real_working", "artifacts/report.md"] as const;
const hidden = ["Import", "blocked_hidden", ""] as const;
const noProof = { files: { "artifacts/report.md": "" } };
const failing = { repo: { "bad.txt": "bad\n" } };
const scenario = "scenarios: [{ name: export, command: [test, -f, export.txt] }]";
const gateCases: readonly GateCase[] = [
  {
    name: "with a ticked item whose proof is not there",
    from: "implement",
    to: "verify",
    task: { files: { "TASKS.md": "# Steps\n\n- [ ] chart (artifacts/chart.png)\n" } },
    proposal: {
      task: {
        "STATE.md": stateFile({ phase: "verify" }),
        "TASKS.md": "# Steps\n\n- [x] chart (artifacts/chart.png)\n",
      },
    },
    reason: /TASKS\.md:3 is ticked and names artifacts\/chart\.png as its proof, but there is no such/,
  },
  ...frame.flatMap((label): GateCase[] => [
    {
      name: `without ${label}`,
      from: "intake",
      to: "shape",
      proposed: { fields: { [label]: "TBD" } },
      reason: new RegExp(`^${label} is empty or a placeholder`),
    },
    {
      name: `without ${label}`,
      from: "shape",
      to: "implement",
      proposed: { fields: { [label]: "" } },
      reason: new RegExp(`^${label} is empty or a placeholder`),
    },
  ]),
  {
    name: "with none for the objective",
    from: "intake",
    to: "shape",
    proposed: { fields: { Objective: "none" } },
    reason: /^Objective is empty or a placeholder/,
  },
  {
    name: "with a comment for a plan",
    from: "shape",
    to: "implement",
    proposed: { fields: { "Validation plan": "<!-- later -->" } },
    reason: /^Validation plan is empty or a placeholder/,
  },
  {
    name: "user-facing with no feature",
    from: "shape",
    to: "implement",
    task: { contract: userFacing },
    reason: /^no visible feature is listed/,
  },
  {
    name: "user-facing with an odd label",
    from: "shape",
    to: "implement",
    task: { contract: userFacing },
    proposed: { features: [["Export", "works", ""]] },
    reason: /illegal labels: "Export" is labelled "works"/,
  },
  {
    name: "without a result",
    from: "implement",
    to: "verify",
    proposed: { fields: { "Current result": "-" } },
    reason: /^Current result is empty or a placeholder/,
  },
  {
    name: "with empty proof",
    from: "implement",
    to: "verify",
    task: noProof,
    reason: /^the Evidence location holds no proof: /,
  },
  {
    name: "with proof outside artifacts",
    from: "implement",
    to: "verify",
    proposed: { fields: { "Evidence location": "README.md" } },
    reason: /^the Evidence location holds no proof: /,
  },
  {
    name: "with the runner's files for proof",
    from: "implement",
    to: "verify",
    proposed: { fields: { "Evidence location": "artifacts/journal.jsonl" } },
    reason: /^the Evidence location holds no proof: /,
  },
  {
    name: "with a failing validator",
    from: "verify",
    to: "review",
    task: failing,
    reason: /^validator tests failed: it ended with 1/,
    verdict: "redirected",
    lands: "repair",
    exit: 0,
    tickets: ["validator:tests"],
  },
  {
    name: "with a failing scenario",
    from: "verify",
    to: "review",
    task: { contract: [validator, scenario] },
    reason: /^scenario export failed: it ended with 1/,
    verdict: "redirected",
    lands: "repair",
    exit: 0,
    tickets: ["scenario:export"],
  },
  {
    name: "with a validator that changes the repo each time",
    from: "verify",
    to: "review",
    task: { contract: ["validators: [{ name: tests, command: [sh, -c, 'date +%N >> moved.txt'] }]"] },
    reason: /^the checks change the repo while they run: they changed moved\.txt, twice/,
    verdict: "redirected",
    lands: "repair",
    exit: 0,
    tickets: ["validator:repo-moved"],
  },
  {
    name: "with a validator that fails, moves the repo and passes at a second attempt",
    from: "verify",
    to: "review",
    task: {
      contract: [
        "validators: [{ name: tests, command: [sh, -c, 'test -f built.txt || { echo ok > built.txt; exit 1; }'] }]",
      ],
    },
    reason: /^validator tests failed: it ended with 1/,
    verdict: "redirected",
    lands: "repair",
    exit: 0,
    tickets: ["validator:tests"],
  },
  {
    name: "with a validator that passes and shows fewer tests than the brief expects",
    from: "verify",
    to: "review",
    task: {
      contract: ["validators: [{ name: tests, command: [echo, 3 passed in 0.1s], expect: { min_tests: 4 } }]"],
    },
    reason: /^validator tests failed: the brief expects at least 4 tests, but its output shows 3 that ran; see /,
    verdict: "redirected",
    lands: "repair",
    exit: 0,
    tickets: ["validator:tests"],
  },
  {
    name: "with the brief as the proof of a feature",
    from: "verify",
    to: "review",
    proposed: { features: [["Export", "real_working", "README.md"]] },
    reason:
      /^real features carry no proof that exists: Export: its proof "README\.md" is neither under artifacts\/ nor/,
  },
  {
    name: "with a file as proof that was there before the task",
    from: "verify",
    to: "review",
    proposed: { features: [["Export", "real_working", "good.txt:1"]] },
    reason:
      /^real features carry no proof that exists: Export: its proof "good\.txt:1" is neither under artifacts\/ nor/,
  },
  {
    name: "with an unknown feature",
    from: "verify",
    to: "review",
    proposed: { features: [["Export", "unknown_do_not_show", ""]] },
    reason: /^visible features are still unknown_do_not_show: /,
  },
  {
    name: "with an odd label",
    from: "verify",
    to: "review",
    proposed: { features: [["Export", "works", ""]] },
    reason: /^visible features have illegal labels/,
  },
  {
    name: "with a real feature and no proof",
    from: "verify",
    to: "review",
    proposed: { features: [["Export", "real_read_only", "artifacts/none.png"]] },
    reason: /^real features carry no proof that exists: Export: its proof/,
  },
  {
    name: "with a feature that an earlier pass dropped",
    from: "verify",
    to: "review",
    proposed: { features: [hidden] },
    task: {
      before: { features: [hidden] },
      events: async (place) => [
        ...(await eventsAt("implement", place)),
        verdictEvent("implement", "implement", place, { pass: 1, features: ["Export", "Import"] }),
        verdictEvent("implement", "verify", place, { pass: 2, features: ["Import"] }),
      ],
    },
    reason: /^visible features vanished: Export/,
  },
  {
    name: "with nothing to link",
    from: "verify",
    to: "review",
    task: noProof,
    reason: /^there is no proof for the Evidence link to point to/,
  },
  {
    name: "with no finding",
    from: "verify",
    to: "repair",
    proposed: { findings: [] },
    reason: /^no finding says what to repair/,
  },
  {
    name: "with a finding that is ticked",
    from: "review",
    to: "repair",
    task: { before: { findings: ["old"] } },
    proposed: { findings: ["[x] old"] },
    reason: /^no finding says what to repair/,
  },
  {
    name: "with a failing validator",
    from: "review",
    to: "done",
    task: failing,
    reason: /^validator tests failed: the same code passed in pass 1 and failed in pass 2; it ended with 1/,
    verdict: "redirected",
    lands: "repair",
    exit: 0,
    tickets: ["validator:tests"],
  },
  {
    name: "with code that moved in review",
    from: "review",
    to: "done",
    proposal: { repo: { "late.txt": "late\n" } },
    reason: /^the code moved since the accepted verify → review: the repo changed/,
    verdict: "redirected",
    lands: "repair",
    exit: 0,
    tickets: ["finding:code-changed-in-review"],
  },
  {
    name: "with nothing verified",
    from: "review",
    to: "done",
    task: {
      events: ({ state, contract }) => [
        { type: "adopted", at: "2026-01-02T03:04:05.000Z", phase: "review", state, contract_sha256: contract },
      ],
    },
    reason: /no verify → review was accepted since the task was opened/,
    verdict: "redirected",
    lands: "repair",
    exit: 0,
    tickets: ["finding:code-changed-in-review"],
  },
  {
    name: "without Candidate done",
    from: "review",
    to: "done",
    proposed: { fields: { "Candidate done": "no" } },
    reason: /^Candidate done is no, but done needs yes/,
  },
  {
    name: "with Blockers",
    from: "review",
    to: "done",
    proposed: { fields: { Blockers: "no key" } },
    reason: /^Blockers is still: /,
  },
  {
    name: "with a placeholder for Blockers",
    from: "review",
    to: "done",
    proposed: { fields: { Blockers: "TBD" } },
    reason: /^Blockers is still: /,
  },
  {
    name: "with an open step",
    from: "review",
    to: "done",
    task: { files: { "TASKS.md": "- [x] one\n- [ ] two\n" } },
    reason: /^TASKS\.md has 1 open item, the first: two/,
  },
  {
    name: "with an unknown feature",
    from: "review",
    to: "done",
    proposed: { features: [row, ["Print", "unknown_do_not_show", ""]] },
    reason: /^visible features are still unknown_do_not_show: /,
  },
  {
    name: "with a finding of its own",
    from: "review",
    to: "done",
    proposed: { findings: ["[x] an old one", "the last line is cut"] },
    reason: /^of the items under Findings 1 is open: the last line is cut; propose `repair`/,
  },
  {
    name: "with an open finding of an earlier pass",
    from: "review",
    to: "done",
    task: { before: { findings: ["the total is wrong"] } },
    proposed: { findings: ["the total is wrong"] },
    reason: /^of the items under Findings 1 is open: the total is wrong; propose `repair`/,
  },
  {
    name: "with an open finding of an earlier pass removed",
    from: "review",
    to: "done",
    task: { before: { findings: ["the total is wrong"] } },
    reason: /^a finding that was open is gone from Findings: the total is wrong; put it back, tick it/,
  },
  {
    name: "with an open finding of an earlier pass",
    from: "verify",
    to: "review",
    task: { before: { findings: ["the total is wrong"] } },
    proposed: { findings: ["the total is wrong"] },
    reason: /^of the items under Findings 1 is open: the total is wrong; propose `repair`/,
  },
  {
    name: "without the promise",
    from: "review",
    to: "done",
    proposal: { output: "done\n" },
    reason: /^the completion promise was not given: it is not there; end the final text with this line, alone: /,
  },
  {
    name: "with the promise within a line",
    from: "review",
    to: "done",
    proposal: { output: "I say <promise>COMPLETE</promise>\n" },
    reason: /^the completion promise was not given: other text is on the same line/,
  },
  {
    name: "with the promise before the last five lines",
    from: "review",
    to: "done",
    proposal: { output: "<promise>COMPLETE</promise>\n1\n2\n3\n4\n5\n" },
    reason: /^the completion promise was not given: /,
  },
  {
    name: "without a required validator",
    from: "review",
    to: "done",
    task: { contract: ["validators: []"] },
    reason: /`validators`/,
    lands: "needs_user_decision",
    exit: 22,
  },
  {
    name: "with Blockers none",
    from: "implement",
    to: "blocked",
    proposed: { fields: { Blockers: "none" } },
    reason: /^Blockers does not name the obstacle/,
  },
  {
    name: "with no question",
    from: "shape",
    to: "needs_user_decision",
    proposal: { task: { "STATE.md": stateFile({ phase: "needs_user_decision" }) } },
    reason: /^DECISIONS\.md has no open question/,
  },
];

test("each gate that fails alone rejects the pass, redirects it or asks", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  await Promise.all(
    gateCases.map((each, index) =>
      t.test(`${each.from} → ${each.to} ${each.name}`, () => judgeGate(world, each, `gate-${index}`)),
    ),
  );
});

async function judgeGate(world: TaskWorld, each: GateCase, name: string): Promise<void> {
  const { from, to } = each;
  const task = await arrange(world, name, from, each.task);
  task.propose({ ...propose(from, to, each.proposed), ...each.proposal });
  const before = task.state();
  const report = await task.pass();
  const lands = each.lands ?? from;
  assert.match(report.reason, each.reason);
  assert.deepEqual(
    {
      verdict: report.verdict,
      exit_code: report.exit_code,
      from: report.from,
      proposed: report.proposed,
      to: report.to,
    },
    { verdict: each.verdict ?? "rejected", exit_code: each.exit ?? 20, from, proposed: to, to: lands },
  );
  assert.deepEqual(
    report.tickets.map((ticket) => ticket.id),
    each.tickets ?? [],
  );
  assert.deepEqual(
    report.stages.map(({ stage }) => stage),
    stagesTo(from, lands),
  );
  assert.equal(fieldOf(task.state(), "Phase"), lands);
  if (lands === from) assert.equal(task.state(), before);
  else if (each.verdict === undefined) assertAsked(task, report);
  else assert.match(task.state(), new RegExp(`tried ${from} → ${to}`), "a redirected pass keeps what it proposed");
}

/** A contract without validators is a person's to mend: the question names the key. */
function assertAsked(task: TaskCase, report: Report): void {
  assert.match(task.read("DECISIONS.md"), /## Q1: [\s\S]*`validators`[\s\S]*- Answer:\n/);
  assert.match(fieldOf(task.state(), "Blockers") ?? "", /`validators`/);
  assert.equal(report.exit_name, "needs_user_decision");
}
