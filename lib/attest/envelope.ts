import { createHash } from "node:crypto";
import { type Envelope, envelopeShape, type Statement } from "../shapes/attestation.ts";
import { readShape } from "../text/shape.ts";

export const payloadType = "application/vnd.in-toto+json";

/** What is signed of a payload: DSSE v1's pre-authentication encoding. */
export function encodeForSigning(payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** The bytes of a statement, which are what counts: they are never made again from what was read. */
export function payloadOf(statement: Statement): Buffer {
  return Buffer.from(JSON.stringify(statement));
}

export function writeEnvelope(payload: Buffer, signature: string, publicKey: string): string {
  const envelope: Envelope = {
    payloadType,
    payload: payload.toString("base64"),
    signatures: [{ keyid: keyId(publicKey), sig: Buffer.from(signature).toString("base64") }],
  };
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

export type ReadEnvelope =
  | { readonly kind: "envelope"; readonly payload: Buffer; readonly signature: string }
  | { readonly kind: "bad"; readonly problem: string };

/** One payload of our type with one signature, in plain base64; anything else could be read in two ways. */
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

/** As `ssh-keygen -l` shows it. */
function keyId(publicKey: string): string {
  const [, key = ""] = publicKey.split(" ");
  const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `SHA256:${digest.replace(/=+$/, "")}`;
}
