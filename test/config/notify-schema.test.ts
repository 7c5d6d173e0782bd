import assert from "node:assert/strict";
import { test } from "node:test";
import { toNotifyConfig } from "../../lib/config/notify-schema.ts";
import { inPlace, refuses } from "./arrange.ts";

const writeUrl = "write a URL such as https://hooks.example.com/task-phase";
const writeName = "write a name such as TASK_PHASE_WEBHOOK_SECRET";
const webhook = (problem: string, fix = writeUrl) => `TP_CONFIG_VALUE 1:20 \`notify.webhook\` ${problem} → ${fix}`;
const secret = (problem: string) => `TP_CONFIG_VALUE 1:23 \`notify.secret_env\` ${problem} → ${writeName}`;
const noUrl = "must be a whole URL of plain characters, without spaces";
const noName = "must be the name of an environment variable, never its value";
const credentials = "must not contain a user name or a password";
const takeOut = "remove them; the signature of `secret_env` identifies the sender";

// None of them shows the value: it may be the key of the webhook.
refuses([
  ["notify: { webhook: 5 }", webhook("must be a URL in quotes")],
  ["notify: { webhook: hooks.example.com/x }", webhook(noUrl)],
  ["notify: { webhook: 'https://hooks.example.com/a b' }", webhook(noUrl)],
  ["notify: { webhook: 'https://hooks.exämple.com/' }", webhook(noUrl)],
  ['notify: { webhook: "https://hooks.example.com/\\n" }', webhook(noUrl)],
  ["notify: { webhook: '' }", webhook(noUrl)],
  ["notify: { webhook: 'https://' }", webhook(noUrl)],
  ["notify: { webhook: 'file:///etc/passwd' }", webhook("must begin with https:// or http://")],
  ["notify: { webhook: 'javascript:alert(1)' }", webhook("must begin with https:// or http://")],
  [`notify: { webhook: 'https://a.example/${"x".repeat(2_040)}' }`, webhook("must have at most 2048 characters")],
  ["notify: { webhook: 'https://me:pw@a.example/' }", webhook(credentials, takeOut)],
  ["notify: { webhook: 'https://me@a.example/' }", webhook(credentials, takeOut)],
  [
    "notify: { ping: 'ftp://a.example/' }",
    `TP_CONFIG_VALUE 1:17 \`notify.ping\` must begin with https:// or http:// → ${writeUrl}`,
  ],
  ["notify: { secret_env: 'whsec_AAEC+' }", secret(noName)],
  ["notify: { secret_env: 5 }", secret(noName)],
  [
    "notify: { secret_env: WEBHOOK }",
    secret("must be a name that marks it as a secret, so that its value is kept out of logs"),
  ],
  [
    "notify: https://hooks.example.com/T0/B0/key",
    "TP_CONFIG_VALUE 1:9 `notify` must be a map with webhook, secret_env and ping → write notify: { webhook: https://hooks.example.com/task-phase }",
  ],
  [
    "notify: { webhok: null }",
    "TP_CONFIG_UNKNOWN_KEY 1:11 `notify.webhok` is not a known key → did you mean `webhook`?",
  ],
]);

test("what is written is what is told to; what is missing or null is nowhere", () => {
  const nowhere = { webhookUrl: null, secretEnv: null, pingUrl: null };
  assert.deepEqual([undefined, null, {}].map(toNotifyConfig), [nowhere, nowhere, nowhere]);
  inPlace(({ write, load }) => {
    write(
      "work/task-phase.yaml",
      "notify: { webhook: null, secret_env: TASK_PHASE_WEBHOOK_SECRET, ping: 'http://[::1]:8000/x?y=z' }",
    );
    assert.deepEqual(load().notify, {
      webhookUrl: null,
      secretEnv: "TASK_PHASE_WEBHOOK_SECRET",
      pingUrl: "http://[::1]:8000/x?y=z",
    });
  });
});
