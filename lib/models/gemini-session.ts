import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * What a session of gemini's may have left below its own folder, one folder a project: the talk, under a name that holds
 * the beginning of its id, and what carries the whole id. Seen as 0.61.0. Empty for an id that is none of its own.
 */
export function geminiSessionPaths(folder: string, sessionId: string): readonly string[] {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(sessionId)) return [];
  const ending = `-${sessionId.slice(0, 8)}.jsonl`;
  return list(join(folder, "tmp")).flatMap((project) => {
    const chats = join(folder, "tmp", project, "chats");
    const talks = list(chats).filter((name) => name.startsWith("session-") && name.endsWith(ending));
    return [
      ...talks.map((name) => join(chats, name)),
      join(chats, sessionId),
      join(folder, "tmp", project, "logs", `session-${sessionId}.jsonl`),
      join(folder, "tmp", project, "tool-outputs", `session-${sessionId}`),
      join(folder, "tmp", project, sessionId),
    ];
  });
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
