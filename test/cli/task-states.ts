import assert from "node:assert/strict";
import { renderState } from "../../lib/documents/templates/render-task-files.ts";
import { takeFingerprint } from "../../lib/git/fingerprint.ts";
import type { CheckRun } from "../../lib/rules/check-run.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { check, checkRun, verdictEvent } from "../rules/arrange.ts";

/** Fixed, so that two journals of the same events have the same bytes. */
export const at = "2026-01-02T03:04:05.000Z";

export interface StateSpec {
  readonly phase: Phase;
  /** Values by label, over those of a task in which every gate holds. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly features?: readonly (readonly [feature: string, label: string, proof: string])[];
  readonly findings?: readonly string[];
}

const filled = {
  Status: "at work",
  Objective: "The answer is exported",
  "Done gate": "The check passes",
  "Not doing": "none",
  "Reality constraints": "none",
  "Validation plan": "The runner runs the check",
  "Current result": "The answer is there",
  "Next step": "go on",
  Blockers: "none",
  "Candidate done": "yes",
};

/** A STATE.md of the template, filled so that every gate holds but where the spec says otherwise. */
export function stateFile(spec: StateSpec): string {
  const empty = renderState({ id: "T-1", title: "Export the answer", userFacing: true, now: at });
  const fields = withFields(empty, { ...filled, ...spec.fields, Phase: spec.phase });
  const rows = (spec.features ?? []).map((row) => `| ${row.join(" | ")} |\n`).join("");
  const items = (spec.findings ?? []).map((finding) => `- ${finding}\n`).join("");
  const withRows = fields.replace("| --- | --- | --- |\n", (line) => `${line}${rows}`);
  return items === "" ? withRows : withRows.replace("\n## Notes", () => `\n${items}\n## Notes`);
}

export const openQuestion = decisionsFile("");

/** A DECISIONS.md with one question, answered where an answer is given. */
export function decisionsFile(answer: string, id = "Q1"): string {
  return [
    `## ${id}: Which encoding?`,
    "",
    "- Asked in: shape, pass 1, 2026-01-02T03:04:05Z",
    "- Question: Which encoding does the export have?",
    "- Options: UTF-8 or Latin-1",
    "- Safe default:",
    "- Deadline:",
    `- Answer:${answer === "" ? "" : ` ${answer}`}`,
    "",
  ].join("\n");
}

type Place = { readonly state: string; readonly contract: string; readonly repo: string };

/** The events of a task that stands in this phase, as a runner would have written them. */
export async function eventsAt(phase: Phase, place: Place, fields: Partial<VerdictEvent> = {}): Promise<TaskEvent[]> {
  const { state, contract } = place;
  const start: TaskEvent = { type: "adopted", at, phase: "intake", state, contract_sha256: contract };
  const resume = (to: Phase): TaskEvent => ({ type: "resumed", at, from: "intake", to, reason: "arranged", state });
  switch (phase) {
    case "intake":
      return [start];
    case "review":
      return [start, resume("verify"), await verified(place, fields)];
    case "done":
      return [
        start,
        resume("verify"),
        await verified(place),
        verdictEvent("review", "done", place, { pass: 2, ...fields }),
      ];
    case "blocked":
    case "needs_user_decision":
      return [start, resume("implement"), verdictEvent("implement", phase, place, fields)];
    default:
      return [start, resume(phase)];
  }
}

async function verified(place: Place, fields: Partial<VerdictEvent> = {}): Promise<VerdictEvent> {
  return verdictEvent("verify", "review", place, { checks: await passedChecks(place.repo), ...fields });
}

/** The checks as they pass on what stands in the repo now. */
export async function passedChecks(repo: string): Promise<CheckRun> {
  const { hash } = await takeFingerprint(repo, []);
  const result = check({ duration_ms: 1, attribution: null, excerpt: "" });
  return checkRun([result], { fingerprint_before: hash, fingerprint_after: hash });
}

/** The value of a field of a STATE.md. */
export function fieldOf(text: string, label: string): string | null {
  return new RegExp(`^- ${label}: ?(.*)$`, "m").exec(text)?.[1] ?? null;
}

export function withFields(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((before, [label, value]) => {
    const line = new RegExp(`^- ${label}:.*$`, "m");
    assert.match(before, line);
    return before.replace(line, () => `- ${label}: ${value}`);
  }, text);
}
