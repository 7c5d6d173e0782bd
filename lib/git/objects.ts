import { spawn } from "node:child_process";
import type { GitPlace } from "./place.ts";
import { gitArguments, gitEnvironment, gitError, runGit } from "./run-git.ts";

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

/** Objects as they are: no replacement, no graft, no cached graph that could tell of other parents. */
export const plainObjects: Readonly<Record<string, string>> = {
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  GIT_NO_LAZY_FETCH: "1",
};
export const plainSettings = ["core.commitGraph=false", "log.showSignature=false", "log.mailmap=false"];

/** For one object: a disk that hangs must not hold the reader for ever. */
const timeoutMs = 120_000;

interface GitTrouble {
  code?: string | undefined;
  exitCode?: number | undefined;
  stderr: Buffer;
  timedOut: boolean;
}

/** Starts `git cat-file --batch`, with what `runGit` switches off switched off. `close` it in any case. */
export function openObjects(place: GitPlace, env: NodeJS.ProcessEnv): GitObjects {
  const args = ["cat-file", "--batch"];
  const child = spawn("git", gitArguments(place, args, plainSettings), {
    cwd: place.top,
    env: { ...gitEnvironment(env), ...plainObjects },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const end: GitTrouble = { stderr: Buffer.alloc(0), timedOut: false };
  const closed = new Promise<void>((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      end.code = error.code;
      resolve();
    });
    child.on("close", (code) => {
      end.exitCode = code ?? undefined;
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
    return gitError(place, args, end);
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
        end.timedOut = true;
        child.kill("SIGKILL");
      }, timeoutMs);
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
    variables: plainObjects,
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
