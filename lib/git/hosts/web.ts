import type { HostedCode, HostKind } from "../../rules/verdict-event.ts";
import { cleanWebAddress } from "../../text/web-address.ts";
import { readRemote } from "./remote-place.ts";

export type HostedRepository = Pick<HostedCode, "web" | "kind">;

const nowhere: HostedRepository = { web: null, kind: null };

/**
 * The page of a remote's repository, and how its host writes addresses. `web_base` takes the place of all that stands
 * before OWNER/REPO, which are the last two segments of the remote's path; on GitLab, where groups nest, they are the
 * whole path, but for the sub-path of `web_base` with which a remote of https begins too. `https://h.example/gitlab`
 * and `git@ssh.h.example:group/team/app.git` make `https://h.example/gitlab/group/team/app`.
 */
export function findHostedRepository(remoteUrl: string, sources: HostSources): HostedRepository {
  const remote = readRemote(remoteUrl);
  if (remote === null) return nowhere;
  const kind = hostKind(remote.host, sources);
  const segments = remote.path.split("/");
  const base = sources.config.webBase === null ? null : cleanWebAddress(sources.config.webBase);
  if (base !== null) {
    const whole = isHttp(remoteUrl) ? withoutBase(segments, base) : segments;
    const own = kind === "gitlab" || kind === null ? whole : segments.slice(-2);
    return settle([base, ...own].join("/"), kind, own.length);
  }
  // A host that serves git over ssh only may have no web pages.
  if (kind === null && !isHttp(remoteUrl)) return nowhere;
  return settle(remote.web, kind, segments.length);
}

/** A path of one segment names no repository on any host that we know. */
function settle(web: string, kind: HostedRepository["kind"], length: number): HostedRepository {
  return kind !== null && length < 2 ? nowhere : { web, kind };
}

function withoutBase(segments: readonly string[], base: string): readonly string[] {
  const before = new URL(base).pathname.split("/").filter((segment) => segment !== "");
  return before.every((segment, index) => segment === segments[index]) ? segments.slice(before.length) : segments;
}

function isHttp(url: string): boolean {
  return /^https?:/i.test(url);
}

/** The setting that would make links to the host work; null if they work, or if there is nothing to link to. */
export function adviseOnHost(remoteUrl: string, sources: HostSources): string | null {
  const remote = readRemote(remoteUrl);
  if (remote === null || findHostedRepository(remoteUrl, sources).kind !== null) return null;
  return `set in task-phase.yaml how ${remote.host} writes addresses: evidence: { host_kind: gitlab }, or github, gitea or bitbucket; also set web_base if its pages are at another address`;
}

/** `evidence` of task-phase.yaml, as far as it is about the git host. */
export interface HostConfig {
  readonly hostKind: HostKind | null;
  /** The part before OWNER/REPO in the addresses of the host's pages. */
  readonly webBase: string | null;
}

interface HostSources {
  readonly env: NodeJS.ProcessEnv;
  readonly config: HostConfig;
}

/** Public hosts whose names do not say what runs there, or that are used most. */
const knownHosts: Readonly<Record<string, HostKind>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "jihulab.com": "gitlab",
  "framagit.org": "gitlab",
  "salsa.debian.org": "gitlab",
  "invent.kde.org": "gitlab",
  "code.videolan.org": "gitlab",
  "0xacab.org": "gitlab",
  "gitlab.gnome.org": "gitlab",
  "gitlab.freedesktop.org": "gitlab",
  "codeberg.org": "gitea",
  "gitea.com": "gitea",
  "code.forgejo.org": "gitea",
  "opendev.org": "gitea",
  "projects.blender.org": "gitea",
  "git.disroot.org": "gitea",
  "bitbucket.org": "bitbucket",
};

/** The first label of a name, as people call their own. */
const hints: Readonly<Record<string, HostKind>> = {
  github: "github",
  gitlab: "gitlab",
  gitea: "gitea",
  forgejo: "gitea",
};

/**
 * How a host writes the addresses of its pages. The configuration decides if it is set, then the table, then what a
 * CI system says of the host that it runs for, then the name; null if none of them tells. Nothing is asked over the
 * network.
 */
export function hostKind(host: string, { env, config }: HostSources): HostKind | null {
  if (config.hostKind !== null) return config.hostKind;
  const name = (config.webBase === null ? host : (hostOf(config.webBase) ?? host)).toLowerCase();
  const [first = "", ...others] = name.split(".");
  const hinted = others.length === 0 ? undefined : own(hints, first);
  return own(knownHosts, name) ?? (isEnterpriseCloud(name) ? "github" : null) ?? kindInCi(name, env) ?? hinted ?? null;
}

/** GitHub's cloud for companies gives each a name of its own below `ghe.com`. */
function isEnterpriseCloud(name: string): boolean {
  return /^[a-z0-9-]+\.ghe\.com$/.test(name);
}

/** Gitea and Forgejo set GitHub's variables too, so that its actions run. */
function kindInCi(host: string, env: NodeJS.ProcessEnv): HostKind | null {
  if (isOn(env.GITHUB_ACTIONS) && hostOf(env.GITHUB_SERVER_URL) === host) {
    return isOn(env.GITEA_ACTIONS) || isOn(env.FORGEJO_ACTIONS) ? "gitea" : "github";
  }
  const ofGitLab = [env.CI_SERVER_URL, env.CI_PROJECT_URL].some((url) => hostOf(url) === host);
  return isOn(env.GITLAB_CI) && ofGitLab ? "gitlab" : null;
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
}

function hostOf(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : null;
}

/** Only what the table itself holds: a host may be called `constructor`. */
function own(table: Readonly<Record<string, HostKind>>, key: string): HostKind | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
