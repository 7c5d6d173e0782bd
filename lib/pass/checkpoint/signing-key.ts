import { lstatSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { keyPlaces, userConfigFolder } from "../../documents/config/find-config.ts";
import type { LoadedConfig } from "../../documents/config/load-config.ts";
import { findGitPlace } from "../../git/place.ts";
import { type FindSigner, findSshKeygen, keyOfSignature, type Signer, signBytes } from "../../git/ssh-keygen.ts";
import { isUnder } from "../../process/bwrap.ts";
import { realOrNull } from "../../store/folder.ts";
import { readRegularFile } from "../../store/read-file.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { stands, type TaskPlace } from "../../task/records/task-place.ts";
import { configError, type TaskPhaseError } from "../../text/errors.ts";
import { quoteWord } from "../../text/shell-words.ts";

type KeyPorts = Pick<PassPorts, "env" | "home">;

/**
 * The runner's own key, after a test signature: TASK_PHASE_SIGNING_KEY, else `signing_key` or `signing_key.pub` in the
 * user's configuration folder. Neither key nor ssh-keygen may lie in `folders`, where agents write. Nothing in a
 * repository matters. Throws a config error TP_SIGN.
 */
export async function findSigner(folders: readonly string[], ports: KeyPorts): Promise<Signer> {
  const closed = closedFolders(folders);
  const key = findKey(closed, ports);
  const found = await findSshKeygen(ports.env, closed);
  if (found.kind === "missing") throw refuse(found.problem, null, found.fix);
  const { tool } = found;
  const trial = await signBytes(tool, key, "task-phase-trial", Buffer.from("task-phase\n"));
  if (trial.kind === "failed") throw unusable(key, trial.why, ports);
  return { ...tool, key, publicKey: keyOfSignature(trial.signature) ?? "" };
}

interface SignedTask {
  readonly sign: LoadedConfig["sign"];
  readonly repo: string;
  readonly place: Pick<TaskPlace, "tasksRoot">;
}

/** Null if the task is not signed. Looked up on use. */
export function signerOf({ sign, repo, place }: SignedTask, ports: KeyPorts): FindSigner | null {
  return sign === "ssh" ? () => findSigner([repo, place.tasksRoot], ports) : null;
}

/** The folders, with the working trees and git folders of repositories they are in. */
function closedFolders(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    const git = findGitPlace(folder);
    return git === null ? [folder] : [folder, git.top, git.gitDir, git.commonDir];
  });
}

function findKey(closed: readonly string[], ports: KeyPorts): string {
  const places = keyPlaces(ports);
  const odd = places.find((path) => !isAbsolute(path));
  if (odd !== undefined) throw refuse("TASK_PHASE_SIGNING_KEY must be an absolute path", odd, howTo(ports));
  const path = places.find(stands);
  if (path === undefined) throw refuse("there is no signing key", places[0] ?? null, howTo(ports));
  const real = realOrNull(path);
  const read = real === null ? { kind: "missing" as const } : readRegularFile(real, 64 * 1024);
  if (real === null || read.kind !== "file")
    throw refuse(`the signing key cannot be read (${read.kind})`, path, howTo(ports));
  if ([path, real].some((one) => isUnder(one, closed))) {
    const fix =
      "move it out of the repository and the tasks root, where agents work, and make a new one if it was ever committed";
    throw refuse("the signing key is in a folder that agents write to", path, fix);
  }
  const text = read.bytes.toString("latin1");
  const isPublic = /^(?:ssh|ecdsa|sk)-\S+ [A-Za-z0-9+/=]+/.test(text);
  if (!isPublic && !text.startsWith("-----BEGIN "))
    throw refuse("the signing key is neither a private nor a public ssh key", path, howTo(ports));
  const beside = real.replace(/\.pub$/, "");
  if (!isPublic || (beside !== real && stands(beside))) requirePrivate(beside);
  return real;
}

/** ssh-keygen refuses a file that others can read only if the caller owns it. */
function requirePrivate(path: string): void {
  const { mode, uid } = lstatSync(path);
  if ((mode & 0o077) !== 0) {
    const found = (mode & 0o777).toString(8).padStart(4, "0");
    const why = `other users may use the signing key: its mode is ${found}, expected 0600`;
    throw refuse(why, path, `chmod 600 ${quoteWord(path)}`);
  }
  const own = process.geteuid?.();
  if (own !== undefined && uid !== own)
    throw refuse(`the signing key belongs to user ${uid}, not to you (user ${own})`, path, "make a key of your own");
}

function unusable(key: string, why: string, ports: KeyPorts): TaskPhaseError {
  if (!/passphrase/.test(why)) return refuse(`the signing key does not sign: ${why}`, key, howTo(ports));
  const fix = `ssh-add ${quoteWord(key)}, and TASK_PHASE_SIGNING_KEY=${quoteWord(`${key}.pub`)}; or make one without a passphrase: ${howTo(ports)}`;
  return refuse("the signing key has a passphrase, but the runner cannot ask for it", key, fix);
}

function howTo(ports: KeyPorts): string {
  const folder = userConfigFolder(ports);
  const key = quoteWord(join(folder, "signing_key"));
  const line = `echo "runner@example.org namespaces=\\"git,task-phase\\" $(cat ${key}.pub)" >> allowed_signers`;
  return `mkdir -p ${quoteWord(folder)} && ssh-keygen -t ed25519 -N '' -C task-phase -f ${key} && ${line}`;
}

function refuse(what: string, file: string | null, fix: string): TaskPhaseError {
  return configError("TP_SIGN", `\`sign: ssh\` is set, but ${what}`, { file, fix });
}
