// Whether a webhook of task-phase is genuine: `body` is the text as it arrived, before any JSON parser; `headers` have lower-case
// names, as in `request.headers`. Also drop what has a `webhook-id` that you have seen.
import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuine(headers, body, secret, nowMs = Date.now()) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  // A message that somebody recorded must not count again tomorrow.
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= 300)) return false;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(" ").some((entry) => {
    const [version, base64 = ""] = entry.split(",");
    const given = Buffer.from(base64, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
