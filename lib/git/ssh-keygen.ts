import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findOutside } from "../process/bwrap.ts";
import { runTool, type ToolEnd } from "../process/run-tool.ts";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { shorten } from "../text/shorten.ts";
import { withoutGit } from "./git-answer.ts";
import { gitVersion } from "./start-git.ts";

export interface SshKeygen {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A key that has signed a test. */
export interface Signer extends SshKeygen {
  /** The private key, or the public one of an ssh-agent key; real path. */
  readonly key: string;
  /** As in a `.pub` file, without the comment. */
  readonly publicKey: string;
}

/** Throws a config error TP_SIGN if no key signs. */
export type FindSigner = () => Promise<Signer>;

export type Signed =
  | { readonly kind: "signed" /** In armour, as ssh-keygen writes it. */; readonly signature: string }
  | { readonly kind: "failed"; readonly why: string };

/** Allows for a touch of a hardware key or an ssh-agent confirmation. */
const timeoutMs = 30_000;
const maxBytes = 1024 * 1024;

/** Never prompts for a passphrase: the askpass program fails. */
export const askNothing: Readonly<Record<string, string>> = { SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force" };

/** A signature counts in its namespace alone. */
export async function signBytes(
  tool: SshKeygen,
  key: string,
  namespace: "git" | "task-phase" | "task-phase-trial",
  bytes: Buffer,
): Promise<Signed> {
  const end = await callSshKeygen(tool, ["-Y", "sign", "-n", namespace, "-f", key], bytes);
  const signature = end.stdout.toString("latin1");
  if (end.exitCode === 0 && signature.startsWith("-----BEGIN SSH SIGNATURE-----")) return { kind: "signed", signature };
  return { kind: "failed", why: saidBy(end) };
}

export type Verified =
  | { readonly kind: "good"; readonly principal: string }
  /** Valid, by a key that may not sign this, or might not at that time. */
  | { readonly kind: "stranger"; readonly key: string }
  | { readonly kind: "bad"; readonly why: string };

/** Verifies against an allowed signers file as of a time. Throws TP_DISK. */
export async function verifyBytes(
  tool: SshKeygen,
  signed: {
    readonly bytes: Buffer;
    readonly signature: string;
    readonly namespace: "task-phase";
    readonly allowedSigners: string;
    readonly at: Date;
  },
): Promise<Verified> {
  const folder = makeTemporaryFolder("git");
  try {
    const [signature, signers] = [join(folder, "signature"), join(folder, "allowed_signers")];
    writeFileSync(signature, signed.signature);
    writeFileSync(signers, signed.allowedSigners);
    const time = `-Overify-time=${signed.at.toISOString().replace(/[-:T]|\..*/g, "")}`;
    const ask = (...args: string[]) => callSshKeygen(tool, ["-Y", ...args, "-s", signature], signed.bytes);
    const found = await ask("find-principals", time, "-f", signers);
    const principals = found.exitCode === 0 ? found.stdout.toString("utf8").split("\n") : [];
    for (const principal of principals.filter((name) => name !== "")) {
      const end = await ask("verify", time, "-n", signed.namespace, "-f", signers, "-I", principal);
      if (end.exitCode === 0) return { kind: "good", principal };
    }
    const end = await ask("check-novalidate", "-n", signed.namespace);
    if (end.exitCode !== 0) return { kind: "bad", why: saidBy(end) };
    return { kind: "stranger", key: /SHA256:\S+/.exec(end.stdout.toString("latin1"))?.[0] ?? "" };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How the runner's git signs a commit; without a signer it does not. */
export function commitSigning(signer: Signer | null): {
  readonly args: readonly string[];
  readonly extra: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
} {
  if (signer === null) return { args: ["--no-gpg-sign"], extra: [], variables: {} };
  return {
    args: [`-S${signer.key}`],
    extra: ["gpg.format=ssh", `gpg.ssh.program=${signer.program}`],
    variables: askNothing,
  };
}

/**
 * The public key of a signature, as in a `.pub` file; null if malformed. It follows the word SSHSIG and a version, each
 * string prefixed by its length: OpenSSH's PROTOCOL.sshsig.
 */
export function keyOfSignature(armoured: string): string | null {
  const body = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\n$/.exec(armoured)?.[1];
  const bytes = Buffer.from(body ?? "", "base64");
  const key = bytes.subarray(0, 6).toString("latin1") === "SSHSIG" ? readString(bytes, 10) : null;
  const type = key === null ? null : readString(key, 0);
  return key === null || type === null ? null : `${type.toString("latin1")} ${key.toString("base64")}`;
}

function readString(bytes: Buffer, at: number): Buffer | null {
  if (at + 4 > bytes.length) return null;
  const length = bytes.readUInt32BE(at);
  return at + 4 + length > bytes.length ? null : bytes.subarray(at + 4, at + 4 + length);
}

function callSshKeygen({ program, env }: SshKeygen, args: readonly string[], input: Buffer): Promise<ToolEnd> {
  const variables = { ...withoutGit(env), ...askNothing, LC_ALL: "C", TZ: "UTC" };
  return runTool({ argv: [program, ...args], cwd: "/", env: variables, input, timeoutMs, maxBytes });
}

function saidBy({ said, exitCode }: ToolEnd): string {
  const lines = said.split("\n").filter((line) => !/^@+|^Signing data on standard input/.test(line));
  return shorten(lines.join("; ").trim(), 300) || `ssh-keygen ended with ${exitCode ?? "a signal"}`;
}

type FoundSshKeygen =
  | { readonly kind: "found"; readonly tool: SshKeygen }
  | { readonly kind: "missing"; readonly problem: string; readonly fix: string };

const oldestGit = [2, 34] as const;

/** The ssh-keygen of PATH outside of these folders, if git supports it. */
export async function findSshKeygen(env: NodeJS.ProcessEnv, folders: readonly string[]): Promise<FoundSshKeygen> {
  const program = findOutside("ssh-keygen", env.PATH ?? "", folders);
  if (program === null)
    return { kind: "missing", problem: "ssh-keygen is not on PATH", fix: "apt-get install openssh-client" };
  const found = await gitVersion(env);
  const [major, minor] = found ?? oldestGit;
  if (major > oldestGit[0] || (major === oldestGit[0] && minor >= oldestGit[1]))
    return { kind: "found", tool: { program, env } };
  const problem = `git supports ssh signatures since ${oldestGit.join(".")}; this is ${major}.${minor}`;
  return { kind: "missing", problem, fix: "install a newer git" };
}
