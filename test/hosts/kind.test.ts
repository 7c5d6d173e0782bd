import assert from "node:assert/strict";
import { test } from "node:test";
import { hostKind } from "../../lib/hosts/kind.ts";
import type { HostKind } from "../../lib/machine/verdict-event.ts";

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

test("what the configuration says wins, and web_base names the host that is meant", () => {
  const kindOf = (host: string, hostKindSet: HostKind | null, webBase: string | null) =>
    hostKind(host, { env: {}, config: { hostKind: hostKindSet, webBase } });
  assert.equal(kindOf("github.com", "gitea", null), "gitea");
  assert.equal(kindOf("github.com", "gitea", "https://gitlab.com"), "gitea");
  assert.equal(kindOf("work", null, "https://github.com"), "github");
  assert.equal(kindOf("gitlab.example.org", null, "https://git.example.org"), null);
  assert.equal(kindOf("gitlab.example.org", null, "no address"), "gitlab");
});
