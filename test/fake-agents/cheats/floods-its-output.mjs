// Prints AGENT_MEGABYTES (64) to each stream, after honest work.
import { writeSync } from "node:fs";
import { workHonestly } from "../honest.mjs";

const megabyte = `${"the same words over and over again ".repeat(32_000)}\n`.slice(-1024 * 1024);

/** Blocks until all is written: the stream is a pipe that may be full. */
function writeAll(descriptor, text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

workHonestly();
for (let count = Number(process.env.AGENT_MEGABYTES ?? "64"); count > 0; count -= 1) {
  writeAll(1, megabyte);
  writeAll(2, megabyte);
}
