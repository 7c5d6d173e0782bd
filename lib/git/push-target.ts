import { branchName } from "../text/ref-name.ts";
import { isPlainUrl } from "../text/repo-url.ts";
import { shorten } from "../text/shorten.ts";
import { type GitSettings, settingOf } from "./settings.ts";

/** Where a branch would be pushed to. */
export interface PushTarget {
  readonly remote: string;
  readonly url: string;
  /** Full name of the branch there, such as `refs/heads/main`. */
  readonly ref: string;
  /** The branch has no upstream yet. */
  readonly isNew: boolean;
  /** Where fetches keep what is known of it; null if they keep it in no usual place. */
  readonly tracking: string | null;
}

export type FoundTarget =
  | { readonly kind: "target"; readonly target: PushTarget }
  | { readonly kind: "none"; readonly why: string; readonly fix: string };

/**
 * The branch's upstream, else the same name on `origin`; `branch.….pushRemote` and `remote.pushDefault` name another
 * remote, as for git push. An upstream of another name is refused, as git push does by default: a branch that was made
 * from `origin/main` follows `main`, and its commits must not land there unasked.
 */
export function findPushTarget(settings: GitSettings, branchRef: string): FoundTarget {
  const branch = branchName(branchRef);
  const upstream = settingOf(settings, `branch.${branch}.remote`);
  const remote = pushRemote(settings, branch);
  const merge = remote === upstream ? settingOf(settings, `branch.${branch}.merge`) : null;
  const shown = shorten(branch, 60);
  if (merge !== null && merge !== branchRef) {
    const why = `the upstream of ${shown} has another name, ${shorten(merge, 60)}`;
    return {
      kind: "none",
      why,
      fix: "run once: git push -u origin HEAD, to give the branch an upstream of its own name",
    };
  }
  const url = settingOf(settings, `remote.${remote}.pushurl`) ?? settingOf(settings, `remote.${remote}.url`);
  if (url === null) {
    return {
      kind: "none",
      why: `there is no remote ${shorten(remote, 60)}`,
      fix: `git remote add ${shorten(remote, 60)} URL`,
    };
  }
  if (!isPlainUrl(url)) {
    const why = `the remote ${shorten(remote, 60)} has a URL that cannot be pushed to: ${showUrl(url)}`;
    return { kind: "none", why, fix: "use https, http, ssh, git or file" };
  }
  const fetched = [...settings.own, ...settings.repo].some(
    ([key, value]) => key === `remote.${remote}.fetch` && value === `+refs/heads/*:refs/remotes/${remote}/*`,
  );
  const tracking = fetched ? `refs/remotes/${remote}/${branch}` : null;
  return { kind: "target", target: { remote, url, ref: branchRef, isNew: upstream === null, tracking } };
}

/** The name of the remote that this branch is pushed to, as git push chooses it; there need not be such a remote. */
export function pushRemote(settings: GitSettings, branch: string): string {
  const chosen = settingOf(settings, `branch.${branch}.pushremote`) ?? settingOf(settings, "remote.pushdefault");
  return chosen ?? settingOf(settings, `branch.${branch}.remote`) ?? "origin";
}

/**
 * The URL by the first of these keys that fits, as git rewrites it. Only the person's own settings count, as in the
 * runner's push: `.git/config`, which a pass may have written, rewrites nothing.
 */
export function rewriteUrl(url: string, own: GitSettings["own"], keys: readonly ("pushinsteadof" | "insteadof")[]) {
  for (const key of keys) {
    const fitting = own
      .map(([name, prefix]) => ({ base: new RegExp(`^url\\.(.*)\\.${key}$`, "s").exec(name)?.[1], prefix }))
      .filter(({ base, prefix }) => base !== undefined && prefix !== "" && url.startsWith(prefix))
      .sort((one, other) => other.prefix.length - one.prefix.length)[0];
    if (fitting !== undefined) return `${fitting.base}${url.slice(fitting.prefix.length)}`;
  }
  return url;
}

/** Without the name and password that a URL may hold. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/]*@/, "$1");
}

export function showUrl(url: string): string {
  return shorten(withoutCredentials(url), 120);
}
