import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../process/temporary-folder.ts";
import { realOr } from "../store/folder.ts";
import { readRegularFile } from "../store/read-file.ts";
import { dataError } from "../text/errors.ts";
import { shorten } from "../text/shorten.ts";
import { joinLines } from "./git-answer.ts";
import { readLog } from "./log.ts";
import type { GitPlace } from "./place.ts";
import { askNothing, type Signer, type SshKeygen } from "./ssh-keygen.ts";

/** Who may sign: the text of an allowed signers file (ssh-keygen(1), ALLOWED SIGNERS), read once. */
export interface AllowedSigners {
  readonly file: string;
  readonly text: string;
}

const maxBytes = 4 * 1024 * 1024;
const plainLine =
  /^(?:"[^"]+"|[^\s"]+)[ \t]+(?:.*[ \t])?(?:ssh|ecdsa|sk)-[\w@.-]+[ \t]+[A-Za-z0-9+/]+={0,2}(?:[ \t].*)?$/;

/**
 * Throws a data error TP_ALLOWED_SIGNERS naming a line that ssh-keygen would skip: a skipped line looks like a signer
 * who may not sign. An empty file would fail every commit, and is an error too.
 */
export function readAllowedSigners(file: string): AllowedSigners {
  const bad = (message: string, line: number | null, fix: string) =>
    dataError("TP_ALLOWED_SIGNERS", message, { file, line, fix });
  const form = 'write one signer a line: NAME namespaces="git,task-phase" KEYTYPE KEY, as in a .pub file';
  const read = readRegularFile(realOr(file), maxBytes);
  if (read.kind !== "file")
    throw bad(`the allowed signers cannot be read (${read.kind.replace("_", " ")})`, null, "correct the path");
  const text = read.bytes
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n");
  let signers = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const words = line.trim();
    if (words === "" || words.startsWith("#")) continue;
    if (!plainLine.test(words) || words.includes("\0"))
      throw bad(`this line does not name a signer: ${shorten(words, 60)}`, index + 1, form);
    signers += 1;
  }
  if (signers === 0) throw bad("the file names no allowed signer", null, form);
  return { file, text: text.endsWith("\n") ? text : `${text}\n` };
}

export type CommitSignature =
  | { readonly kind: "good"; readonly principal: string }
  | { readonly kind: "none" }
  /** Valid, by a key that may not sign, or might not at the time of the commit. */
  | { readonly kind: "stranger"; readonly key: string }
  | { readonly kind: "bad" };

/** A commit takes two ssh-keygen processes, and one call of git two minutes at most. */
const commitsPerCall = 200;

/** Starts no program but ssh-keygen and uses no setting of the repository. Throws TP_GIT. */
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
  const words = ["--no-walk=unsorted", "--stdin", "--no-notes", "--no-patch", "--format=%H%x1f%G?%x1f%GF%x1f%GS"];
  const entries = await readLog(place, words, {
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
    input: joinLines(shas),
  });
  return entries.map((entry) => {
    const [sha = "", letter = "", key = "", ...principal] = entry.trim().split("\x1f");
    return [sha, toSignature(letter, key, principal.join(" "))];
  });
}

/** `%G?`: git-log, section PRETTY FORMATS. */
function toSignature(letter: string, key: string, principal: string): CommitSignature {
  if (letter === "G") return { kind: "good", principal };
  if (letter === "U") return { kind: "stranger", key };
  return letter === "N" || letter === "E" ? { kind: "none" } : { kind: "bad" };
}
