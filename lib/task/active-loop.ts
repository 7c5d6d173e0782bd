import { join } from "node:path";
import { saysActiveLoop } from "../documents/ralph-loop.ts";
import { readRegularFile } from "../store/read-file.ts";

/** The file that says that another loop is running in the repo; null if none does. */
export function activeLoopFile(repo: string): string | null {
  const path = join(repo, ".claude", "ralph-loop.local.md");
  const read = readRegularFile(path, 1024 * 1024);
  return read.kind === "file" && saysActiveLoop(read.bytes.toString("utf8")) ? path : null;
}
