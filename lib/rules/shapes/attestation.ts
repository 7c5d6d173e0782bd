import * as v from "valibot";
import { about, recordOf, type Shape } from "../../text/shape.ts";
import { checkStatuses, grades } from "../words.ts";
import { flag, maybeFlag, maybeNumber, maybeText, number, text, texts } from "./values.ts";

const digests = v.object({ name: text, digest: about(recordOf(text), "by the name of the algorithm, in hex") });

const attestedCheck = v.object({
  cell: about(
    v.picklist(["repo", "clean", "old_checks", "without"]),
    "the repo, or the copy of the proof; a check of `without` is meant to fail",
  ),
  name: text,
  kind: v.picklist(["validator", "scenario"]),
  required: flag,
  status: v.picklist(checkStatuses),
  exit_code: maybeNumber,
  log: about(text, "relative to the task folder"),
  log_sha256: about(maybeText, "null if the log was not there"),
});

/** An in-toto Statement, v1, with the predicate test-result, v0.1: the payload of artifacts/attestation.json. */
export const statementShape = v.object({
  _type: v.literal("https://in-toto.io/Statement/v1"),
  subject: about(
    v.array(digests),
    "`code`: the fingerprint. `commit`: what was checked out when it was recorded, if the code was that of the commit",
  ),
  predicateType: v.literal("https://in-toto.io/attestation/test-result/v0.1"),
  predicate: v.object({
    result: about(v.picklist(["PASSED", "WARNED"]), "`WARNED` if a check that is not required did not pass"),
    configuration: about(v.array(digests), "the brief"),
    passedTests: texts,
    warnedTests: texts,
    failedTests: texts,
    taskPhase: v.object({
      task: about(text, "its id"),
      pass: number,
      at: about(text, "a time"),
      event_sha256: about(text, "of the line of the journal that says done, which holds the digest of all before it"),
      record_sha256: about(text, "of the pass.json of that pass"),
      began_from: about(maybeText, "the commit that was checked out when the task's first pass began"),
      commit: about(
        maybeText,
        "the commit that was checked out at the verdict: the newest before the one that holds it",
      ),
      dirty: about(maybeFlag, "whether the code differed from that commit"),
      grade: v.picklist(grades),
      headline: text,
      checks: v.array(attestedCheck),
    }),
  }),
});

export type Statement = Shape<typeof statementShape>;

/** artifacts/attestation.json: a DSSE envelope. */
export const envelopeShape = v.object({
  payloadType: text,
  payload: about(text, "the statement, in base64"),
  signatures: v.array(
    v.object({
      keyid: about(text, "the fingerprint of the key, as ssh-keygen -l shows it"),
      sig: about(text, "what `ssh-keygen -Y sign -n task-phase` made of the pre-authentication encoding, in base64"),
    }),
  ),
});

export type Envelope = Shape<typeof envelopeShape>;
