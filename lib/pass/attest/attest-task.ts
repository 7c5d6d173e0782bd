import { createHash } from "node:crypto";
import { join } from "node:path";
import { type FindSigner, signBytes } from "../../git/ssh-keygen.ts";
import { readHistory } from "../../rules/add-event.ts";
import type { CheckResult } from "../../rules/check-run.ts";
import { headlineOf, isProven } from "../../rules/headline.ts";
import { type Envelope, envelopeShape, type Statement } from "../../rules/shapes/attestation.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { hashFile } from "../../store/hash-file.ts";
import { putFile } from "../../store/put-file.ts";
import { readPacked } from "../../task/pack-passes.ts";
import type { TaskJournal } from "../../task/records/task-journal.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import type { HeldTask } from "../../task/session.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import { sha256 } from "../../text/sha256.ts";
import { readShape } from "../../text/shape.ts";

/** After a durable `done`. A failure to sign is a finding, and changes no verdict. Throws TP_DISK. */
export async function attestTask({ place, journal }: HeldTask, id: string, findSigner: FindSigner): Promise<Finding[]> {
  const statement = makeStatement(place, id, journal);
  if (statement === null) return [];
  const failed = (why: string, fix: string | null) => [
    warningFinding("TP_SIGN", `the attestation was not written: ${why}`, { file: place.attestation, fix }),
  ];
  try {
    const signer = await findSigner();
    // The signed bytes, which are never made again from parsed values.
    const payload = Buffer.from(JSON.stringify(statement));
    const signed = await signBytes(signer, signer.key, "task-phase", encodeForSigning(payload));
    if (signed.kind === "failed") return failed(signed.why, attestAgain);
    putFile(place.attestation, writeEnvelope(payload, signed.signature, signer.publicKey));
    return [];
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName !== "config") throw error;
    return failed(error.message, error.findings[0]?.fix ?? attestAgain);
  }
}

const attestAgain = "task-phase doctor says whether the key works";

/** Reproducible from the task folder alone. Null if the journal does not say done. A bad pack is a data error. */
export function makeStatement(place: TaskPlace, id: string, journal: TaskJournal): Statement | null {
  const index = journal.events.findLastIndex(({ type }) => type === "verdict");
  const event = journal.events[index];
  if (event?.type !== "verdict" || !isProven(event)) return null;
  const { phase, lastVerdict } = readHistory(journal.events);
  if (phase !== "done" || !isProven(lastVerdict)) return null;
  const checks = listChecks(event, openLogs(place));
  const told = checks.filter(({ cell, held_out }) => cell === "repo" || (cell === "clean" && held_out));
  const named = (found: (check: (typeof told)[number]) => boolean) => told.filter(found).map(({ name }) => name);
  const warned = named(({ required, status }) => !required && status !== "pass");
  const { commit, dirty } = event.code ?? { commit: null, dirty: null };
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      { name: "code", digest: { taskPhaseFingerprint: event.fingerprint.present ?? event.fingerprint.after } },
      ...(commit !== null && dirty === false ? [{ name: "commit", digest: { gitCommit: commit } }] : []),
    ],
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: {
      result: warned.length === 0 ? "PASSED" : "WARNED",
      configuration: [{ name: "README.md", digest: { sha256: event.contract_sha256 } }],
      passedTests: named(({ status }) => status === "pass"),
      warnedTests: warned,
      failedTests: named(({ required, status }) => required && status !== "pass"),
      taskPhase: {
        task: id,
        pass: event.pass,
        at: event.at,
        event_sha256: sha256(lineOf(journal.bytes, index)),
        record_sha256: event.record_sha256,
        began_from: findStart(journal),
        commit,
        dirty,
        grade: event.proof.grade,
        headline: headlineOf(lastVerdict.proof).text,
        checks: checks.map(({ held_out: _, ...check }) => check),
      },
    },
  };
}

type AttestedCheck = Statement["predicate"]["taskPhase"]["checks"][number];

function listChecks(
  { checks, matrix }: VerdictEvent,
  digestOf: (log: string) => string | null,
): (AttestedCheck & { readonly held_out: boolean })[] {
  const rows = (cell: AttestedCheck["cell"], results: readonly CheckResult[] = []) =>
    results.map(({ name, kind, required, status, exit_code, log, held_out = false }) => ({
      ...{ cell, name, kind, required, status, exit_code, log, log_sha256: digestOf(log), held_out },
    }));
  return [
    ...rows("repo", checks?.results),
    ...rows("clean", matrix?.clean?.results),
    ...rows("old_checks", matrix?.old_checks?.results),
    ...rows("without", matrix?.without?.results),
  ];
}

/** From the file, else the pack of `keep: proof`. */
function openLogs(place: TaskPlace): (log: string) => string | null {
  const packed = readPacked(place);
  return (log) => {
    const read = hashFile(join(place.taskDir, log));
    if (read.kind === "file") return read.sha256;
    const text = packed.get(log);
    return text === undefined ? null : sha256(text);
  };
}

function findStart({ events }: TaskJournal): string | null {
  const start = events.find(({ type }) => type === "pass_started");
  return start?.type === "pass_started" ? (start.head_commit ?? null) : null;
}

function lineOf(bytes: Buffer, index: number): Buffer {
  let from = 0;
  for (let line = 0; line < index; line += 1) from = bytes.indexOf(0x0a, from) + 1;
  const end = bytes.indexOf(0x0a, from);
  return bytes.subarray(from, end < 0 ? bytes.length : end);
}

const payloadType = "application/vnd.in-toto+json";

export function encodeForSigning(payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

function writeEnvelope(payload: Buffer, signature: string, publicKey: string): string {
  const envelope: Envelope = {
    payloadType,
    payload: payload.toString("base64"),
    signatures: [{ keyid: keyId(publicKey), sig: Buffer.from(signature).toString("base64") }],
  };
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

type ReadEnvelope =
  | { readonly kind: "envelope"; readonly payload: Buffer; readonly signature: string }
  | { readonly kind: "bad"; readonly problem: string };

/** Accepts one payload of our type with one signature in plain base64; anything else would be ambiguous. */
export function readEnvelope(bytes: Buffer): ReadEnvelope {
  const read = readShape(envelopeShape, bytes);
  if (read.kind !== "read") return { kind: "bad", problem: read.problem };
  const { value } = read;
  const [signature, ...more] = value.signatures;
  if (value.payloadType !== payloadType)
    return { kind: "bad", problem: `its payloadType must be ${payloadType}, found '${value.payloadType}'` };
  if (signature === undefined || more.length > 0)
    return { kind: "bad", problem: `it must have one signature, found ${value.signatures.length}` };
  const [payload, sig] = [decode(value.payload), decode(signature.sig)];
  if (payload === null || sig === null) return { kind: "bad", problem: "payload and signature must be base64" };
  return { kind: "envelope", payload, signature: sig.toString("latin1") };
}

function decode(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}

/** In the form that `ssh-keygen -l` shows. */
function keyId(publicKey: string): string {
  const [, key = ""] = publicKey.split(" ");
  const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}
