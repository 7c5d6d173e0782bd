import type { AllowedSigners } from "../../git/signatures.ts";
import { type SshKeygen, verifyBytes } from "../../git/ssh-keygen.ts";
import { readHistory } from "../../rules/add-event.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { readTaskJournal } from "../../task/records/task-journal.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { orIfForeseen } from "../../text/attempt.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";
import { isObject, objectAt, parseObject } from "../../text/json-object.ts";
import { shorten } from "../../text/shorten.ts";
import { encodeForSigning, makeStatement, readEnvelope } from "./attest-task.ts";

interface CheckedAttestation {
  readonly findings: readonly Finding[];
  readonly signer: string | null;
}

const maxBytes = 16 * 1024 * 1024;
const maxDifferences = 50;

/**
 * Whether a trusted signer stated exactly what the task folder says: the journal's done, the fingerprint, the results
 * and the logs. Needs no repository and no network. Changes nothing.
 */
export async function checkAttestation(
  place: TaskPlace,
  id: string,
  { tool, allowedSigners }: { readonly tool: SshKeygen; readonly allowedSigners: AllowedSigners },
): Promise<CheckedAttestation> {
  const file = place.attestation;
  const wrong = (code: string, message: string, fix: string | null = null) =>
    errorFinding(code, message, { file, fix });
  const alone = (finding: Finding): CheckedAttestation => ({ findings: [finding], signer: null });
  const read = readRegularFile(file, maxBytes);
  if (read.kind === "missing")
    return alone(wrong("TP_ATTESTATION_MISSING", "there is no attestation", "with `sign: ssh` a task gets it at done"));
  if (read.kind !== "file") return alone(wrong("TP_ATTESTATION", `the attestation cannot be read: ${read.kind}`));
  const envelope = readEnvelope(read.bytes);
  if (envelope.kind === "bad")
    return alone(wrong("TP_ATTESTATION", `the attestation is not an envelope with one statement: ${envelope.problem}`));
  const statement = parseObject(envelope.payload.toString("utf8"));
  const at = new Date(String(objectAt(statement, "predicate", "taskPhase")?.at));
  if (statement === null || Number.isNaN(at.getTime()))
    return alone(wrong("TP_ATTESTATION", "the attestation holds no statement of task-phase"));
  const verified = await verifyBytes(tool, {
    bytes: encodeForSigning(envelope.payload),
    signature: envelope.signature,
    namespace: "task-phase",
    allowedSigners: allowedSigners.text,
    at,
  });
  const findings = compareWithFolder(place, id, statement, wrong);
  if (verified.kind === "good") return { findings, signer: verified.principal };
  const signed =
    verified.kind === "stranger"
      ? wrong(
          "TP_ATTESTATION_SIGNER",
          `its signer ${verified.key} was not allowed by ${allowedSigners.file} at its date`,
        )
      : wrong("TP_ATTESTATION_SIGNATURE", `its signature is not valid: ${verified.why}`);
  return { findings: [signed, ...findings], signer: null };
}

/** An unreadable journal is reported elsewhere. */
export function saysDone({ journal }: TaskPlace): boolean {
  return orIfForeseen(() => readHistory(readTaskJournal(journal)?.events ?? []).phase === "done", false);
}

function compareWithFolder(
  place: TaskPlace,
  id: string,
  statement: unknown,
  wrong: (code: string, message: string, fix?: string | null) => Finding,
): Finding[] {
  const differs = (what: string) =>
    wrong("TP_ATTESTATION_DIFFERS", what, "restore the task folder, for example from git");
  try {
    const journal = readTaskJournal(place.journal);
    const expected = journal === null ? null : makeStatement(place, id, journal);
    if (expected === null) return [differs("the attestation says that the task is done, and its journal does not")];
    const all = listDifferences(expected, statement, "");
    const shown = all.slice(0, maxDifferences).map(differs);
    return all.length === shown.length ? shown : [...shown, differs(`${all.length - shown.length} more differences`)];
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    return [...error.findings];
  }
}

/** One line for each differing value; `place` is its path in the statement. */
function listDifferences(folder: unknown, said: unknown, place: string): string[] {
  if (isObject(folder) && isObject(said)) {
    const keys = [...new Set([...Object.keys(folder), ...Object.keys(said)])];
    return keys.flatMap((key) => listDifferences(folder[key], said[key], place === "" ? key : `${place}.${key}`));
  }
  if (Array.isArray(folder) && Array.isArray(said)) {
    const longest = Array.from({ length: Math.max(folder.length, said.length) }, (_value, index) => index);
    return longest.flatMap((index) => listDifferences(folder[index], said[index], `${place}[${index}]`));
  }
  if (folder === said) return [];
  return [`${shorten(place, 80)}: the attestation says ${show(said)}, the task folder ${show(folder)}`];
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : shorten(JSON.stringify(value), 100);
}
