import { spawn } from "node:child_process";
import { gitError, gitTimeoutMs, withoutGit } from "./answer.ts";
import type { GitPlace } from "./place.ts";
import { openPlainPlace } from "./plain-place.ts";
import { runGit } from "./run-git.ts";

/** What stands behind an object name. */
export type GitObject =
  | { readonly kind: "blob"; readonly bytes: Buffer }
  | { readonly kind: "too_big"; readonly size: number }
  /** Not in this repository, or no blob. */
  | { readonly kind: "missing" };

/** Reads blobs one after the other, from one process. */
export interface GitObjects {
  /** At most `maxBytes`; what is larger is passed over. Throws TP_GIT where git ends early or hangs. */
  read(oid: string, maxBytes: number): Promise<GitObject>;
  close(): void;
}

/** No cached graph that could tell of other parents than the commits. */
export const plainSettings = ["core.commitGraph=false"];

interface GitTrouble {
  exitCode: number | null;
  stderr: Buffer;
  /** Why it did not start, or was ended. */
  problem: string | null;
}

/** Starts `git cat-file --batch`, by the rule of `openPlainPlace`. `close` it in any case. Throws TP_GIT. */
export async function openObjects(place: GitPlace, env: NodeJS.ProcessEnv): Promise<GitObjects> {
  const args = ["cat-file", "--batch"];
  const plain = await openPlainPlace(place, env);
  const settings = plainSettings.flatMap((setting) => ["-c", setting]);
  const child = spawn("git", [...plain.args, ...settings, ...args], {
    cwd: place.top,
    env: { ...withoutGit(env), ...plain.variables },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const end: GitTrouble = { exitCode: null, stderr: Buffer.alloc(0), problem: null };
  const closed = new Promise<void>((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      end.problem = error.code === "ENOENT" ? `git is not on the PATH, or ${place.top} is gone` : error.message;
      resolve();
    });
    child.on("close", (code) => {
      end.exitCode = code;
      resolve();
    });
  });
  // A write to a process that has ended; that it has ended is seen where its answer is missing.
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (piece: Buffer) => {
    if (end.stderr.length < 4096) end.stderr = Buffer.concat([end.stderr, piece]);
  });
  const source = readPieces(child.stdout, async () => {
    // What it said of its end may come after its last answer.
    await closed;
    return gitError(place, args, { ...end, said: end.problem ?? end.stderr.toString("utf8").trim() });
  });
  const answer = async (oid: string, maxBytes: number): Promise<GitObject> => {
    child.stdin.write(`${oid}\n`);
    const [, type, length] = (await source.line()).split(" ");
    const size = Number(length);
    if (type === "missing" || !Number.isSafeInteger(size)) return { kind: "missing" };
    const bytes = await source.take(size, type === "blob" && size <= maxBytes);
    await source.take(1, false);
    if (type !== "blob") return { kind: "missing" };
    return bytes === null ? { kind: "too_big", size } : { kind: "blob", bytes };
  };
  return {
    read: async (oid, maxBytes) => {
      const timer = setTimeout(() => {
        end.problem = `it did not end within ${gitTimeoutMs / 1000} s`;
        child.kill("SIGKILL");
      }, gitTimeoutMs);
      try {
        return await answer(oid, maxBytes);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => {
      child.stdin.end();
      child.stdout.destroy();
      child.kill("SIGTERM");
      plain.close();
    },
  };
}

/** The sizes of these blobs in bytes; what is missing or no blob has none. Throws TP_GIT. */
export async function sizesOf(
  place: GitPlace,
  oids: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  if (oids.length === 0) return sizes;
  const { stdout } = await runGit(place, ["cat-file", "--batch-check"], {
    cwd: place.top,
    env,
    extra: plainSettings,
    input: Buffer.from(oids.map((oid) => `${oid}\n`).join("")),
  });
  for (const line of stdout.toString("latin1").split("\n")) {
    const [oid = "", type, size] = line.split(" ");
    if (type === "blob") sizes.set(oid, Number(size));
  }
  return sizes;
}

/** Lines and counted bytes from a stream that is read as it is needed. */
function readPieces(stream: NodeJS.ReadableStream, ended: () => Promise<Error>) {
  const pieces = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  const more = async (): Promise<Buffer> => {
    const next = await pieces.next();
    if (next.done === true) throw await ended();
    return next.value;
  };
  return {
    line: async (): Promise<string> => {
      for (;;) {
        const at = rest.indexOf(0x0a);
        if (at >= 0) {
          const line = rest.toString("latin1", 0, at);
          rest = rest.subarray(at + 1);
          return line;
        }
        rest = Buffer.concat([rest, await more()]);
      }
    },
    /** Null where they are not kept. */
    take: async (count: number, keep: boolean): Promise<Buffer | null> => {
      const kept: Buffer[] = [];
      let left = count;
      while (left > 0) {
        if (rest.length === 0) rest = await more();
        const part = rest.subarray(0, left);
        rest = rest.subarray(part.length);
        left -= part.length;
        if (keep) kept.push(part);
      }
      return keep ? Buffer.concat(kept) : null;
    },
  };
}
