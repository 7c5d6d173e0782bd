import { join } from "node:path";
import { stands, type TaskPlace } from "./task-place.ts";

/** Lines of the prompt that name the files in which questions were answered, one sentence each. */
export function tellAnswers(place: TaskPlace): string[] {
  return [
    ...(stands(place.decisions)
      ? ["What was asked and answered stands in DECISIONS.md of the task folder; read it first."]
      : []),
    ...(stands(join(place.taskDir, "ASSUMPTIONS.md"))
      ? [
          "Safe defaults that were taken because nobody answered stand in ASSUMPTIONS.md; work by them unless DECISIONS.md says otherwise by now.",
        ]
      : []),
  ];
}
