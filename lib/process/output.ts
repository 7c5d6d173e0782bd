import { type ConnectOpts, Socket, type SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";

/** One output of a process, as it comes. */
export interface Output {
  /** Calls `take` for each piece and resolves at the end. A piece holds during the call alone: its memory is used again. */
  read(take: (piece: Uint8Array) => void): Promise<void>;
  destroy(): void;
}

/** Of Linux's pipes, which hold as much. */
const bufferBytes = 64 * 1024;

/**
 * The reading end of a pipe, with one buffer for all that comes. Node's streams make a new one for each piece, and
 * hundreds of megabytes of output fill memory faster than it is collected.
 */
export function openOutput(descriptor: number): Output {
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);
  const early: Uint8Array[] = [];
  let take = (piece: Uint8Array): void => void early.push(Buffer.from(piece));
  const callback = (length: number): boolean => {
    take(buffer.subarray(0, length));
    return true;
  };
  // The types know `onread` only of sockets that connect; Socket itself reads it.
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

/** An error of the pipe ends the output, and no more: what came until then is kept. */
function untilEnd(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  });
}
