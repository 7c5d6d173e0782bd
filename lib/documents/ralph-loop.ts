import { join } from "node:path";
import { parseDocument } from "yaml";
import { readRegularFile } from "../store/read-file.ts";

/**
 * The state file of a Ralph loop that is running in the repo; null if none is. That loop keeps its session going forever,
 * so two would work on the same repo.
 */
export function activeLoopFile(repo: string): string | null {
  const path = join(repo, ".claude", "ralph-loop.local.md");
  const read = readRegularFile(path, 1024 * 1024);
  return read.kind === "file" && saysActive(read.bytes.toString("utf8")) ? path : null;
}

function saysActive(text: string): boolean {
  const match = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)/.exec(text);
  if (match?.[1] === undefined) return false;
  const document = parseDocument(match[1], { schema: "core", logLevel: "silent" });
  if (document.errors.length > 0) return /^active:\s*true\s*$/m.test(match[1]);
  return document.get("active") === true;
}
