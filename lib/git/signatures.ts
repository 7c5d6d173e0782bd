import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import type { AllowedSigners } from "./allowed-signers.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { askNothing, type Signer, type SshKeygen } from "./ssh-keygen.ts";

export type CommitSignature =
  | { readonly kind: "good"; readonly principal: string }
  /** None, or one of another kind than ssh's. */
  | { readonly kind: "none" }
  /** A true one of a key that may not sign, or might not at the time of the commit. */
  | { readonly kind: "stranger"; readonly key: string }
  | { readonly kind: "bad" };

/** Two processes of ssh-keygen a commit, and one call of git may take two minutes. */
const commitsPerCall = 200;

/**
 * What git says of the ssh signatures of these commits, held against the text of an allowed signers file. No program
 * but ssh-keygen is started, whatever a commit bears, and no setting of the repository counts. Throws TP_GIT.
 */
export async function readSignatures(
  place: GitPlace,
  shas: readonly string[],
  { tool, allowedSigners }: { readonly tool: SshKeygen; readonly allowedSigners: Pick<AllowedSigners, "text"> },
): Promise<ReadonlyMap<string, CommitSignature>> {
  const folder = makeTemporaryFolder("git");
  try {
    const file = join(folder, "allowed_signers");
    writeFileSync(file, allowedSigners.text);
    const found = new Map<string, CommitSignature>();
    for (let at = 0; at < shas.length; at += commitsPerCall) {
      const part = shas.slice(at, at + commitsPerCall);
      for (const [sha, signature] of await askGit(place, part, tool, file)) found.set(sha, signature);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Those of the commits that bear a good signature of this very key. Throws TP_GIT. */
export async function signedBy(place: GitPlace, shas: readonly string[], signer: Signer): Promise<ReadonlySet<string>> {
  const allowedSigners = { text: `runner namespaces="git" ${signer.publicKey}\n` };
  const found = await readSignatures(place, shas, { tool: signer, allowedSigners });
  return new Set([...found].flatMap(([sha, { kind }]) => (kind === "good" ? [sha] : [])));
}

async function askGit(
  place: GitPlace,
  shas: readonly string[],
  { program, env }: SshKeygen,
  file: string,
): Promise<[string, CommitSignature][]> {
  const flags = [
    "--no-walk=unsorted",
    "--stdin",
    "-z",
    "--no-color",
    "--no-notes",
    "--no-patch",
    "--no-show-signature",
  ];
  const { stdout } = await runGit(place, ["log", ...flags, "--format=%H%x1f%G?%x1f%GF%x1f%GS"], {
    cwd: place.top,
    env,
    extra: [
      `gpg.ssh.program=${program}`,
      `gpg.ssh.allowedSignersFile=${file}`,
      "gpg.ssh.revocationFile=",
      "gpg.program=false",
      "gpg.openpgp.program=false",
      "gpg.x509.program=false",
    ],
    variables: { ...askNothing, TZ: "UTC" },
    input: Buffer.from(shas.map((sha) => `${sha}\n`).join("")),
  });
  return splitNul(stdout).map((entry) => {
    const [sha = "", letter = "", key = "", ...principal] = entry.toString("utf8").trim().split("\x1f");
    return [sha, toSignature(letter, key, principal.join(" "))];
  });
}

/** The letters of `%G?`: git-log, section PRETTY FORMATS. */
function toSignature(letter: string, key: string, principal: string): CommitSignature {
  if (letter === "G") return { kind: "good", principal };
  if (letter === "U") return { kind: "stranger", key };
  return letter === "N" || letter === "E" ? { kind: "none" } : { kind: "bad" };
}
