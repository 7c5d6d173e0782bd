import type { StateDocument } from "../../lib/documents/state.ts";
import type { FieldKey } from "../../lib/rules/state-view.ts";
import { fieldList, mustRead, sampleValues } from "./arrange.ts";

/** One way to write a field, and what everybody reads in it. */
export type Form = readonly [written: string, key: FieldKey, read: string];

export const phases: readonly Form[] = [
  ["- Phase: Verify", "phase", "verify"],
  ["- Phase: VERIFY", "phase", "verify"],
  ["- Phase: **Verify**", "phase", "verify"],
  ["- Phase: _verify_", "phase", "verify"],
  ["- Phase: `Verify`", "phase", "verify"],
  ['- Phase: "verify"', "phase", "verify"],
  ["- Phase: 'verify'", "phase", "verify"],
  ["- Phase: “verify”", "phase", "verify"],
  ["- Phase: verify.", "phase", "verify"],
  ["- Phase: **verify**.", "phase", "verify"],
  ["- Phase: verify ✅", "phase", "verify"],
  ["- Phase: 🔍 verify", "phase", "verify"],
  ["- Phase: :mag: verify", "phase", "verify"],
  ["- Phase: verify (ready for the checks)", "phase", "verify"],
  ["- Phase: verify (was implement)", "phase", "verify"],
  ["- Phase: verify (next: review)", "phase", "verify"],
  ["- Phase: verify [see log]", "phase", "verify"],
  ["- Phase: [verify]", "phase", "verify"],
  ["- Phase: (verify)", "phase", "verify"],
  ["- Phase: verify – the tests are written", "phase", "verify"],
  ["- Phase: verify - ready", "phase", "verify"],
  ["- Phase: verify, all tests written", "phase", "verify"],
  ["- Phase: verify; nothing is open", "phase", "verify"],
  ["- Phase: verify\n  - the tests are written", "phase", "verify"],
  ["- Phase:\n  verify", "phase", "verify"],
  ["- Phase: ~~implement~~ verify", "phase", "verify"],
  ["- Phase: ~~implement~~ **Verify**", "phase", "verify"],
  ["- Phase: verify <!-- was implement -->", "phase", "verify"],
  ["- Phase: verify phase", "phase", "verify"],
  ["- Phase: the Verify phase", "phase", "verify"],
  ["- Phase: verify!", "phase", "verify"],
  ["- Phase: needs user decision", "phase", "needs_user_decision"],
  ["- Phase: Needs User Decision", "phase", "needs_user_decision"],
  ["- Phase: needs-user-decision", "phase", "needs_user_decision"],
  ["- Phase: NEEDS_USER_DECISION", "phase", "needs_user_decision"],
  ["- Phase: NeedsUserDecision", "phase", "needs_user_decision"],
  ["- Phase: **needs user decision** (Q1)", "phase", "needs_user_decision"],
  ["- Phase: needs\\_user\\_decision", "phase", "needs_user_decision"],
  ["- Phase: Blocked (until the key arrives)", "phase", "blocked"],
  ["- Phase: blocked ⛔", "phase", "blocked"],
  ["- Phase: repair (once more)", "phase", "repair"],
  ["- Phase: Done", "phase", "done"],
  ["- **PHASE**: Review", "phase", "review"],
  ["- **Phase:** **Review**", "phase", "review"],
];

export const candidates: readonly Form[] = [
  ["- Candidate done: Yes", "candidate_done", "yes"],
  ["- Candidate done: YES", "candidate_done", "yes"],
  ["- Candidate done: yes.", "candidate_done", "yes"],
  ["- Candidate done: **yes**", "candidate_done", "yes"],
  ["- Candidate done: **Yes.**", "candidate_done", "yes"],
  ["- Candidate done: `yes`", "candidate_done", "yes"],
  ['- Candidate done: "Yes"', "candidate_done", "yes"],
  ["- Candidate done: yes ✅", "candidate_done", "yes"],
  ["- Candidate done: ✅ Yes", "candidate_done", "yes"],
  ["- Candidate done: ✓ yes", "candidate_done", "yes"],
  ["- Candidate done: yes :white_check_mark:", "candidate_done", "yes"],
  ["- Candidate done: yes (all checks pass)", "candidate_done", "yes"],
  ["- Candidate done: yes (no known failures)", "candidate_done", "yes"],
  ["- Candidate done: yes, all checks pass", "candidate_done", "yes"],
  ["- Candidate done: Yes — all 12 tests pass", "candidate_done", "yes"],
  ["- Candidate done: yes\n  (see artifacts/test.log)", "candidate_done", "yes"],
  ["- Candidate done: No", "candidate_done", "no"],
  ["- Candidate done: no (not yet)", "candidate_done", "no"],
  ["- Candidate done: no, not yet", "candidate_done", "no"],
  ["- Candidate done: No (pending the checks)", "candidate_done", "no"],
  ["- Candidate done: ❌ no", "candidate_done", "no"],
  ["- Candidate done: _no_", "candidate_done", "no"],
];

export const blockers: readonly Form[] = [
  ["- Blockers: n/a", "blockers", "none"],
  ["- Blockers: N/A", "blockers", "none"],
  ["- Blockers: N/A.", "blockers", "none"],
  ["- Blockers: -", "blockers", "none"],
  ["- Blockers: –", "blockers", "none"],
  ["- Blockers: None", "blockers", "none"],
  ["- Blockers: none.", "blockers", "none"],
  ["- Blockers: **None**", "blockers", "none"],
  ["- Blockers: _None._", "blockers", "none"],
  ["- Blockers: (none)", "blockers", "none"],
  ["- Blockers: _(none)_", "blockers", "none"],
  ["- Blockers: `none`", "blockers", "none"],
  ["- Blockers: none (all checks pass)", "blockers", "none"],
  ["- Blockers: none (as of 2026-01-31)", "blockers", "none"],
  ["- Blockers: no blockers", "blockers", "none"],
  ["- Blockers: No blockers.", "blockers", "none"],
  ["- Blockers: no known blockers", "blockers", "none"],
  ["- Blockers: There are no blockers.", "blockers", "none"],
  ["- Blockers: None at this time.", "blockers", "none"],
  ["- Blockers: none currently", "blockers", "none"],
  ["- Blockers: nothing", "blockers", "none"],
  ["- Blockers: none ✅", "blockers", "none"],
  ["- Blockers:\n  - none", "blockers", "none"],
  ["- Blockers: ~~no API key~~ none", "blockers", "none"],
];

/** A space behind the dash that Markdown does not take for one: the item's own mark is written anew. */
export const dashes: readonly Form[] = [
  ["-\u00a0Phase: verify", "phase", "verify"],
  ["-\u202fBlockers: none", "blockers", "none"],
  ["-\u00a0Objective\uff1aStream it: now", "objective", "Stream it: now"],
];

export const labels: readonly Form[] = [
  ["- Phases: verify", "phase", "verify"],
  ["- Objectives: Stream it", "objective", "Stream it"],
  ["- Objectiv: Stream it", "objective", "Stream it"],
  ["- Done gates: 50 MB", "done_gate", "50 MB"],
  ["- Done-gate: 50 MB", "done_gate", "50 MB"],
  ["- done_gate: 50 MB", "done_gate", "50 MB"],
  ["- **Done gates**: 50 MB", "done_gate", "50 MB"],
  ["- Reality constraint: Node 20", "reality_constraints", "Node 20"],
  ["- Validation plans: npm test", "validation_plan", "npm test"],
  ["- Validaton plan: npm test", "validation_plan", "npm test"],
  ["- Current results: built", "current_result", "built"],
  ["- Next steps: verify it", "next_step", "verify it"],
  ["- Next Steps: verify it", "next_step", "verify it"],
  ["- Blocker: none", "blockers", "none"],
  ["- Phase\uff1averify", "phase", "verify"],
  ["- **Phase**\uff1a verify", "phase", "verify"],
  ["- Objective\uff1aStream it: now", "objective", "Stream it: now"],
  ["- Blocker: N/A", "blockers", "none"],
  ["- Evidence locations: artifacts/", "evidence_location", "artifacts/"],
  ["- Candidates done: Yes", "candidate_done", "yes"],
  ["- Candidate Done (final): yes", "candidate_done", "yes"],
];

/** What a proposal says in a runner's field, which nobody judges. */
export const runners: readonly Form[] = [
  ["- Evidence link: see artifacts", "evidence_link", "see artifacts"],
  ["- Validator status: passed", "validator_status", "passed"],
  ["- Validator status: all green (12 of 12)", "validator_status", "all green (12 of 12)"],
  ["- Validator status:", "validator_status", ""],
  ["- Repair applied: n/a", "repair_applied", "n/a"],
  ["- Revalidation status: not needed", "revalidation_status", "not needed"],
  ["- Last updated: yesterday", "last_updated", "yesterday"],
  ["- Last updated: 2026-01-31", "last_updated", "2026-01-31"],
  ["- Last updated: 2026-01-31T10:00:00+02:00", "last_updated", "2026-01-31T10:00:00+02:00"],
  ["- Last updated:", "last_updated", ""],
];

export const ambiguousPhases = [
  "implement → verify",
  "implement -> verify",
  "implement ➡️ verify",
  "implement, verify",
  "implement and verify",
  "implement/verify",
  "verify or review",
  "verify (or review?)",
  "verify (or review)",
  "verify (review)",
  "verify?",
  "verify ❓",
  "maybe verify",
  "not verify",
  "verify – then review",
  "verify - moving on to review",
  "verify (→ review)",
  "verify (maybe)",
  "~~verify~~",
  "verify\n  - review",
  "verified",
  "verification",
  "ready for verify",
  "intake | shape | implement",
  "testing",
  "",
  "TBD",
  "[ ] verify",
  "[x] verify",
  "1",
];

export const ambiguousCandidates = [
  "true",
  "done",
  "y",
  "yes/no",
  "yes or no",
  "yes and no",
  "yes?",
  "yes, but the docs are missing",
  "yes (if CI passes)",
  "yes (once the key is there)",
  "yes (pending the checks)",
  "yes (not verified)",
  "yes – unless the build fails",
  "yes ❌",
  "no ✅",
  "[ ] yes",
  "[x] yes [ ] no",
  "almost",
  "not yes",
  "~~yes~~",
  "yes (no)",
  "",
];

export const stillBlocked = [
  "none, but the key is missing",
  "none (but the key is missing)",
  "none except the key",
  "no key",
  "nobody answers",
  "not yet known",
  "TBD",
  "?",
  "none?",
  "no blockers fixed",
];

/** The sample, with one line instead of that field's own. */
export function withLine(line: string, key: FieldKey): string {
  const lines = fieldList().trimEnd().split("\n");
  lines[Object.keys(sampleValues).indexOf(key)] = line;
  return `# State\n\n${lines.join("\n")}\n\n## Notes\n\n- Phrase: free\n`;
}

export function readForm([line, key]: Form): StateDocument {
  return mustRead(withLine(line, key));
}
