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

interface Given {
  /** Of the proposal. */
  readonly proposed?: Partial<StateSpec>;
  readonly proposal?: Partial<Proposal>;
  readonly task?: Partial<TaskSpec> & { before?: Partial<StateSpec> };
  readonly verdict?: "redirected";
  readonly lands?: Phase;
  readonly exit?: number;
  readonly tickets?: readonly string[];
}

/** A title begins with `FROM → TO`; the reason is that of the first gate that failed. */
type GateCase = readonly [title: string, reason: RegExp, given?: Given];

const sentBack = (ticket: string) => ({ verdict: "redirected", lands: "repair", exit: 0, tickets: [ticket] }) as const;

const userFacing = ["user_facing: true", validator];
const hidden = ["Import", "blocked_hidden", ""] as const;
const noProof = { files: { "artifacts/report.md": "" } };
const failing = { repo: { "bad.txt": "bad\n" } };
const scenario = "scenarios: [{ name: export, command: [test, -f, export.txt] }]";
const gateCases: readonly GateCase[] = [
  [
    "implement → verify with a ticked item whose proof is not there",
    /TASKS\.md:3 is ticked and names artifacts\/chart\.png as its proof, but there is no such/,
    {
      task: { files: { "TASKS.md": "# Steps\n\n- [ ] chart (artifacts/chart.png)\n" } },
      proposal: {
        task: {
          "STATE.md": stateFile({ phase: "verify" }),
          "TASKS.md": "# Steps\n\n- [x] chart (artifacts/chart.png)\n",
        },
      },
    },
  ],
  [
    "intake → shape with none for the objective",
    /^Objective is empty or a placeholder/,
    { proposed: { fields: { Objective: "none" } } },
  ],
  [
    "shape → implement with a comment for a plan",
    /^Validation plan is empty or a placeholder/,
    { proposed: { fields: { "Validation plan": "<!-- later -->" } } },
  ],
  [
    "shape → implement user-facing with no feature",
    /^no visible feature is listed/,
    { task: { contract: userFacing } },
  ],
  [
    "shape → implement user-facing with an odd label",
    /illegal labels: "Export" is labelled "works"/,
    { task: { contract: userFacing }, proposed: { features: [["Export", "works", ""]] } },
  ],
  [
    "implement → verify without a result",
    /^Current result is empty or a placeholder/,
    { proposed: { fields: { "Current result": "-" } } },
  ],
  ["implement → verify with empty proof", /^the Evidence location holds no proof: /, { task: noProof }],
  [
    "verify → review with a failing validator",
    /^validator tests failed: it ended with 1/,
    { task: failing, ...sentBack("validator:tests") },
  ],
  [
    "verify → review with a failing scenario",
    /^scenario export failed: it ended with 1/,
    { task: { contract: [validator, scenario] }, ...sentBack("scenario:export") },
  ],
  [
    "verify → review with a validator that changes the repo each time",
    /^the checks change the repo while they run: they changed moved\.txt, twice/,
    {
      task: { contract: ["validators: [{ name: tests, command: [sh, -c, 'date +%N >> moved.txt'] }]"] },
      ...sentBack("validator:repo-moved"),
    },
  ],
  [
    "verify → review with a validator that passes and shows fewer tests than the brief expects",
    /^validator tests failed: the brief expects at least 4 tests, but its output shows 3 that ran; see /,
    {
      task: {
        contract: ["validators: [{ name: tests, command: [echo, 3 passed in 0.1s], expect: { min_tests: 4 } }]"],
      },
      ...sentBack("validator:tests"),
    },
  ],
  [
    "verify → review with an unknown feature",
    /^visible features are still unknown_do_not_show: /,
    { proposed: { features: [["Export", "unknown_do_not_show", ""]] } },
  ],
  [
    "verify → review with a real feature and no proof",
    /^real features carry no proof that exists: Export: its proof/,
    { proposed: { features: [["Export", "real_read_only", "artifacts/none.png"]] } },
  ],
  [
    "verify → review with a feature that an earlier pass dropped",
    /^visible features vanished: Export/,
    {
      proposed: { features: [hidden] },
      task: {
        before: { features: [hidden] },
        events: async (place) => [
          ...(await eventsAt("implement", place)),
          verdictEvent("implement", "implement", place, { pass: 1, features: ["Export", "Import"] }),
          verdictEvent("implement", "verify", place, { pass: 2, features: ["Import"] }),
        ],
      },
    },
  ],
  ["verify → review with nothing to link", /^there is no proof for the Evidence link to point to/, { task: noProof }],
  ["verify → repair with no finding", /^no finding says what to repair/, { proposed: { findings: [] } }],
  [
    "review → repair with a finding that is ticked",
    /^no finding says what to repair/,
    { task: { before: { findings: ["old"] } }, proposed: { findings: ["[x] old"] } },
  ],
  [
    "review → done with a failing validator",
    /^validator tests failed: the same code passed in pass 1 and failed in pass 2; it ended with 1/,
    { task: failing, ...sentBack("validator:tests") },
  ],
  [
    "review → done with code that moved in review",
    /^the code moved since the accepted verify → review: the repo changed/,
    { proposal: { repo: { "late.txt": "late\n" } }, ...sentBack("finding:code-changed-in-review") },
  ],
  [
    "review → done with nothing verified",
    /no verify → review was accepted since the task was opened/,
    {
      // Without the open finding the checks would run first, without a model.
      task: {
        before: { findings: ["old"] },
        events: ({ state, contract }) => [
          { type: "adopted", at: "2026-01-02T03:04:05.000Z", phase: "review", state, contract_sha256: contract },
        ],
      },
      proposed: { findings: ["[x] old"] },
      ...sentBack("finding:code-changed-in-review"),
    },
  ],
  [
    "review → done without Candidate done",
    /^Candidate done is no, but done needs yes/,
    { proposed: { fields: { "Candidate done": "no" } } },
  ],
  ["review → done with Blockers", /^Blockers is still: /, { proposed: { fields: { Blockers: "no key" } } }],
  [
    "review → done with an open step",
    /^TASKS\.md has 1 open item, the first: two/,
    { task: { files: { "TASKS.md": "- [x] one\n- [ ] two\n" } } },
  ],
  [
    "review → done with a finding of its own",
    /^of the items under Findings 1 is open: the last line is cut; propose `repair`/,
    { proposed: { findings: ["[x] an old one", "the last line is cut"] } },
  ],
  [
    "review → done with an open finding of an earlier pass removed",
    /^a finding that was open is gone from Findings: the total is wrong; put it back, tick it/,
    { task: { before: { findings: ["the total is wrong"] } } },
  ],
  [
    "review → done without the promise",
    /^the completion promise was not given: it is not there; end the final text with this line, alone: /,
    { proposal: { output: "done\n" } },
  ],
  [
    "review → done without a required validator",
    /`validators`/,
    { task: { contract: ["validators: []"] }, lands: "needs_user_decision", exit: 22 },
  ],
  [
    "implement → blocked with Blockers none",
    /^Blockers does not name the obstacle/,
    { proposed: { fields: { Blockers: "none" } } },
  ],
  [
    "shape → needs_user_decision with no question",
    /^DECISIONS\.md has no open question/,
    { proposal: { task: { "STATE.md": stateFile({ phase: "needs_user_decision" }) } } },
  ],
];

test("each gate that fails alone rejects the pass, redirects it or asks", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  await Promise.all(gateCases.map((each, index) => t.test(each[0], () => judgeGate(world, each, `gate-${index}`))));
});

async function judgeGate(world: TaskWorld, [title, reason, each = {}]: GateCase, name: string): Promise<void> {
  const [from, , to] = title.split(" ") as [Phase, string, Phase];
  const task = await arrange(world, name, from, each.task);
  task.propose({ ...propose(from, to, each.proposed), ...each.proposal });
  const before = task.state();
  const report = await task.pass();
  const lands = each.lands ?? from;
  assert.match(report.reason, reason);
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
