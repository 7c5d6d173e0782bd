import { type AgentEvidence, withFeatures } from "../documents/evidence-file.ts";
import { taskFiles } from "../documents/read-task-file.ts";
import { editState, readState, type StateDocument, writePlain } from "../documents/state.ts";
import type { Proposal } from "../rules/facts.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { TaskSession } from "../task/session.ts";
import { TaskPhaseError } from "../text/errors.ts";

export interface ReadProposal {
  readonly proposal: Proposal;
  readonly document: StateDocument | null;
  readonly bytes: Buffer | null;
  readonly secrets: readonly string[];
}

/** `evidence`: what the agent left in EVIDENCE.md. */
export function readProposal(
  { place, ports }: Pick<TaskSession, "place" | "ports">,
  evidence: AgentEvidence,
): ReadProposal {
  const read = readRegularFile(place.state, taskFiles.state.maxBytes);
  const unreadable = (problems: readonly string[], bytes: Buffer | null, secrets: readonly string[]): ReadProposal => ({
    ...{ proposal: { kind: "unreadable", problems }, document: null, bytes, secrets },
  });
  if (read.kind !== "file")
    return unreadable([`STATE.md is not a readable regular file (${read.kind.replace("_", " ")})`], null, []);
  const secrets = [...new Set(ports.redactor.findSecrets(read.bytes.toString("utf8")).map((hit) => hit.shape))];
  const state = readState(read.bytes, "STATE.md");
  if (state.kind === "unreadable") {
    const problems = state.findings.map(
      ({ line, column, message, fix }) =>
        `${["STATE.md", line, column].filter((part) => part !== null).join(":")}: ${message}${fix === null ? "" : ` (${fix})`}`,
    );
    return unreadable(problems, read.bytes, secrets);
  }
  const problem = refusesEdits(state.document);
  if (problem !== null) return unreadable([problem], read.bytes, secrets);
  return {
    proposal: { kind: "read", state: withFeatures(state.document.view, evidence) },
    document: state.document,
    bytes: read.bytes,
    secrets,
  };
}

/** What the runner proposes where it needs no model: what a person's answer held back, else that the checks decide. */
export function proposeMove(
  answered: StateDocument | null,
  document: StateDocument,
  evidence: AgentEvidence,
): ReadProposal {
  const proposed = answered ?? editState(document, { phase: "review" });
  return {
    proposal: { kind: "read", state: withFeatures(proposed.view, evidence) },
    document: proposed,
    bytes: null,
    secrets: [],
  };
}

/** A form that the runner cannot write its own values into is not a STATE.md, however it reads. */
function refusesEdits(document: StateDocument): string | null {
  const trial = {
    phase: "blocked",
    blockers: "trial",
    evidence_link: "[trial](trial)",
    validator_status: "fail",
    repair_applied: "yes",
    revalidation_status: "fail",
    last_updated: "1970-01-01T00:00:00.000Z",
  };
  try {
    editState(writePlain(document), trial);
    return null;
  } catch (error) {
    if (error instanceof TaskPhaseError)
      return `STATE.md cannot be edited: ${error.message}; write each field as a plain line \`- Label: value\``;
    throw error;
  }
}
