import { createHmac } from "node:crypto";

const prefix = "whsec_";

/**
 * The bytes with which a secret signs: of `whsec_BASE64` those that the base64 stands for, as Standard Webhooks
 * serialises secrets; else the UTF-8 of the text. Space around it, such as the line break at the end of a file, is not
 * part of it. Null if nothing is left, or where what follows `whsec_` is not base64.
 */
export function signingKey(secret: string): Buffer | null {
  const text = secret.trim();
  if (!text.startsWith(prefix)) return text === "" ? null : Buffer.from(text);
  const base64 = text.slice(prefix.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  return Buffer.from(base64, "base64");
}

/** The headers of Standard Webhooks 1.0.0: the signature is over `id.timestamp.body`. Without a key there is none. */
export function signedHeaders(id: string, at: Date, body: string, key: Buffer | null): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (key === null) return headers;
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}
