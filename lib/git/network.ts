import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../store/error-code.ts";
import { isPlainUrl } from "../text/repo-url.ts";
import type { GitPlace } from "./place.ts";
import { rewriteUrl } from "./push-target.ts";
import { type GitSetting, type GitSettings, settingOf, settingVariables } from "./settings.ts";
import { startGit } from "./start-git.ts";

/**
 * Calls of git over the network. The person's own settings and credentials are needed there, and `.git/config` may have
 * been written by a pass: `core.sshCommand`, `credential.helper`, `core.gitProxy`, `url.….insteadOf`, `http.proxy`,
 * `http.sslVerify`, `remote.….receivepack`, `include.path` could each run a program or lead elsewhere. A list of keys
 * to switch off would always lack one. So these calls run in a repository of the runner's own, which has no settings
 * but the person's, no hooks, no refs, and the objects of the real one. Taken from `.git/config` are the object format,
 * and `http.URL.extraheader`, where CI systems put their token.
 */
export interface Network {
  readonly gitDir: string;
  /** `limitMs` bounds the call; without it a push or a fetch has ten minutes, and any other call one. */
  call(args: readonly string[], limitMs?: number): Promise<NetworkEnd>;
}

export interface NetworkRequest {
  /** Whose objects the calls read and write. */
  readonly place: GitPlace;
  readonly settings: GitSettings;
  /** A private folder. */
  readonly scratch: string;
  readonly env: NodeJS.ProcessEnv;
  /** Null: no signal ends a call. */
  readonly signal: AbortSignal | null;
  readonly url: string;
}

export interface NetworkEnd {
  /** Null if git did not start, or was ended. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Its standard error, or why it did not end by itself. */
  readonly said: string;
}

const timeoutMs = 60_000;
/** What a pass made may be hundreds of megabytes behind a slow line. One that is dead is noticed sooner, see `stalls`. */
const transferMs = 600_000;
/** The most that is kept of a remote's output. */
const maxSaidBytes = 256 * 1024;
/** The person's own choices in the environment; CI systems use them. */
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

/** A transfer by http that brings less than 1,000 bytes a second for a minute ends. The person's own settings win. */
const stalls: readonly GitSetting[] = [
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "60"],
];

/** These hold whatever the person set: nothing runs beside the transfer, and nothing is cleaned up. */
const overrides: readonly GitSetting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  // The repository of the runner has no refs: a clean-up would take every object for garbage.
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["fetch.writeCommitGraph", "false"],
  ["submodule.recurse", "false"],
  ["push.gpgSign", "false"],
  ["push.followTags", "false"],
];

/** The words of a push of one commit to one ref, never by force; what the person's settings would add is left out. */
export function pushCall(url: string, commit: string, ref: string): readonly string[] {
  const never = ["--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"];
  return ["push", "--porcelain", ...never, "--receive-pack=git-receive-pack", "--", url, `${commit}:${ref}`];
}

/** The same of a fetch of these refspecs, which takes and keeps nothing beside them. */
export function fetchCall(url: string, refspecs: readonly string[], more: readonly string[] = []): readonly string[] {
  const never = ["--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no"];
  return ["fetch", "-q", ...more, ...never, "--upload-pack=git-upload-pack", "--", url, ...refspecs];
}

/** The network lives as long as `act` does. Throws if the disk refuses, and what `act` throws. */
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
  const variables = {
    ...networkVariables(settings, env, url),
    GIT_OBJECT_DIRECTORY: join(place.commonDir, "objects"),
  };
  return {
    gitDir,
    call: async (args, limitMs = isTransfer(args) ? transferMs : timeoutMs) => {
      const words = [`--git-dir=${gitDir}`, ...args];
      const end = await startGit({
        args: words,
        cwd: place.top,
        env: variables,
        timeoutMs: limitMs,
        maxBytes: maxSaidBytes,
        signal,
      });
      return { ...end, stdout: end.stdout.toString("utf8") };
    },
  };
}

function isTransfer([command]: readonly string[]): boolean {
  return command === "push" || command === "fetch";
}

function configText(settings: GitSettings): string {
  const format = settingOf(settings, "extensions.objectformat");
  const sha256 = format?.toLowerCase() === "sha256";
  const extension = sha256 ? "[extensions]\n\tobjectFormat = sha256\n" : "";
  return `[core]\n\trepositoryFormatVersion = ${sha256 ? 1 : 0}\n\tbare = true\n${extension}`;
}

/** A clone that is cut off, as CI systems make them, says here where. */
function copyShallow(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** The environment of a call, whole. */
export function networkVariables(settings: GitSettings, env: NodeJS.ProcessEnv, url: string): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith("GIT_") || keptVariables.includes(entry[0])),
  );
  // Handed over one by one: the runner's repository is elsewhere, and `includeIf "gitdir:…"` would not match there.
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
 * What the remote needs, and no more: `ext::` and other helpers are programs. The variable that says so beats every
 * setting. The person's own `insteadOf` may lead to another protocol for a push than for a fetch. A server may send
 * whoever asks by http on to https.
 */
export function protocolsOf(url: string, own: GitSettings["own"]): string[] {
  const urls = [rewriteUrl(url, own, ["insteadof"]), rewriteUrl(url, own, ["pushinsteadof", "insteadof"])];
  const schemes = urls.filter(isPlainUrl).map(schemeOf);
  return [...new Set(schemes.flatMap((scheme) => (scheme === "http" ? ["http", "https"] : [scheme])))];
}

/** As git reads it: a colon before the first slash, and no scheme, is `host:path`. */
function schemeOf(url: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url)?.[1]?.toLowerCase();
  return scheme ?? (/^[^/]*:/.test(url) ? "ssh" : "file");
}

/**
 * No questions: a plain `ssh` is told so, and to notice within a minute that nobody answers any more. A command of the person's own stays as it is; it may be no ssh at all. What
 * still asks gets the answer of a program that says no.
 */
function sshVariables(settings: GitSettings, env: NodeJS.ProcessEnv): Record<string, string> {
  const set = settings.own.some(([key]) => key === "core.sshcommand" || key === "ssh.variant");
  const chosen = [env.GIT_SSH, env.GIT_SSH_COMMAND, env.GIT_SSH_VARIANT].some((value) => (value ?? "") !== "");
  const batch = set || chosen ? {} : { GIT_SSH_COMMAND: "ssh -o BatchMode=yes -o ServerAliveInterval=20" };
  return { ...batch, SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force" };
}
