import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { showHidden } from "../../documents/templates/visible.ts";
import type { EvidenceFacts } from "../../rules/facts.ts";
import { orElse } from "../../text/attempt.ts";
import { type ArtifactRow, listArtifacts, runnerArtifact } from "./list-artifacts.ts";

/** So many files are named in the facts; more prove nothing more. */
const namedFiles = 200;

/**
 * Looks for the agent's proof at the Evidence location: non-empty regular files, really under artifacts/, outside
 * passes/, that no task-phase command wrote. No link is followed at any step. `location` is the field's value as it is
 * in STATE.md: one path, or several words with paths among them, each of which must hold proof. The link target is the
 * one file if the proof is a single file, which the Evidence link then names behind EVIDENCE.md; else EVIDENCE.md.
 */
export function findProof(
  taskDir: string,
  location: string,
  rows: readonly ArtifactRow[] = listArtifacts(taskDir, "agent"),
): EvidenceFacts {
  const whole = plainLocation(location);
  const first = findFiles(whole, rows);
  const named = first.problem === null ? [] : namedLocations(location, taskDir);
  const path = named.length === 0 ? whole : named.join(", ");
  const looked = named.length === 0 ? [first] : named.map((name) => findFiles(name, rows));
  const problem = looked.find((look) => look.problem !== null)?.problem ?? null;
  if (problem !== null) return { location: path, problem, files: [], link_target: null, link_target_exists: false };
  const held = new Set(looked.flatMap(({ files }) => files));
  const found = rows.filter((row) => held.has(row));
  const single =
    found.length === 1 && found[0] !== undefined && isRegularFile(taskDir, found[0].path) ? found[0].path : null;
  const target = single ?? "EVIDENCE.md";
  return {
    location: path,
    problem: null,
    files: found.slice(0, namedFiles).map((row) => row.path),
    link_target: target,
    link_target_exists: isRegularFile(taskDir, target),
  };
}

/** The agent's files at one path, or why there are none. */
function findFiles(path: string, rows: readonly ArtifactRow[]): { files: ArtifactRow[]; problem: string | null } {
  const problem = locationProblem(path);
  if (problem !== null) return { files: [], problem };
  const wanted = showHidden(path);
  const files = rows.filter(
    (row) => row.kind === "agent" && row.size > 0 && (row.path === wanted || row.path.startsWith(`${wanted}/`)),
  );
  const empty = `${wanted} has no non-empty regular file that the agent wrote, outside artifacts/passes/`;
  return { files, problem: files.length > 0 ? null : empty };
}

/** The path that the field names: without code marks, angle brackets, a link's text, `./` and a slash at the end. */
export function plainLocation(location: string): string {
  const line = location.trim();
  const linked = /^\[[^\]]*\]\(<?([^()<>]*)>?\)$/.exec(line);
  const bare = linked?.[1] === undefined ? line.replace(/^[`<\s]+|[`>\s]+$/g, "") : decode(linked[1].trim());
  return bare.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

function locationProblem(path: string): string | null {
  const segments = path.split("/");
  const shown = showHidden(path);
  if (path === "") return "Evidence location is empty; name a file or folder under artifacts/";
  if (path.startsWith("/") || segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    return `Evidence location ${shown} is not a plain path under artifacts/`;
  }
  if (segments[0] !== "artifacts") return `Evidence location ${shown} is not under artifacts/`;
  if (runnerArtifact(path))
    return `Evidence location ${shown} is written by the runner; put the agent's proof elsewhere under artifacts/`;
  return null;
}

function isRegularFile(taskDir: string, path: string): boolean {
  return lstatSync(join(taskDir, path), { throwIfNoEntry: false })?.isFile() === true;
}

/**
 * The paths under artifacts/ that an Evidence location names among other words: in links, in code marks, and bare. A
 * path that leads through the task's own folder counts from there. Without doubles, in their order.
 */
function namedLocations(location: string, taskDir: string): string[] {
  const marked: string[] = [];
  const take = (path: string): string => {
    marked.push(path);
    return " ";
  };
  const bare = location
    .replace(/<!--[\s\S]*?-->/g, " ")
    .replace(/!?\[[^\]]*\]\(<?([^()<>]*)>?\)/g, (_, target: string) => take(decode(target)))
    .replace(/(`+)([^`]+)\1/g, (_, __: string, path: string) => take(path));
  const words = bare.split(/[\s,;|]+/).map((word) => word.replace(/^[<("'“*_[+-]+|[>)"'”*_\].,;:!?]+$/g, ""));
  const paths = [...marked, ...words].map((path) => fromTask(path.trim(), taskDir));
  return [...new Set(paths.filter((path) => /^artifacts(?:\/|$)/.test(path)))];
}

function fromTask(path: string, taskDir: string): string {
  const own = `${basename(taskDir)}/`;
  const at = path.startsWith("/") ? (path.startsWith(`${taskDir}/`) ? taskDir.length + 1 : 0) : path.indexOf(own);
  const inTask = path.startsWith("/")
    ? path.slice(at)
    : at >= 0 && (at === 0 || path[at - 1] === "/")
      ? path.slice(at + own.length)
      : path;
  return inTask.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
}

/** The target of a Markdown link as a path. */
function decode(address: string): string {
  return orElse(() => decodeURIComponent(address.trim()), address);
}
