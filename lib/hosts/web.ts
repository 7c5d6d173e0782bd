import type { HostedCode } from "../machine/verdict-event.ts";
import { cleanWebAddress } from "../text/web-address.ts";
import { type HostSources, hostKind } from "./kind.ts";
import { readRemote } from "./remote.ts";

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
  // Whoever serves git over ssh alone may show no pages at all.
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
