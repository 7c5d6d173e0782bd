import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../store/error-code.ts";
import { isPlainUrl } from "../text/repo-url.ts";
import { type GitSetting, type GitSettings, settingOf, settingVariables } from "./git-settings.ts";
import type { GitPlace } from "./place.ts";
import { rewriteUrl } from "./push-target.ts";
import { durableSetting } from "./run-git.ts";
import { startGit } from "./start-git.ts";

/**
 * Calls of git over the network. They need the person's settings and credentials, but a pass may have written
 * `.git/config`, where `core.sshCommand`, `credential.helper`, `url.….insteadOf`, `http.proxy`, `remote.….receivepack`,
 * `include.path` and others run programs or lead elsewhere; no list of keys to switch off would be complete. So the
 * calls run in a repository of the runner's with the person's settings alone, no hooks, no refs, and the objects of the
 * real one. `.git/config` contributes only the object format and `http.URL.extraheader`, where CI systems put their
 * token.
 */
export interface Network {
  readonly gitDir: string;
  /** `limitMs`: by default ten minutes for a push or fetch, one for any other call. */
  call(args: readonly string[], limitMs?: number): Promise<NetworkEnd>;
}

interface NetworkRequest {
  readonly place: GitPlace;
  readonly settings: GitSettings;
  readonly scratch: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | null;
  readonly url: string;
}

export interface NetworkEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Standard error, or why git was stopped. */
  readonly said: string;
}

const timeoutMs = 60_000;
/** A pass may make hundreds of megabytes for a slow line; a dead one is noticed by `stalls`. */
const transferMs = 600_000;
const maxSaidBytes = 256 * 1024;
const keptVariables = [
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "GIT_SSH_VARIANT",
  "GIT_ASKPASS",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
  "GIT_SSL_CERT",
  "GIT_SSL_KEY",
  "GIT_SSL_NO_VERIFY",
];

/** Ends an http transfer below 1,000 bytes a second for a minute. The person's settings win. */
const stalls: readonly GitSetting[] = [
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "60"],
];

/** Override the person's settings: nothing runs beside the transfer, nothing is cleaned up. */
const overrides: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  // Without refs, a clean-up would collect every object.
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["fetch.writeCommitGraph", "false"],
  ["submodule.recurse", "false"],
  ["push.gpgSign", "false"],
  ["push.followTags", "false"],
];

/** How the other side takes a push. */
export const receivers = {
  remote: "git-receive-pack",
  // A person's hooks and rules are for their own pushes, and a clean-up would not know who borrows the objects.
  own: `git -c ${durableSetting} -c core.hooksPath=/dev/null -c gc.auto=0 -c receive.autogc=false -c receive.denyCurrentBranch=refuse -c receive.denyNonFastForwards=false -c receive.denyDeletes=false receive-pack`,
} as const;

/** Pushes one commit to one ref, never by force, without what the settings would add. */
export function pushCall(
  url: string,
  commit: string,
  ref: string,
  receiver: string = receivers.remote,
): readonly string[] {
  const never = ["--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
  return ["push", "--porcelain", ...never, `--receive-pack=${receiver}`, "--", url, `${commit}:${ref}`];
}

/** Fetches these refspecs and nothing else. */
export function fetchCall(url: string, refspecs: readonly string[], more: readonly string[] = []): readonly string[] {
  const never = ["--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no"];
  return ["fetch", "-q", ...more, ...never, "--upload-pack=git-upload-pack", "--", url, ...refspecs];
}

/** The network lives as long as `act`. Throws if the disk fails, and what `act` throws. */
export async function withNetwork<Value>(
  request: NetworkRequest,
  act: (network: Network) => Promise<Value>,
): Promise<Value> {
  const network = openNetwork(request);
  try {
    return await act(network);
  } finally {
    rmSync(network.gitDir, { recursive: true, force: true });
  }
}

function openNetwork({ place, settings, scratch, env, signal, url }: NetworkRequest): Network {
  const gitDir = mkdtempSync(join(scratch, "network-"));
  mkdirSync(join(gitDir, "objects"));
  mkdirSync(join(gitDir, "refs", "heads"), { recursive: true });
  writeFileSync(join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  writeFileSync(join(gitDir, "config"), configText(settings));
  copyShallow(join(place.commonDir, "shallow"), join(gitDir, "shallow"));
  const variables = { ...networkVariables(settings, env, url), GIT_OBJECT_DIRECTORY: join(place.commonDir, "objects") };
  return {
    gitDir,
    call: async (args, limitMs = args[0] === "push" || args[0] === "fetch" ? transferMs : timeoutMs) => {
      const words = [`--git-dir=${gitDir}`, ...args];
      const bounds = { timeoutMs: limitMs, maxBytes: maxSaidBytes, signal };
      const end = await startGit({ args: words, cwd: place.top, env: variables, ...bounds });
      return { ...end, stdout: end.stdout.toString("utf8") };
    },
  };
}

function configText(settings: GitSettings): string {
  const format = settingOf(settings, "extensions.objectformat");
  const sha256 = format?.toLowerCase() === "sha256";
  const extension = sha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  return `[core]\n\trepositoryFormatVersion = ${sha256 ? 1 : 0}\n\tbare = true\n${extension}`;
}

/** The boundary of a shallow clone, as CI systems make them. */
export function copyShallow(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

export function networkVariables(settings: GitSettings, env: NodeJS.ProcessEnv, url: string): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith("GIT_") || keptVariables.includes(entry[0])),
  );
  // Pass settings one by one: `includeIf "gitdir:…"` would not match in the runner's repository.
  const own = settings.own.filter(([key]) => !/^(?:include|includeif|alias|remote|branch)\./.test(key));
  const headers = settings.repo.filter(([key]) => /^http\..+\.extraheader$/s.test(key));
  return {
    ...Object.fromEntries(kept),
    ...sshVariables(settings, env),
    ...settingVariables([...stalls, ...own, ...headers, ...overrides]),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: protocolsOf(url, settings.own).join(":"),
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: env.GIT_ASKPASS ?? "",
    GCM_INTERACTIVE: "never",
    LC_ALL: "C",
  };
}

/**
 * Only the protocols that the URL and the person's `insteadOf` (for pushes too) need: helpers such as `ext::` are
 * programs. GIT_ALLOW_PROTOCOL beats every setting. Http may redirect to https.
 */
export function protocolsOf(url: string, own: GitSettings["own"]): string[] {
  const urls = [rewriteUrl(url, own, ["insteadof"]), rewriteUrl(url, own, ["pushinsteadof", "insteadof"])];
  const schemes = urls.filter(isPlainUrl).map(schemeOf);
  return [...new Set(schemes.flatMap((scheme) => (scheme === "http" ? ["http", "https"] : [scheme])))];
}

/** As git parses it: a colon before the first slash and no scheme is `host:path`. */
function schemeOf(url: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url)?.[1]?.toLowerCase();
  return scheme ?? (/^[^/]*:/.test(url) ? "ssh" : "file");
}

/**
 * No prompts, and a plain `ssh` notices a dead connection within a minute. A person's own command stays as it is, since
 * it may be no ssh. SSH_ASKPASS answers no.
 */
function sshVariables(settings: GitSettings, env: NodeJS.ProcessEnv): Record<string, string> {
  const set = settings.own.some(([key]) => key === "core.sshcommand" || key === "ssh.variant");
  const chosen = [env.GIT_SSH, env.GIT_SSH_COMMAND, env.GIT_SSH_VARIANT].some((value) => (value ?? "") !== "");
  const batch = set || chosen ? {} : { GIT_SSH_COMMAND: "ssh -o BatchMode=yes -o ServerAliveInterval=20" };
  return { ...batch, SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force" };
}
