import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { EvidenceFacts } from "../machine/facts.ts";
import { showHidden } from "../templates/visible.ts";
import { type ArtifactRow, listArtifacts, runnerArtifact } from "./list-artifacts.ts";

/** So many files are named in the facts; more prove nothing more. */
const namedFiles = 200;

/**
 * Looks for the agent's proof at the Evidence location: non-empty regular files, really under artifacts/, outside
 * passes/, that no task-phase command wrote. No link is followed at any step. `location` is the field's value as it
 * stands in STATE.md. The link target is the one file where the proof is a single file, else EVIDENCE.md.
 */
export function findProof(
  taskDir: string,
  location: string,
  rows: readonly ArtifactRow[] = listArtifacts(taskDir, "agent"),
): EvidenceFacts {
  const path = plainLocation(location);
  const problem = locationProblem(path);
  if (problem !== null) return without(path, problem);
  const wanted = showHidden(path);
  const found = rows.filter(
    (row) => row.kind === "agent" && row.size > 0 && (row.path === wanted || row.path.startsWith(`${wanted}/`)),
  );
  if (found.length === 0)
    return without(path, `${wanted} holds no non-empty regular file that the agent wrote, outside artifacts/passes/`);
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
    return `Evidence location ${shown} is written by the runner; the agent's proof stands elsewhere under artifacts/`;
  return null;
}

function without(location: string, problem: string): EvidenceFacts {
  return { location, problem, files: [], link_target: null, link_target_exists: false };
}

function isRegularFile(taskDir: string, path: string): boolean {
  return lstatSync(join(taskDir, path), { throwIfNoEntry: false })?.isFile() === true;
}

function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
