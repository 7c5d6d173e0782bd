import { join } from "node:path";
import { readText } from "../store/read-file.ts";
import { listDiffering } from "./log.ts";
import type { GitPlace } from "./place.ts";
import { insideOf, isUnder } from "./stage.ts";

export interface ReflogEntry {
  readonly from: string;
  readonly to: string;
  /** For example `commit: Fix it`. */
  readonly message: string;
}

const mostBytes = 16 * 1024 * 1024;
const line = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*\t?(.*)$/;

/** All that git still knows of HEAD's moves, oldest first. */
export function listMoves({ gitDir }: GitPlace): ReflogEntry[] {
  const lines = (readText(join(gitDir, "logs", "HEAD"), mostBytes) ?? "").trimEnd().split("\n");
  return lines.flatMap((text): ReflogEntry[] => {
    const [, from = "", to = "", message = ""] = line.exec(text) ?? [];
    return to === "" ? [] : [{ from, to, message }];
  });
}

/**
 * The moves of HEAD since it was on this commit, after `known` moves, oldest first. If git has forgotten some of those, since
 * it was last there. None if it is there, or if the log does not know it.
 */
export function movesSince(place: GitPlace, commit: string, known = 0): ReflogEntry[] {
  const entries = listMoves(place);
  const at = entries[known - 1]?.to === commit ? known - 1 : entries.findLastIndex(({ to }) => to === commit);
  return at < 0 ? [] : entries.slice(at + 1);
}

/** What differs between two commits, relative to `repo`. Throws TP_GIT. */
export async function listBetween(
  place: GitPlace,
  repo: string,
  { from, to }: Pick<ReflogEntry, "from" | "to">,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const inside = insideOf(place, repo) ?? Buffer.alloc(0);
  return (await listDiffering(place, [from, to], env))
    .filter((path) => isUnder(path, inside))
    .map((path) => path.subarray(inside.length === 0 ? 0 : inside.length + 1).toString("utf8"));
}
