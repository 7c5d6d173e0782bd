import type { EvidenceInput } from "../../lib/pages/model/build-model.ts";
import type { ReviewedEvent, TaskEvent } from "../../lib/rules/events.ts";
import type { HostedCode } from "../../lib/rules/verdict-event.ts";
import type { WatchedChange } from "../../lib/rules/watched.ts";
import { check, events as sampleEvents, sampleTask, verdict } from "./sample-task.ts";

/** The sample with all that a task can have: watched changes and an answer, reviewers, a changed brief, a commit. */

export const commit = "0f1e2d3c4b5a69788796a5b4c3d2e1f001234567";

export const code: HostedCode = {
  commit,
  branch: "feature/csv",
  dirty: true,
  web: "https://git.example/shop/app",
  kind: "gitea",
  pushed: false,
};

export function change(changes: Partial<WatchedChange> = {}): WatchedChange {
  return {
    name: "test/export.test.js",
    kind: "test",
    change: "changed",
    detail: "1 of 4 assertions is gone",
    digest: "d1",
    side: "checks",
    answer: null,
    ...changes,
  };
}

/** One of each standing: refused, accepted, shown and open. */
export const watched: readonly WatchedChange[] = [
  change(),
  change({
    name: "package.json#scripts.test",
    kind: "script",
    change: "changed",
    detail: "true, was npm t",
    digest: "d2",
  }),
  change({ name: "test/added.test.js", change: "added", detail: "12 lines", digest: "d3" }),
  change({
    name: ".mocharc.yml",
    kind: "setting",
    change: "changed",
    detail: "bail",
    digest: "d4",
    side: "checks",
    answer: "refused",
  }),
];

export function reviewed(role: string, changes: Partial<ReviewedEvent> = {}): ReviewedEvent {
  return {
    type: "reviewed",
    at: "2026-11-21T10:07:10.000Z",
    pass: 7,
    phase: "review",
    role,
    fingerprint: "a".repeat(64),
    frame: "F",
    problem: null,
    findings: [],
    model: "second",
    estimate_usd: null,
    end: { kind: "exited", exit_code: 0, signal: null, result_event: true },
    duration_ms: 9_000,
    cost_usd: 0.05,
    tokens: { input: 900, output: 80 },
    ...changes,
  };
}

const commands = [
  check({ command: ["npm", "test", "--", "--grep", "rows > 10"] }),
  check({
    name: "lint",
    required: false,
    status: "fail",
    exit_code: null,
    signal: "SIGKILL",
    attribution: "regressed",
  }),
];

export const events: readonly TaskEvent[] = [
  ...sampleEvents.slice(0, 1),
  {
    type: "watched",
    at: "2026-11-21T10:00:10.000Z",
    pass: 1,
    file: "w.json",
    sha256: "w",
    count: 14,
    origin: null,
    dependencies: null,
    held_out: {},
  },
  ...sampleEvents.slice(1, -1),
  {
    type: "brief_changed",
    at: "2026-11-21T10:06:00.000Z",
    was: "1".repeat(64),
    contract_sha256: "2".repeat(64),
    keys: ["validators", "text"],
    state: "",
  },
  {
    type: "watch_answered",
    at: "2026-11-21T10:06:40.000Z",
    question: "Q3",
    accepted: true,
    changes: [{ name: "package.json#scripts.test", digest: "d2" }],
    tickets: [],
  },
  {
    type: "pass_started",
    at: "2026-11-21T10:07:00.000Z",
    pass: 7,
    phase: "review",
    model: "mine",
    estimate_usd: null,
    prompt_sha256: "p",
    fingerprint: "f",
    run: null,
    timeout_ms: 60_000,
    tier: "cheap",
    degrade: ["cheap_tier", "small_context"],
  },
  reviewed("security", {
    findings: [
      { severity: "minor", text: "The header is not set." },
      { severity: "blocking", text: "Anybody can export the orders of another customer." },
    ],
  }),
  reviewed("tests", { problem: "its last line is no report", cost_usd: null }),
  reviewed("usability", { fingerprint: "old", findings: [{ severity: "blocking", text: "The button has no name." }] }),
  verdict(7, {
    from: "review",
    proposed: "done",
    to: "repair",
    verdict: "redirected",
    reason: "a reviewer's blocking finding is open",
    gates: [{ gate: "Every blocking finding is closed", ok: false, detail: "security: 1" }],
    checks: { fingerprint_before: "a", fingerprint_after: "a".repeat(64), attempts: 1, moved: [], results: commands },
    watched,
    code,
  }),
];

export function fullTask(changes: Partial<EvidenceInput> = {}): EvidenceInput {
  return sampleTask({ events, ...changes });
}
