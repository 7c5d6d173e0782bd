import type { TaskEvent } from "../../lib/rules/events.ts";
import { code } from "../pages/full-task.ts";

/** A task folder but for what `task-phase evidence` makes of it. */
export interface TaskFolder {
  readonly name: string;
  readonly title: string;
  readonly dependsOn?: readonly string[];
  readonly events: readonly TaskEvent[];
  /** By path in the task folder, as bytes where the name is no UTF-8. */
  readonly files: readonly (readonly [path: string | Buffer, content: string | Buffer])[];
}

/** Where the repository of the arranged tasks stands. Nothing is there. */
export const hostedAt = code.web ?? "";
