import assert from "node:assert/strict";
import { test } from "node:test";
import { toEvidenceConfig } from "../../lib/config/evidence-schema.ts";
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
