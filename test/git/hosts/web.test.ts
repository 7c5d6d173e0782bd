import assert from "node:assert/strict";
import { test } from "node:test";
import { adviseOnHost, findHostedRepository, type HostConfig, hostKind } from "../../../lib/git/hosts/web.ts";
import type { HostKind } from "../../../lib/rules/verdict-event.ts";

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

test("for an unknown host a person is told what to write, without the secrets of the remote's URL", () => {
  const advice = adviseOnHost("https://me:hunter2@git.example.org/o/r.git", sources());
  assert.match(advice ?? "", /how git\.example\.org writes addresses: evidence: \{ host_kind: gitlab \}/);
  assert.doesNotMatch(advice ?? "", /hunter2/);
  assert.equal(adviseOnHost("https://git.example.org/o/r.git", sources({ hostKind: "gitea" })), null);
  assert.equal(adviseOnHost("/srv/git/r.git", sources()), null);
});

const github = { GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: "https://git.example.org" };
const gitlab = { GITLAB_CI: "true", CI_SERVER_URL: "https://git.example.org:8443/gitlab" };

const hosts: readonly (readonly [string, NodeJS.ProcessEnv, HostKind | null])[] = [
  ["github.com", {}, "github"],
  ["acme.ghe.com", {}, "github"],
  ["gitlab.com", {}, "gitlab"],
  ["salsa.debian.org", {}, "gitlab"],
  ["invent.kde.org", {}, "gitlab"],
  ["codeberg.org", {}, "gitea"],
  ["gitea.com", {}, "gitea"],
  ["opendev.org", {}, "gitea"],
  ["bitbucket.org", {}, "bitbucket"],
  // What runs there says it in its name.
  ["github.example.org", {}, "github"],
  ["gitlab.example.org", {}, "gitlab"],
  ["GitLab.Example.org", {}, "gitlab"],
  ["gitea.example.org", {}, "gitea"],
  ["forgejo.example.org", {}, "gitea"],
  ["bitbucket.example.org", {}, null],
  ["gitlab", {}, null],
  ["my-gitlab.example.org", {}, null],
  ["git.gitlab.example.org", {}, null],
  ["git.example.org", {}, null],
  ["ghe.com", {}, null],
  ["gist.github.com", {}, null],
  ["[::1]", {}, null],
  ["constructor", {}, null],
  ["constructor.example.org", {}, null],
  // The CI system knows the host that it runs for, and that one alone.
  ["git.example.org", github, "github"],
  ["git.example.org", { ...github, GITEA_ACTIONS: "true" }, "gitea"],
  ["git.example.org", { ...github, FORGEJO_ACTIONS: "true" }, "gitea"],
  ["git.example.org", { ...github, GITHUB_ACTIONS: "false" }, null],
  ["git.example.org", { GITHUB_SERVER_URL: "https://git.example.org" }, null],
  ["git.example.org", { ...github, GITHUB_SERVER_URL: "no address" }, null],
  ["other.example.org", github, null],
  ["git.example.org", gitlab, "gitlab"],
  ["git.example.org", { GITLAB_CI: "true", CI_PROJECT_URL: "https://git.example.org/g/r" }, "gitlab"],
  ["git.example.org", { CI_SERVER_URL: "https://git.example.org" }, null],
  ["other.example.org", gitlab, null],
  // The table beats the CI system, which beats the name.
  ["github.com", { ...github, GITHUB_SERVER_URL: "https://github.com", GITEA_ACTIONS: "true" }, "github"],
  ["github.example.org", { GITLAB_CI: "1", CI_SERVER_URL: "https://github.example.org" }, "gitlab"],
];

test("the kind of a host comes from a table, the CI system or its name", () => {
  const config = { hostKind: null, webBase: null };
  assert.deepEqual(
    hosts.map(([host, env]) => [host, env, hostKind(host, { env, config })]),
    hosts,
  );
});

test("the configuration wins, and web_base names the host", () => {
  const kindOf = (host: string, hostKindSet: HostKind | null, webBase: string | null) =>
    hostKind(host, { env: {}, config: { hostKind: hostKindSet, webBase } });
  assert.equal(kindOf("github.com", "gitea", null), "gitea");
  assert.equal(kindOf("github.com", "gitea", "https://gitlab.com"), "gitea");
  assert.equal(kindOf("work", null, "https://github.com"), "github");
  assert.equal(kindOf("gitlab.example.org", null, "https://git.example.org"), null);
  assert.equal(kindOf("gitlab.example.org", null, "no address"), "gitlab");
});
