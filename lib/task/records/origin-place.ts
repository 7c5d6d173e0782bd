import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { statEntry } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { namesIn, stateHome, sweepFolder } from "../../store/state-home.ts";
import { dropOrigin, type OriginPlace } from "../origin.ts";
import type { Anchor } from "./anchor.ts";
import type { PassPorts } from "./ports.ts";

/** Where the work as at pass 1 is kept: with the anchor, and shared between tasks of the same code. */
export function originPlace(anchor: Pick<Anchor, "folder">, ports: Pick<PassPorts, "env" | "home">): OriginPlace {
  return { folder: join(anchor.folder, "origin"), pool: join(stateHome(ports.env, ports.home), "origins") };
}

export function dependenciesFile(anchor: Pick<Anchor, "folder">, ports: Pick<PassPorts, "env" | "home">): string {
  return join(originPlace(anchor, ports).folder, "dependencies.jsonl");
}

const mostBytes = 64 * 1024;

export function recordOwner({ folder }: OriginPlace, taskDir: string): void {
  putFile(join(folder, "task.txt"), taskDir, { mode: 0o600 });
}

/**
 * Removes half-written files of killed runs from the task folders: a task that is done is never run again, which would do
 * that. And the work as at pass 1 of deleted tasks. Done and blocked tasks keep it, since a person may reopen them; so do
 * those whose whole tasks root is missing, as on an unmounted disk.
 */
export function sweepOrigins(stateHome: string): void {
  const tasks = join(stateHome, "tasks");
  if (statEntry(tasks)?.isDirectory() !== true) return;
  for (const name of readdirSync(tasks)) {
    const folder = join(tasks, name, "origin");
    const read = readRegularFile(join(folder, "task.txt"), mostBytes);
    if (read.kind !== "file") continue;
    const taskDir = read.bytes.toString("utf8");
    const isGone = statEntry(taskDir) === null && statEntry(dirname(taskDir))?.isDirectory() === true;
    if (isGone) dropOrigin({ folder, pool: join(stateHome, "origins") });
    else sweepTask(taskDir);
  }
}

/** Follows no link: an agent may have made one. */
function sweepTask(taskDir: string): void {
  const artifacts = join(taskDir, "artifacts");
  const passes = namesIn(artifacts).includes("passes") ? join(artifacts, "passes") : null;
  const folders = passes === null ? [] : namesIn(passes).map((pass) => join(passes, pass));
  for (const folder of [taskDir, artifacts, ...folders]) sweepFolder(folder);
}
