import { type ConnectOpts, Socket, type SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";

export interface Output {
  /** Resolves at the end. A piece is valid during the call alone: its memory is reused. */
  read(take: (piece: Uint8Array) => void): Promise<void>;
  destroy(): void;
}

/** The capacity of Linux's pipes. */
const bufferBytes = 64 * 1024;

/** One reused buffer: Node's streams allocate faster than hundreds of megabytes are collected. */
export function openOutput(descriptor: number): Output {
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);
  const early: Uint8Array[] = [];
  let take = (piece: Uint8Array): void => void early.push(Buffer.from(piece));
  const callback = (length: number): boolean => {
    take(buffer.subarray(0, length));
    return true;
  };
  // By the types, `onread` is for connecting sockets only; Socket itself reads it.
  const options: SocketConstructorOpts & ConnectOpts = {
    fd: descriptor,
    readable: true,
    writable: false,
    onread: { buffer, callback },
  };
  const socket = new Socket(options);
  return {
    read(taker) {
      for (const piece of early.splice(0)) taker(piece);
      take = taker;
      return untilEnd(socket);
    },
    destroy: () => void socket.destroy(),
  };
}

export function readStream(stream: Readable): Output {
  return {
    read(take) {
      stream.on("data", take);
      return untilEnd(stream);
    },
    destroy: () => void stream.destroy(),
  };
}

/** An error of the pipe only ends the output. */
function untilEnd(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  });
}

/** A full pipe takes few turns; more output comes from a writer that could not be ended. */
const mostTurns = 1_000;

/** Resolves after an event-loop turn without new input. Time proves nothing: a busy machine delays reads. */
export async function untilQuiet(seen: () => number): Promise<void> {
  let before = Number.NaN;
  for (let turn = 0; turn < mostTurns && before !== seen(); turn++) {
    before = seen();
    // Pipes are read between these two.
    await nextTurn();
    await nextTurn();
  }
}
