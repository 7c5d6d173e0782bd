import { untilQuiet } from "./output.ts";
import { type ChildCall, explainStart, killChild, spawnPiped } from "./spawn-child.ts";

export interface ToolCall extends ChildCall {
  readonly timeoutMs: number;
  /** Kept of each output; exceeding it on standard output ends the call. */
  readonly maxBytes: number;
  readonly input?: Buffer;
  readonly signal?: AbortSignal | null;
}

export interface ToolEnd {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  /** Standard error, or why it was ended. */
  readonly said: string;
}

/** How long to keep reading after exit while a leftover child holds the pipe. */
const patienceMs = 500;

/** Ends the program's group on timeout, excess output or the signal. The end is a fact in the result. */
export function runTool(call: ToolCall): Promise<ToolEnd> {
  return new Promise((settle) => {
    if (call.signal?.aborted === true) {
      settle({ exitCode: null, stdout: Buffer.alloc(0), said: "stopped by a signal" });
      return;
    }
    const child = spawnPiped(call);
    const [out, said] = [keeper(call.maxBytes), keeper(call.maxBytes)];
    let ended: string | null = null;
    let isSettled = false;
    const end = (why: string): void => {
      ended ??= why;
      killChild(child);
    };
    const onAbort = (): void => end("stopped by a signal");
    const timer = setTimeout(() => end(`it did not end within ${call.timeoutMs / 1000} s`), call.timeoutMs);
    call.signal?.addEventListener("abort", onAbort, { once: true });
    const finish = (exitCode: number | null, failure: string | null): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      const problem = ended ?? failure;
      settle({
        exitCode: problem === null ? exitCode : null,
        stdout: out.bytes(),
        said: problem ?? said.bytes().toString("utf8").trim(),
      });
    };
    child.stdout.on("data", (chunk: Buffer) => {
      if (!out.keep(chunk)) end(`it printed more than ${call.maxBytes} bytes`);
    });
    child.stderr.on("data", (chunk: Buffer) => said.keep(chunk));
    // A write to an ended process; its end is what counts.
    child.stdin.on("error", () => undefined);
    child.stdin.end(call.input ?? Buffer.alloc(0));
    child.on("error", (error) => finish(null, explainStart(error, call)));
    child.on("exit", (code) => {
      const seen = (): number => out.seen() + said.seen();
      const patience = setTimeout(() => void untilQuiet(seen).then(() => finish(code, null)), patienceMs);
      child.on("close", () => {
        clearTimeout(patience);
        finish(code, null);
      });
    });
  });
}

interface Keeper {
  readonly keep: (chunk: Buffer) => boolean;
  readonly seen: () => number;
  readonly bytes: () => Buffer;
}

function keeper(maxBytes: number): Keeper {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    seen: () => length,
    /** False if there is no more room; drops the chunk. */
    keep: (chunk: Buffer): boolean => {
      if (length + chunk.length > maxBytes) return false;
      chunks.push(chunk);
      length += chunk.length;
      return true;
    },
    bytes: (): Buffer => Buffer.concat(chunks),
  };
}
