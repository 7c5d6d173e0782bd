import type { ListedTasks, NeededTask } from "../../task/judge-dependencies.ts";
import { isShown } from "../../task/list-tasks.ts";
import { placeOf } from "../../task/records/task-place.ts";
import type { RootList, Row } from "./list-root.ts";

/** The tasks of a list as the dependencies of one another. */
export function listedTasks({ tasksRoot, rows }: RootList): ListedTasks {
  const byId = new Map<string, Row | Row[]>();
  for (const row of rows) {
    const id = neededOf(row)?.id;
    if (id === undefined) continue;
    const same = byId.get(id);
    byId.set(id, same === undefined ? row : [...(Array.isArray(same) ? same : [same]), row]);
  }
  const seen = new Map<string, boolean>();
  let byName: ReadonlyMap<string, Row> | null = null;
  const needed = (row: Row): NeededTask[] => {
    const task = neededOf(row);
    return task === null ? [] : [{ id: task.id, dependsOn: task.dependsOn, folder: `${tasksRoot}/${row.name}` }];
  };
  return {
    find(id) {
      const found = byId.get(id) ?? [];
      return Array.isArray(found) ? found.flatMap(needed) : needed(found);
    },
    isAlone(id, name) {
      const found = byId.get(id);
      return found !== undefined && !Array.isArray(found) && found.name === name;
    },
    ids: () => [...byId.keys()],
    cleared: new Set(),
    isProven(folder) {
      byName ??= new Map(rows.map((row) => [row.name, row]));
      const row = byName.get(folder.slice(tasksRoot.length + 1));
      return row?.kind === "read" && isShown(row.files.history.phase, row.files.history.lastVerdict);
    },
    isDone(folder) {
      byName ??= new Map(rows.map((row) => [row.name, row]));
      const done = seen.get(folder) ?? isDoneRow(byName.get(folder.slice(tasksRoot.length + 1)), folder);
      seen.set(folder, done);
      return done;
    },
  };
}

function neededOf(row: Row): Pick<NeededTask, "id" | "dependsOn"> | null {
  if (row.kind === "read") return row.files.brief;
  return row.kind === "failed" ? row.needed : null;
}

function isDoneRow(row: Row | undefined, folder: string): boolean {
  if (row?.kind === "read") return row.files.history.phase === "done";
  return row?.kind === "failed" && row.isDone(placeOf(folder));
}
