import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeWorld, type World } from "../../cli/arrange.ts";
import { decisionsFile, stateFile } from "../../cli/task-states.ts";
import { adoptedJournal } from "../../cli/task-world.ts";

/** Longer than the time for which the times of a file may not tell its next change. */
export const settledMs = 150;

const evidence = "# Evidence\n\n<!-- task-phase:begin status -->\n\n<!-- task-phase:end status -->\n";

/** A tasks root in a repository, with three tasks of which no file changed a moment ago. */
export async function makeRoot(t: TestContext): Promise<World> {
  const world = makeWorld(t);
  world.initRepo({ "good.txt": "good\n" }, "repo");
  world.write("repo/tasks/task-phase.yaml", "models: [{ name: mine, adapter: command, command: [cat] }]\n");
  for (const id of ["T-1", "T-2", "T-3"]) {
    const needs = id === "T-2" ? "depends_on: [T-1]\n" : "";
    const front = `---\nid: ${id}\ntitle: Export\n${needs}validators: [{ name: tests, command: [cat] }]\n---\n`;
    const readme = `${front}\n## What I want\n\nThe answer is exported.\n`;
    const state = stateFile({ phase: id === "T-3" ? "needs_user_decision" : "intake" });
    world.write(`repo/tasks/${id}/README.md`, readme);
    world.write(`repo/tasks/${id}/STATE.md`, state);
    if (id === "T-3") world.write(`repo/tasks/${id}/artifacts/journal.jsonl`, adoptedJournal(state, readme));
    world.write(`repo/tasks/${id}/EVIDENCE.md`, evidence);
  }
  world.write("repo/tasks/T-3/DECISIONS.md", decisionsFile(""));
  await sleep(settledMs);
  return world;
}
