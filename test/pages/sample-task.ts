import type { ArtifactRow } from "../../lib/pages/files/list-artifacts.ts";
import type { EvidenceInput } from "../../lib/pages/model/build-model.ts";
import type { CheckResult } from "../../lib/rules/check-run.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { type FieldValues, type StateView, stateFields } from "../../lib/rules/state-view.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { verdictEvent } from "../rules/arrange.ts";

/** A task that went all the way: a rejected pass, a redirect to repair, a person's edit, and done. */

export const print = (digit: string) => digit.repeat(64);

export function stateView(changes: Partial<StateView> = {}, fields: Partial<FieldValues> = {}): StateView {
  const empty = Object.fromEntries(stateFields.map(({ key }) => [key, ""])) as FieldValues;
  return {
    phase: "done",
    fields: { ...empty, ...fields },
    risks: [],
    features: [],
    findings: [],
    closed_findings: [],
    notes: [],
    ...changes,
  };
}

export function check(changes: Partial<CheckResult> = {}): CheckResult {
  const log = "artifacts/passes/0006/validators/tests.log";
  return {
    name: "tests",
    kind: "validator",
    required: true,
    command: [],
    status: "pass",
    exit_code: 0,
    signal: null,
    duration_ms: 4210,
    attribution: "clean",
    log,
    excerpt: "# pass 41\n# fail 0",
    ...changes,
  };
}

export function verdict(pass: number, changes: Partial<VerdictEvent> = {}): VerdictEvent {
  return verdictEvent(
    "implement",
    "implement",
    { state: "", contract: print("1") },
    {
      at: `2026-11-21T10:${String(pass).padStart(2, "0")}:30.000Z`,
      pass,
      model: "mine",
      proposed: null,
      reason: "progress in implement",
      fingerprint: { before: print("9"), after: print("a"), present: null },
      evidence: { location: "artifacts", problem: null, files: [], link_target: null, link_target_exists: false },
      duration_ms: 61_000,
      cost_usd: 0.21,
      tokens: { input: 18_200, output: 2_140 },
      record_sha256: print("5"),
      ...changes,
    },
  );
}

/** After the checks of the sample's last pass. */
export const briefChanged = {
  type: "brief_changed",
  at: "2026-11-21T12:00:00Z",
  was: "a",
  contract_sha256: "b",
  keys: null,
  state: "",
} as const;

const checksOf = (results: readonly CheckResult[]) => ({
  fingerprint_before: print("a"),
  fingerprint_after: print("a"),
  attempts: 1,
  moved: [],
  results,
});

const failing = check({
  status: "fail",
  exit_code: 1,
  attribution: "regressed",
  excerpt: "not ok 7 - streams 10,000 rows without holding them\n  expected: < 64 MiB\n  actual: 410 MiB",
});

export const events: readonly TaskEvent[] = [
  { type: "adopted", at: "2026-11-21T10:00:00.000Z", phase: "intake", state: "", contract_sha256: print("1") },
  verdict(1, { from: "intake", proposed: "shape", to: "shape", reason: "intake → shape" }),
  verdict(2, {
    from: "shape",
    proposed: "done",
    to: "shape",
    verdict: "rejected",
    progress: [],
    reason: "shape → done is not a transition; allowed from shape: implement, blocked, needs_user_decision",
    tampering: [
      {
        path: "artifacts/journal.jsonl",
        change: "changed",
        guard: "runner_file",
        by: "model",
        detail: null,
        restored: true,
      },
    ],
  }),
  {
    type: "before",
    at: "2026-11-21T10:03:00.000Z",
    fingerprint: print("b"),
    results: [check(), check({ name: "lint" })],
  },
  verdict(3, {
    from: "implement",
    proposed: "verify",
    to: "verify",
    reason: "implement → verify",
    progress: ["code_change", "evidence_gain"],
    changed_paths: [
      { path: "src/export.js", change: "changed" },
      { path: "test/export.test.js", change: "added" },
    ],
  }),
  verdict(4, {
    from: "verify",
    proposed: "review",
    to: "repair",
    verdict: "redirected",
    reason: "validator tests did not pass (exit 1, regressed)",
    checks: checksOf([failing, check({ name: "lint" })]),
    tickets: [
      {
        id: "validator:tests",
        source: "validator",
        name: "tests",
        text: `validator tests did not pass\n${failing.excerpt}`,
      },
    ],
    overridden: ["Validator status"],
    cost_usd: null,
  }),
  {
    type: "state_edited",
    at: "2026-11-21T10:04:50.000Z",
    from: "repair",
    to: "repair",
    reopened: false,
    features: [],
    tickets: [],
    overridden: [],
    state: "",
  },
  verdict(5, {
    from: "repair",
    proposed: "verify",
    to: "verify",
    reason: "repair → verify",
    progress: ["code_change"],
  }),
  {
    type: "edit_refused",
    at: "2026-11-21T10:05:50.000Z",
    from: "verify",
    to: "done",
    reason: "done is set by the runner alone",
    kept: "artifacts/edits/1.md",
  },
  verdict(6, {
    from: "review",
    proposed: "done",
    to: "done",
    reason: "review → done",
    gates: [
      { gate: "Every required check passed", ok: true, detail: "2 of 2 passed on the present fingerprint" },
      { gate: "The code is the verified code", ok: true, detail: "fingerprint aaaaaaaaaaaa" },
      { gate: "Candidate done", ok: true, detail: "yes" },
      { gate: "No open item in TASKS.md", ok: true, detail: "3 of 3 ticked" },
    ],
    checks: checksOf([
      check({ attribution: "fixed" }),
      check({ name: "lint" }),
      check({
        name: "export 10k rows",
        kind: "scenario",
        duration_ms: 12_400,
        log: "artifacts/passes/0006/validators/export-10k-rows.log",
      }),
    ]),
    proof: {
      grade: "unshown",
      passed: 3,
      failing: [],
      only_own: false,
      wrong: null,
      reason: "`proof.clean` is off",
      looked: [],
    },
  }),
];

export const artifacts: readonly ArtifactRow[] = [
  { path: "artifacts/export-10k.txt", href: "artifacts/export-10k.txt", size: 1874, sha256: print("c"), kind: "agent" },
  {
    path: "artifacts/memory use.csv",
    href: "artifacts/memory%20use.csv",
    size: 48_211,
    sha256: print("d"),
    kind: "agent",
  },
  {
    path: "artifacts/passes/0001/prompt.md",
    href: "artifacts/passes/0001/prompt.md",
    size: 9,
    sha256: print("e"),
    kind: "runner",
  },
];

export function sampleTask(changes: Partial<EvidenceInput> = {}): EvidenceInput {
  const features = [
    { feature: "Export as CSV", label: "real_working", proof: "artifacts/export-10k.txt" },
    { feature: "Export as XLSX", label: "blocked_hidden", proof: "" },
  ];
  const fields = {
    objective: "A customer exports 10,000 orders as CSV without the server running out of memory.",
    done_gate: "`npm test` passes, and the export of 10,000 rows stays below 64 MiB.",
    not_doing: "Other formats; the import.",
    current_result: "The export is streamed row by row; peak memory 31 MiB.",
    blockers: "none",
  };
  const state = stateView({ features }, fields);
  return {
    task: { id: "T-123", title: "Stream the CSV export" },
    userFacing: true,
    state,
    events,
    head: print("f"),
    artifacts,
    questions: { open: [], answered: false },
    moved: null,
    ...changes,
  };
}
