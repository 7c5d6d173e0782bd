import assert from "node:assert/strict";
import { test } from "node:test";
import { signedHeaders, signingKey } from "../../lib/notify/send-webhook.ts";

test("a secret signs with its UTF-8 bytes, or with those that the base64 after whsec_ stands for", () => {
  assert.deepEqual(signingKey(" plain\n"), Buffer.from("plain"));
  assert.deepEqual(signingKey("whsec_AAEC"), Buffer.from([0, 1, 2]));
  for (const bad of ["", "  ", "whsec_", "whsec_a b", "whsec_=", "whsec_a_b-"])
    assert.equal(signingKey(bad), null, bad);
});

test("the signature is the one that the reference libraries of Standard Webhooks are tested with", () => {
  const headers = signedHeaders(
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    new Date(1_614_265_330_900),
    '{"test": 2432232314}',
    signingKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
  );
  assert.deepEqual(headers, {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("without a key there is an id and a time, and no signature", () => {
  assert.deepEqual(signedHeaders("msg_1", new Date(0), "{}", null), {
    "webhook-id": "msg_1",
    "webhook-timestamp": "0",
  });
});
