import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { realSoFar } from "../store/folder.ts";
import { orElse } from "../text/attempt.ts";
import { usageError } from "../text/errors.ts";
import { branchName } from "../text/ref-name.ts";
import { isPlainUrl } from "../text/repo-url.ts";
import { shorten } from "../text/shorten.ts";
import { type GitSettings, settingOf } from "./git-settings.ts";

export interface PushTarget {
  readonly remote: string;
  readonly url: string;
  /** Such as `refs/heads/main` of the remote. */
  readonly ref: string;
  readonly isNew: boolean;
  /** The remote-tracking ref; null if fetches update no usual one. */
  readonly tracking: string | null;
}

type FoundTarget =
  | { readonly kind: "target"; readonly target: PushTarget }
  | { readonly kind: "none"; readonly why: string; readonly fix: string };

/**
 * The upstream, else the same name on `origin`; `branch.….pushRemote` and `remote.pushDefault` change the remote, as
 * for git push. Like git push, refuses an upstream of another name: commits on a branch made from `origin/main` must
 * not land in `main` unasked.
 */
export function findPushTarget(settings: GitSettings, branchRef: string): FoundTarget {
  const branch = branchName(branchRef);
  const upstream = settingOf(settings, `branch.${branch}.remote`);
  const remote = pushRemote(settings, branch);
  const merge = remote === upstream ? settingOf(settings, `branch.${branch}.merge`) : null;
  const shown = shorten(branch, 60);
  if (merge !== null && merge !== branchRef) {
    const why = `the upstream of ${shown} has another name, ${shorten(merge, 60)}`;
    const fix = "run once: git push -u origin HEAD, to give the branch an upstream of its own name";
    return { kind: "none", why, fix };
  }
  const url = settingOf(settings, `remote.${remote}.pushurl`) ?? settingOf(settings, `remote.${remote}.url`);
  if (url === null) {
    const name = shorten(remote, 60);
    return { kind: "none", why: `there is no remote ${name}`, fix: `git remote add ${name} URL` };
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

/** The remote's name, as git push chooses it; it may not exist. */
export function pushRemote(settings: GitSettings, branch: string): string {
  const chosen = settingOf(settings, `branch.${branch}.pushremote`) ?? settingOf(settings, "remote.pushdefault");
  return chosen ?? settingOf(settings, `branch.${branch}.remote`) ?? "origin";
}

/** As git rewrites it, by the person's settings alone: a pass may have written `.git/config`. */
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

export function withoutCredentials(url: string): string {
  return url.replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/]*@/, "$1");
}

export function showUrl(url: string): string {
  return shorten(withoutCredentials(url), 120);
}

/**
 * A remote from a command line: a URL, `host:path`, or a local path, which becomes absolute. Usage error for what git
 * would take as a program, and for an unknown path that leads nowhere.
 */
export function requireRemote(given: string, cwd: string, isKnown: (path: string) => boolean = () => false): string {
  if (!isPlainUrl(given)) {
    throw usageError("TP_REMOTE_URL", `this is not the URL of a repository: ${showUrl(given)}`, {
      fix: "write https://HOST/PATH, ssh://HOST/PATH, HOST:PATH or the path of a repository",
    });
  }
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(given) || /^[^/]*:/.test(given)) return given;
  const file = resolve(cwd, given);
  const real = realSoFar(file);
  if (orElse(() => realpathSync(file), null) !== null || isKnown(real)) return real;
  const fix = "name an existing one, or a URL such as https://HOST/PATH";
  throw usageError("TP_REMOTE_URL", "there is no repository at this path", { file, fix });
}
