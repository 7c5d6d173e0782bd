import { relative, sep } from "node:path";
import type { TaskPlace } from "../anchor/task-place.ts";
import { runnerArtifact } from "../evidence/files/list-artifacts.ts";
import type { StepProof } from "../machine/facts.ts";
import type { NamedProof } from "../task-folder/steps.ts";
import { fileIn } from "./prove-features.ts";

/** For each proof that a ticked item of TASKS.md names: is it a non-empty file of the agent, really under artifacts/? */
export function proveSteps({ taskDir }: Pick<TaskPlace, "taskDir">, proofs: readonly NamedProof[]): StepProof[] {
  return proofs
    .filter(({ done }) => done)
    .map(({ text, line, path }) => ({ text, line, path, problem: judgeNamed(taskDir, path) }));
}

function judgeNamed(taskDir: string, path: string): string | null {
  const file = fileIn(taskDir, path);
  const inside = file === null ? null : relative(taskDir, file).split(sep).join("/");
  if (inside === null) return "but there is no such non-empty regular file";
  if (!inside.startsWith("artifacts/")) return "but that is not under artifacts/";
  return runnerArtifact(inside) ? "but task-phase wrote that file" : null;
}
