import { createHash, type Hash } from "node:crypto";
import { join } from "node:path";
import { type GitAnswer, type GitOptions, gitError, gitTimeoutMs, joinLines, withoutGit } from "./git-answer.ts";
import type { GitPlace } from "./place.ts";
import { openPlainPlace } from "./plain-place.ts";
import { runGit } from "./run-git.ts";
import { talkToGit } from "./start-git.ts";

type GitObject =
  | { readonly kind: "blob"; readonly bytes: Buffer }
  | { readonly kind: "too_big"; readonly size: number }
  | { readonly kind: "missing" };

export interface GitObjects {
  /** Skips blobs above `maxBytes`. Throws TP_GIT if git ends early or hangs. */
  read(oid: string, maxBytes: number): Promise<GitObject>;
  close(): void;
}

/** A cached graph could claim other parents. */
const plainSettings = ["core.commitGraph=false"];

/** `runGit` on the objects themselves. Throws TP_GIT. */
export function askPlain(
  place: GitPlace,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: Omit<GitOptions, "env" | "extra"> = {},
): Promise<GitAnswer> {
  return runGit(place, args, { ...options, env, extra: plainSettings });
}

/** Starts `git cat-file --batch`, by the rule of `openPlainPlace`. Always `close` it. Throws TP_GIT. */
export async function openObjects(place: GitPlace, env: NodeJS.ProcessEnv): Promise<GitObjects> {
  const args = ["cat-file", "--batch"];
  const plain = await openPlainPlace(place, env);
  const settings = plainSettings.flatMap((setting) => ["-c", setting]);
  const call = {
    args: [...plain.args, ...settings, ...args],
    cwd: place.top,
    env: { ...withoutGit(env), ...plain.variables },
    timeoutMs: gitTimeoutMs,
  };
  const git = talkToGit(call, (end) => gitError(place, args, end));
  return {
    read: (oid, maxBytes) =>
      git.ask(`${oid}\n`, async (answer) => {
        const [, type, length] = (await answer.line()).split(" ");
        const size = Number(length);
        if (type === "missing" || !Number.isSafeInteger(size)) return { kind: "missing" };
        const bytes = await answer.take(size, type === "blob" && size <= maxBytes);
        await answer.take(1, false);
        if (type !== "blob") return { kind: "missing" };
        return bytes === null ? { kind: "too_big", size } : { kind: "blob", bytes };
      }),
    close: () => {
      git.close();
      plain.close();
    },
  };
}

/** The bytes that `name` gives, for example `COMMIT:path`. Null: there is no such file. Throws TP_GIT. */
export async function readBlob(place: GitPlace, name: string, env: NodeJS.ProcessEnv): Promise<Buffer | null> {
  const { exitCode, stdout } = await runGit(place, ["cat-file", "blob", name], { env, accept: [0, 128] });
  return exitCode === 0 ? stdout : null;
}

/** Bytes by blob; missing ones have no entry. Throws TP_GIT. */
export async function sizesOf(
  place: GitPlace,
  oids: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  if (oids.length === 0) return sizes;
  const { stdout } = await askPlain(place, ["cat-file", "--batch-check"], env, { input: joinLines(oids) });
  for (const line of stdout.toString("latin1").split("\n")) {
    const [oid = "", type, size] = line.split(" ");
    if (type === "blob") sizes.set(oid, Number(size));
  }
  return sizes;
}

/** Have git put new objects into a folder, and find the repository's own beside them. */
export function besideObjects({ commonDir }: GitPlace, folder: string): Readonly<Record<string, string>> {
  const own = join(commonDir, "objects").replaceAll(/["\\]/g, "\\$&");
  return { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${own}"` };
}

/** Git hashes this head and the bytes; the length of a name tells the algorithm. */
export function blobHash(size: number, nameLength: number): Hash {
  return createHash(nameLength === 40 ? "sha1" : "sha256").update(`blob ${size}\0`);
}

export function blobName(bytes: Uint8Array, nameLength: number): string {
  return blobHash(bytes.length, nameLength).update(bytes).digest("hex");
}
