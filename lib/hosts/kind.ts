import type { HostKind } from "../machine/verdict-event.ts";

/** `evidence` of task-phase.yaml, as far as it is about the git host. */
export interface HostConfig {
  readonly hostKind: HostKind | null;
  /** The part before OWNER/REPO in the addresses of the host's pages. */
  readonly webBase: string | null;
}

export interface HostSources {
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
