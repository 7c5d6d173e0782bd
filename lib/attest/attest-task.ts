import { type FindSigner, signBytes } from "../git/ssh-keygen.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { type Finding, warningFinding } from "../report/finding.ts";
import { putFile } from "../store/put-file.ts";
import type { HeldTask } from "../task/session.ts";
import { encodeForSigning, payloadOf, writeEnvelope } from "./envelope.ts";
import { makeStatement } from "./make-statement.ts";

/**
 * Writes artifacts/attestation.json of a task that is done, once its verdict is durable. Whatever keeps it from being
 * signed is a finding, and changes no verdict. Throws TP_DISK.
 */
export async function attestTask({ place, journal }: HeldTask, id: string, findSigner: FindSigner): Promise<Finding[]> {
  const statement = makeStatement(place, id, journal);
  if (statement === null) return [];
  const failed = (why: string, fix: string | null) => [
    warningFinding("TP_SIGN", `the attestation was not written: ${why}`, { file: place.attestation, fix }),
  ];
  try {
    const signer = await findSigner();
    const payload = payloadOf(statement);
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
