import assert from "node:assert/strict";
import { test } from "node:test";
import { toEvidenceConfig, toNotifyConfig } from "../../../lib/documents/config/config-schema.ts";
import { inPlace, refuses } from "./arrange.ts";

const writeBase = "write a URL such as https://evidence.example.org/tasks";
const base = (problem: string) => `TP_CONFIG_VALUE 1:23 \`evidence.base_url\` ${problem} → ${writeBase}`;
const noPlain = "must be a host and a plain path, without spaces, backslashes or dot segments";
const noQuery = "must not contain a query or a fragment: paths are appended to it";
const noScheme = "must begin with https:// or http://";
const noUser = "must not contain a user name or a password";

// None of them shows an address: what must not stand in it may be a password.
refuses([
  ["evidence: { base_url: 5 }", base("must be a URL in quotes")],
  ["evidence: { base_url: '' }", base(noScheme)],
  ["evidence: { base_url: git.example.org }", base(noScheme)],
  ["evidence: { base_url: 'javascript:alert(1)' }", base(noScheme)],
  ["evidence: { base_url: 'file:///srv/tasks' }", base(noScheme)],
  ["evidence: { base_url: https://me:pw@a.example/ }", base(noUser)],
  ["evidence: { base_url: https://token@a.example/ }", base(noUser)],
  ["evidence: { base_url: 'https://a.example/?token=1' }", base(noQuery)],
  ["evidence: { base_url: 'https://a.example/#top' }", base(noQuery)],
  ["evidence: { base_url: https:// }", base(noPlain)],
  ["evidence: { base_url: 'https://a.example/a b' }", base(noPlain)],
  ["evidence: { base_url: 'https://a.example/../b' }", base(noPlain)],
  ["evidence: { base_url: 'https://a.example/%2e%2e/b' }", base(noPlain)],
  ["evidence: { base_url: 'https://a.example\\b' }", base(noPlain)],
  ["evidence: { base_url: 'https://a.example/%zz' }", base(noPlain)],
  ['evidence: { base_url: "https://a.example/\\n" }', base(noPlain)],
  [`evidence: { base_url: 'https://a.example/${"x".repeat(2_040)}' }`, base("must have at most 2048 characters")],
  [
    "evidence: { web_base: ssh://git.example.org }",
    `TP_CONFIG_VALUE 1:23 \`evidence.web_base\` ${noScheme} → write a URL such as https://git.example.org`,
  ],
  [
    "evidence: { host_kind: gitlabb }",
    'TP_CONFIG_VALUE 1:24 `evidence.host_kind` must be github, gitlab, gitea or bitbucket, found the text "gitlabb" → did you mean `gitlab`?',
  ],
  [
    "evidence: { host_kind: 5 }",
    "TP_CONFIG_VALUE 1:24 `evidence.host_kind` must be github, gitlab, gitea or bitbucket, found 5 → write host_kind: gitea, also for Forgejo",
  ],
  [
    "evidence: { baseurl: null }",
    "TP_CONFIG_UNKNOWN_KEY 1:13 `evidence.baseurl` is not a known key → did you mean `base_url`?",
  ],
  [
    "evidence: https://me:pw@evidence.example.org",
    `TP_CONFIG_VALUE 1:11 \`evidence\` must be a map with base_url, host_kind, web_base and links → write evidence: { base_url: https://evidence.example.org/tasks }`,
  ],
]);

test("addresses are written in one way, and what is missing or null is not known", () => {
  const unknown = { baseUrl: null, hostKind: null, webBase: null, links: "auto" };
  assert.deepEqual([undefined, null, {}].map(toEvidenceConfig), [unknown, unknown, unknown]);
  inPlace(({ write, load }) => {
    write(
      "work/task-phase.yaml",
      "evidence: { base_url: 'HTTPS://Evidence.Example.org:443/my%20tasks/', host_kind: gitea, web_base: 'http://[::1]:3000', links: relative }",
    );
    assert.deepEqual(load().evidence, {
      baseUrl: "https://evidence.example.org/my%20tasks",
      hostKind: "gitea",
      webBase: "http://[::1]:3000",
      links: "relative",
    });
    write("work/task-phase.yaml", "evidence:\n");
    assert.deepEqual(load().evidence, unknown);
  });
});

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

test("written channels are read, and missing or null ones are null", () => {
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

refuses([
  [
    "sandbox: docker",
    'TP_CONFIG_VALUE 1:10 `sandbox` must be none or bwrap, found the text "docker" → write sandbox: none',
  ],
  [
    "checkpoint: comit",
    'TP_CONFIG_VALUE 1:13 `checkpoint` must be patch, commit or push, found the text "comit" → did you mean `commit`?',
  ],
  [
    "budget: { hour: { money_usd: 3 } }",
    "TP_CONFIG_UNKNOWN_KEY 1:11 `budget.hour` is not a known key → remove it; known keys here: run, day",
  ],
  [
    "control: { poll: 0.1 }",
    "TP_CONFIG_VALUE 1:18 `control.poll` must be between 1s and 1h → write a duration such as 30s",
  ],
  [
    "defaults: { prioritty: 3 }",
    "TP_CONFIG_UNKNOWN_KEY 1:13 `defaults.prioritty` is not a known key → did you mean `priority`?",
  ],
]);
