import { StringDecoder } from "node:string_decoder";

/** So much of a line is kept, so that memory does not grow with it. */
const longestLine = 64 * 1024;

/** Hands over each line that is whole, in order, however the chunks cut it; of a long one its beginning. */
export function readTextLines(take: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (chunk) => {
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    rest = (rest + first).slice(0, longestLine);
    for (const line of others) {
      take(rest);
      rest = line.slice(0, longestLine);
    }
  };
}
