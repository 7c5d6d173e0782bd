import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostConfig } from "../../lib/hosts/kind.ts";
import { adviseOnHost, findHostedRepository } from "../../lib/hosts/web.ts";

const sources = (config: Partial<HostConfig> = {}) => ({
  env: {},
  config: { hostKind: null, webBase: null, ...config },
});
const find = (url: string, config: Partial<HostConfig> = {}) => {
  const { web, kind } = findHostedRepository(url, sources(config));
  return [web, kind];
};

test("a remote on a known host has a page and a kind", () => {
  assert.deepEqual(find("git@github.com:o/r.git"), ["https://github.com/o/r", "github"]);
  assert.deepEqual(find("https://tok:en@gitlab.com/g/s/r.git"), ["https://gitlab.com/g/s/r", "gitlab"]);
});

test("a path that names no repository, and what is no address, has no page", () => {
  const nowhere = [null, null];
  assert.deepEqual(find("git@github.com:r.git"), nowhere);
  assert.deepEqual(find("/srv/git/r.git"), nowhere);
  assert.deepEqual(find("git@git.example.org:r.git", { hostKind: "gitlab" }), nowhere);
});

test("on an unknown host a page is believed in only where the remote is read over http", () => {
  assert.deepEqual(find("https://git.example.org/o/r.git"), ["https://git.example.org/o/r", null]);
  assert.deepEqual(find("git@git.example.org:o/r.git"), [null, null]);
  assert.deepEqual(find("git@ssh.dev.azure.com:v3/org/project/r"), [null, null]);
});

test("web_base takes the place of what stands before OWNER/REPO", () => {
  const webBase = "https://git.example.org/gitlab";
  const of = (url: string, hostKind: HostConfig["hostKind"]) => find(url, { webBase, hostKind })[0];
  assert.equal(of("git@ssh.example.org:group/team/app.git", "gitlab"), `${webBase}/group/team/app`);
  assert.equal(of("https://inner.example.org:8443/gitlab/group/app.git", "gitlab"), `${webBase}/group/app`);
  assert.equal(of("git@ssh.example.org:gitlab/app.git", "gitlab"), `${webBase}/gitlab/app`);
  assert.equal(of("ssh://git@ssh.example.org:2222/srv/git/o/r.git", "gitea"), `${webBase}/o/r`);
  assert.equal(of("git@ssh.example.org:r.git", "gitea"), null);
  assert.deepEqual(find("git@work:o/r.git", { webBase: "https://github.com" }), ["https://github.com/o/r", "github"]);
  assert.deepEqual(find("git@work:a/b/c.git", { webBase: "https://git.example.org" }), [
    "https://git.example.org/a/b/c",
    null,
  ]);
});

test("where the host is unknown, a person is told what to write, without what the remote's URL keeps secret", () => {
  const advice = adviseOnHost("https://me:hunter2@git.example.org/o/r.git", sources());
  assert.match(advice ?? "", /how git\.example\.org writes addresses: evidence: \{ host_kind: gitlab \}/);
  assert.doesNotMatch(advice ?? "", /hunter2/);
  assert.equal(adviseOnHost("https://git.example.org/o/r.git", sources({ hostKind: "gitea" })), null);
  assert.equal(adviseOnHost("/srv/git/r.git", sources()), null);
});
