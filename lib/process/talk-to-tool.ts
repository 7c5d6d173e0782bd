import { type ChildCall, explainStart, killChild, spawnPiped } from "./spawn-child.ts";

export interface TalkEnd {
  readonly exitCode: number | null;
  /** Why it did not start or was ended, else the beginning of its standard error. */
  readonly said: string;
}

export interface ToolTalk {
  /** Kills the program if the answer takes longer than a request may. */
  ask<Answer>(request: string, read: (answer: AnswerReader) => Promise<Answer>): Promise<Answer>;
  close(): void;
}

/** Both throw `failure`'s error if the program ends early. */
interface AnswerReader {
  line(): Promise<string>;
  take(count: number, keep: boolean): Promise<Buffer | null>;
}

const mostSaid = 4096;

/** Starts a trusted program for many requests. Always `close` it. */
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
  // A write to an ended process; the missing answer shows that.
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (piece: Buffer) => {
    if (said.length < mostSaid) said = Buffer.concat([said, piece]);
  });
  const answer = readPieces(child.stdout, async () => {
    // The reason for its end may come after its last answer.
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
      // An ended process's pid may be reused.
      if (child.exitCode === null && child.signalCode === null) killChild(child);
    },
  };
}

/** Lines and counted bytes, read on demand. */
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
