import { type ChildCall, explainStart, killChild, spawnPiped } from "./spawn-child.ts";

/** How a program ended that should have gone on answering. */
export interface TalkEnd {
  readonly exitCode: number | null;
  /** Why it did not start or was ended, else the beginning of its standard error. */
  readonly said: string;
}

/** A program that answers one request after the other. */
export interface ToolTalk {
  /** Writes the request and reads the answer to it, within the time of a request; else the program is killed. */
  ask<Answer>(request: string, read: (answer: AnswerReader) => Promise<Answer>): Promise<Answer>;
  close(): void;
}

/** Both throw the error of `failure` if the program ends early. */
export interface AnswerReader {
  line(): Promise<string>;
  /** Null if they are not kept. */
  take(count: number, keep: boolean): Promise<Buffer | null>;
}

const mostSaid = 4096;

/** Starts a program that the runner trusts, and keeps it for many requests. `close` it in any case. */
export function talkToTool(
  call: ChildCall & { readonly timeoutMs: number },
  failure: (end: TalkEnd) => Error,
): ToolTalk {
  const child = spawnPiped(call);
  let said = Buffer.alloc(0);
  let problem: string | null = null;
  const closed = new Promise<number | null>((resolve) => {
    child.on("error", (error) => {
      problem = explainStart(error, call);
      resolve(null);
    });
    child.on("close", resolve);
  });
  // A write to a process that has ended; its missing answer shows that.
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (piece: Buffer) => {
    if (said.length < mostSaid) said = Buffer.concat([said, piece]);
  });
  const answer = readPieces(child.stdout, async () => {
    // The reason of its end may come after its last answer.
    const exitCode = await closed;
    return failure({ exitCode, said: problem ?? said.toString("utf8").trim() });
  });
  return {
    ask: async (request, read) => {
      const timer = setTimeout(() => {
        problem = `it did not end within ${call.timeoutMs / 1000} s`;
        killChild(child);
      }, call.timeoutMs);
      try {
        child.stdin.write(request);
        return await read(answer);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => {
      child.stdin.end();
      child.stdout.destroy();
      // The number of one that has ended may be another's by now.
      if (child.exitCode === null && child.signalCode === null) killChild(child);
    },
  };
}

/** Lines and counted bytes from a stream that is read as it is needed. */
function readPieces(stream: NodeJS.ReadableStream, ended: () => Promise<Error>): AnswerReader {
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
