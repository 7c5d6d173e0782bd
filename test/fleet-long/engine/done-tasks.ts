import type { Fleet } from "../../fleet/fleet-world.ts";

/** The tasks that a remote has as done, by the last commit of each branch: one call of git, whatever their number. */
export function doneTasks(fleet: Fleet): Set<string> {
  const shown = fleet.inRemote("for-each-ref", "--format=%(refname:lstrip=3) %(subject)", "refs/heads/task-phase");
  const done = shown.split("\n").filter((line) => line.includes(" → done (accepted, "));
  return new Set(done.map((line) => line.slice(0, line.indexOf(" "))));
}
