import { parseDocument } from "yaml";

/**
 * True if the text is the state file of a Ralph loop (`.claude/ralph-loop.local.md`) that says `active: true`. That
 * loop keeps its session going forever, so two would work on the same repo.
 */
export function saysActiveLoop(text: string): boolean {
  const match = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)/.exec(text);
  if (match?.[1] === undefined) return false;
  const document = parseDocument(match[1], { schema: "core", logLevel: "silent" });
  if (document.errors.length > 0) return /^active:\s*true\s*$/m.test(match[1]);
  return document.get("active") === true;
}
