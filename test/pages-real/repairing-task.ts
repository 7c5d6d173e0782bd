import type { CheckResult } from "../../lib/rules/check-run.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { stateFile } from "../cli/task-states.ts";
import { code } from "../pages/full-task.ts";
import { check, events, verdict } from "../pages/sample-task.ts";
import { paintPng } from "./paint-png.ts";
import { coloured, patch } from "./repairing-files.ts";
import type { TaskFolder } from "./task-folder.ts";

/** Sent back to repair: failed checks, open tickets, watched changes, unknown costs, a reviewer, and an edited brief. */
export function repairingTask(): TaskFolder {
  return {
    name: "T-2",
    title: "Stream the CSV export while the orders are still being read",
    events: [...events.slice(0, 5), ...review(), sentBack],
    files: [
      ["artifacts/export-10k.txt", "id,total\n1,2.50\n"],
      [
        "artifacts/screens/export page.png",
        paintPng(720, 420, [
          [28, 98, 160],
          [240, 240, 236],
        ]),
      ],
      ["artifacts/passes/0003/task.patch", patch],
      ["artifacts/passes/0007/changes.patch", patch.replace("64", "128")],
      ["artifacts/passes/0007/validators/tests.log", coloured],
      ["artifacts/passes/0007/stdout.log", `${coloured}\nThe rows are streamed now.\n`],
      ["artifacts/passes/0007/stderr.log", "warning: one model was slow\n"],
      ["artifacts/passes/0007/validators/lint.log", "$ npm run lint\n\nno problem\n"],
      ["artifacts/passes/0007/validators/memory.log", ""],
    ],
  };
}

const results: readonly CheckResult[] = [
  check({
    command: ["npm", "test", "--", "--grep", "streams 10,000 rows"],
    status: "fail",
    exit_code: 1,
    attribution: "regressed",
    log: "artifacts/passes/0007/validators/tests.log",
    excerpt: "not ok 7 - streams 10,000 rows without holding them\n  expected: < 64 MiB\n  actual: 410 MiB",
  }),
  check({ name: "lint", command: ["npm", "run", "lint"], log: "artifacts/passes/0007/validators/lint.log" }),
  check({
    name: "memory",
    kind: "scenario",
    status: "timeout",
    exit_code: null,
    signal: "SIGKILL",
    attribution: null,
    duration_ms: 600_000,
    log: "artifacts/passes/0007/validators/memory.log",
    excerpt: "",
  }),
];

function review(): readonly TaskEvent[] {
  const tokens = { input: 4_000, output: 310 };
  const unknown = verdict(5, { from: "verify", to: "verify", cost_usd: null, tokens: { input: null, output: null } });
  return [
    {
      ...unknown,
      verdict: "unavailable",
      model: "other",
      reason: "other is rate-limited until 10:40 UTC",
      progress: [],
    },
    verdict(6, { from: "verify", to: "verify", cost_usd: 0.06, tokens, model: "other", duration_ms: 1_261_000 }),
    {
      type: "reviewed",
      at: "2026-11-21T10:06:40.000Z",
      pass: 7,
      phase: "verify",
      role: "security",
      fingerprint: "a".repeat(64),
      frame: "F".repeat(64),
      problem: null,
      findings: [
        { severity: "blocking", text: "A note that begins with `=` is run as a formula by the spreadsheet." },
        { severity: "minor", text: "The name of the file is not quoted in the header." },
      ],
      model: "other",
      estimate_usd: null,
      end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
      duration_ms: 42_000,
      cost_usd: 0.02,
      tokens,
    },
    {
      type: "brief_changed",
      at: "2026-11-21T10:06:50.000Z",
      was: "1".repeat(64),
      contract_sha256: "2".repeat(64),
      keys: ["validators", "text"],
      state: stateFile({ phase: "verify" }),
    },
  ];
}

const sentBack: TaskEvent = verdict(7, {
  from: "verify",
  proposed: "review",
  to: "repair",
  verdict: "redirected",
  reason: "validator tests did not pass (exit 1, regressed)",
  progress: ["code_change"],
  gates: [
    { gate: "At least one required validator ran", ok: true, detail: "tests, lint" },
    { gate: "validator tests passes", ok: false, detail: "exit code 1, regressed against `before`" },
    { gate: "Nothing watched stands open", ok: false, detail: "package.json#scripts.lint was changed" },
  ],
  checks: { fingerprint_before: "a", fingerprint_after: "b".repeat(64), attempts: 2, moved: ["coverage/x"], results },
  tickets: [
    { id: "validator:tests", source: "validator", name: "tests", text: `validator tests\n${results[0]?.excerpt}` },
    { id: "scenario:memory", source: "scenario", name: "memory", text: "scenario memory did not end in 10 minutes" },
    { id: "reviewer:security:1", source: "reviewer", name: "security", text: "A note may be run as a formula." },
  ],
  watched: [
    {
      name: "package.json#scripts.lint",
      kind: "script",
      change: "changed",
      detail: 'was "oxlint --deny-warnings src", is "true"',
      digest: "d".repeat(64),
      side: "checks",
      answer: null,
    },
    {
      name: "test/export.test.js",
      kind: "test",
      change: "changed",
      detail: "2 lines differ",
      digest: "e".repeat(64),
      side: "checks",
      answer: "accepted",
    },
    {
      name: "/usr/local/bin/npm",
      kind: "executable",
      change: "changed",
      detail: "other bytes than at pass 1",
      digest: "f".repeat(64),
      side: "outside",
      answer: "refused",
    },
  ],
  changed_paths: [
    { path: "src/export.js", change: "changed" },
    { path: "test/export.test.js", change: "added" },
  ],
  code,
  cost_usd: null,
  duration_ms: 754_000,
  state: stateFile({
    phase: "repair",
    fields: {
      Objective: "A customer exports 10,000 orders as CSV without the server running out of memory.",
      "Done gate": "`npm test` passes, and the export of 10,000 rows stays below 64 MiB.",
      "Current result": "The export is streamed, and one test holds all rows in memory.",
    },
    features: [
      ["Export as CSV", "real_working", "[sample](artifacts/export-10k.txt)"],
      ["Export as XLSX", "blocked_hidden", ""],
    ],
  }),
});
