import assert from "node:assert/strict";
import { type ReadControl, readControl } from "../../lib/documents/control.ts";
import { type ContractRead, readContract } from "../../lib/documents/read-contract.ts";
import { readState, type StateDocument } from "../../lib/documents/state.ts";
import { type FieldKey, stateFields } from "../../lib/rules/state-view.ts";
import type { Finding } from "../../lib/text/finding.ts";

export const sampleValues: Readonly<Record<FieldKey, string>> = {
  phase: "implement",
  status: "working",
  next_step: "Write the stream",
  blockers: "none",
  objective: "Stream the export",
  done_gate: "A 1 GB export uses 50 MB",
  not_doing: "none",
  reality_constraints: "Node 20",
  validation_plan: "npm test",
  current_result: "",
  evidence_location: "artifacts/",
  evidence_link: "",
  candidate_done: "no",
  validator_status: "pending",
  repair_applied: "no",
  revalidation_status: "pending",
  last_updated: "2026-01-31T10:00:00Z",
};

/** The list of fields as `init` writes it, some values replaced. */
export function fieldList(values: Partial<Record<FieldKey, string>> = {}): string {
  return stateFields
    .map(({ key, label }) => `- ${label}: ${values[key] ?? sampleValues[key]}`.trimEnd())
    .join("\n")
    .concat("\n");
}

/** The document of a text that must be readable. */
export function mustRead(text: string | Buffer): StateDocument {
  const read = readState(typeof text === "string" ? Buffer.from(text) : text, "STATE.md");
  assert.deepEqual(read.kind === "unreadable" ? read.findings : [], []);
  if (read.kind !== "state") assert.fail("not readable");
  return read.document;
}

/** The findings of a text that must not be readable, as `CODE line:column message`. */
export function problems(text: string | Buffer): string[] {
  const read = readState(typeof text === "string" ? Buffer.from(text) : text, "STATE.md");
  if (read.kind !== "unreadable") assert.fail("readable");
  return read.findings.map(showFinding);
}

export function showFinding(finding: Finding): string {
  return `${finding.code} ${finding.line}:${finding.column} ${finding.message}`;
}

/** DECISIONS.md with an open question. */
export const openQuestion = `## Q1: Which encoding?
- Asked in: shape, pass 2, 2026-11-21T10:00:00Z
- Question: UTF-8 or Latin-1?
- Options: both work
- Safe default: UTF-8
- Deadline: 2026-11-21T10:10:00Z
- Answer:
`;

/** The contract of a front matter with an id and a title, whose keys begin on line 4 of the file. */
export const readYaml = (yaml: string, defaults = {}) =>
  readContract(`id: T-1\ntitle: A title\n${yaml}\n`, "README.md", defaults);

/** `exit: CODE line:column message → fix` of each finding. */
export function contractProblems(found: ContractRead): string[] {
  if (found.kind !== "bad") return assert.fail("readable");
  return found.findings.map((finding) => `${found.exit}: ${showFinding(finding)} → ${finding.fix}`);
}

export function mustReadControl(text: string | Buffer): ReadControl {
  const control = readControl(typeof text === "string" ? Buffer.from(text) : text, "CONTROL.md");
  return control.kind === "control" ? control : assert.fail(control.findings[0]?.message);
}

/** As `line COMMAND`, with what the runner noted. */
export function openCommands(text: string): string[] {
  return mustReadControl(text).open.map(({ command, line, seen }) => `${line} ${command}${seen ? " seen" : ""}`);
}
