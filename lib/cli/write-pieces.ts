import type { OutputStream } from "./io.ts";

/** So many characters are worth a call of the kernel. */
const mostAtOnce = 64 * 1024;

/** Writes pieces as they are made, and no faster than they are taken. Ends early if nobody reads any more. */
export async function writePieces(stream: OutputStream, pieces: Iterable<string>): Promise<void> {
  let waiting = "";
  for (const piece of pieces) {
    waiting += piece;
    if (waiting.length < mostAtOnce) continue;
    const isTaken = await put(stream, waiting);
    if (!isTaken) return;
    waiting = "";
  }
  if (waiting !== "") stream.write(waiting);
}

/** Resolves when the stream takes more: false if it never will. What went wrong is heard by whoever ends the process. */
async function put(stream: OutputStream, text: string): Promise<boolean> {
  const { once, off } = stream;
  if (stream.write(text) !== false || once === undefined || off === undefined) return true;
  return await new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      for (const [name, listener] of listeners) off.call(stream, name, listener);
      resolve(isTaken);
    };
    const listeners = [
      ["drain", () => end(true)],
      ["error", () => end(false)],
      ["close", () => end(false)],
    ] as const;
    for (const [name, listener] of listeners) once.call(stream, name, listener);
  });
}
