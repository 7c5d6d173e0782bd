import type { JsonObject } from "../../text/json-object.ts";

/** Keys under which the agent CLIs put what an agent says or does, for a person who looks on. */
const telling = new Set([
  "text",
  "content",
  "result",
  "command",
  "cmd",
  "file_path",
  "filePath",
  "path",
  "pattern",
  "url",
]);
/** What was told to the agent, or what a tool gave it: not its own words. */
const others = /^(?:user|system|tool|tool_result|function_call_output|tool_execution_end)$/;
const deepest = 7;

/**
 * What an event of an agent CLI says that the agent says or does; the last of it, or null. For a line on a terminal and
 * nothing else: no adapter is asked, and no verdict depends on it.
 */
export function saidIn(event: JsonObject): string | null {
  return find(event, deepest);
}

function find(value: unknown, depth: number): string | null {
  if (depth === 0 || typeof value !== "object" || value === null) return null;
  const { type, role } = value as JsonObject;
  if ([type, role].some((word) => typeof word === "string" && others.test(word))) return null;
  for (const [key, inner] of Object.entries(value).reverse()) {
    const said =
      typeof inner === "string" ? (telling.has(key) && inner.trim() !== "" ? inner : null) : find(inner, depth - 1);
    if (said !== null) return said;
  }
  return null;
}
