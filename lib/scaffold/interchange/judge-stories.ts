import path from "node:path";
import { readIfGood, taskFiles } from "../../documents/read-task-file.ts";
import { errorFinding, type Finding } from "../../text/finding.ts";
import { nearestWord } from "../../text/nearest.ts";
import { shorten } from "../../text/shorten.ts";
import { judgeId } from "../init/names.ts";
import { importedMark } from "./make-task-files.ts";
import type { Story } from "./prd-shape.ts";

type Known = Pick<KnownTask, "id" | "dependsOn">;

/** Judges ids and dependencies: impossible or doubled ids, unknown dependencies, circles. */
export function judgeStories(stories: readonly Story[], known: readonly Known[]): Finding[] {
  const problems = [...judgeIds(stories), ...judgeDependencies(stories, known)];
  return problems.length > 0 ? problems : judgeCircles(stories, known);
}

function judgeIds(stories: readonly Story[]): Finding[] {
  const seen = new Set<string>();
  return stories.flatMap((story) => {
    const place = story.place("id");
    const bad = judgeId(story.id, "an id").map((finding) =>
      errorFinding("TP_PRD_ID", finding.message, { ...place, fix: finding.fix }),
    );
    if (seen.has(story.id)) {
      const message = `the id "${shorten(story.id)}" appears twice`;
      bad.push(errorFinding("TP_PRD_DOUBLE_ID", message, { ...place, fix: "give each story its own id" }));
    }
    seen.add(story.id);
    return bad;
  });
}

function judgeDependencies(stories: readonly Story[], known: readonly Known[]): Finding[] {
  const ids = [...stories, ...known].map(({ id }) => id);
  const all = new Set(ids);
  return stories.flatMap((story) =>
    story.dependsOn.flatMap((id, index) => {
      if (all.has(id)) return [];
      const near = nearestWord(
        id,
        ids.filter((other) => other !== story.id),
      );
      const message = `${shorten(story.id)} depends on "${shorten(id)}", which is neither a story of the file nor a task of the tasks root`;
      const fix = near === null ? "remove it from dependsOn, or add that story" : `did you mean ${near}?`;
      return [errorFinding("TP_DEPENDENCY_UNKNOWN", message, { ...story.place("dependsOn", index), fix })];
    }),
  );
}

/** A task that is there already keeps its own dependencies, whatever the file says of it. */
function judgeCircles(stories: readonly Story[], known: readonly Known[]): Finding[] {
  const needs = new Map([...stories, ...known].map(({ id, dependsOn }) => [id, dependsOn]));
  const cleared = new Set<string>();
  for (const story of stories) {
    const circle = findCircle(story.id, needs, [], cleared);
    if (circle === null) continue;
    const member = stories.find(({ id }) => circle.includes(id)) ?? story;
    const message = `stories depend on each other in a cycle: ${circle.map((id) => shorten(id)).join(" → ")}`;
    const place = { ...member.place("dependsOn"), fix: "remove one of these from a dependsOn" };
    return [errorFinding("TP_DEPENDENCY_CYCLE", message, place)];
  }
  return [];
}

function findCircle(
  id: string,
  needs: ReadonlyMap<string, readonly string[]>,
  path: readonly string[],
  cleared: Set<string>,
): string[] | null {
  if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
  if (cleared.has(id)) return null;
  for (const next of needs.get(id) ?? []) {
    const circle = findCircle(next, needs, [...path, id], cleared);
    if (circle !== null) return circle;
  }
  cleared.add(id);
  return null;
}

/** A task that is in the tasks root already. */
export type KnownTask = Readonly<ReturnType<typeof readKnownTasks>[number]>;

/** The tasks of these folders. One whose brief cannot be read has no id that could be met, and is left out. */
export function readKnownTasks(folders: readonly string[]) {
  return folders.flatMap((folder) => {
    const brief = readIfGood(taskFiles.brief, folder);
    if (brief === null) return [];
    const { id, dependsOn } = brief.contract;
    return [{ id, dependsOn, folder, body: brief.body }];
  });
}

/** True if an import made this task, or would: by its mark, else by its folder's name. */
export function isOwnTask(task: KnownTask, name: string): boolean {
  return task.body.includes(importedMark) || path.basename(task.folder) === name;
}

export function idTaken(task: KnownTask, name: string, place: Parameters<typeof errorFinding>[2]): Finding {
  const other = path.basename(task.folder);
  return errorFinding(
    "TP_IMPORT_ID_TAKEN",
    `the id "${shorten(task.id)}" belongs to the task in ${shorten(other)}/, which no import made`,
    { ...place, fix: `change one of the two ids; if they are the same task, rename that folder to ${name}` },
  );
}
