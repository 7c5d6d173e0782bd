import { phaseDiagram } from "./phase-diagram.ts";
import { renderTemplate } from "./render.ts";
import { showShort } from "./visible.ts";

/** The values that `init` was given for a brief; null and empty mean not given. */
export interface BriefData {
  readonly id: string;
  readonly title: string;
  readonly priority: number | null;
  readonly dependsOn: readonly string[];
  /** Relative to the task folder. */
  readonly repo: string | null;
  readonly userFacing: boolean;
  readonly validators: readonly { readonly name: string; readonly command: readonly string[] }[];
}

export interface StateData {
  readonly id: string;
  readonly title: string;
  readonly userFacing: boolean;
  /** ISO 8601, UTC. */
  readonly now: string;
}

export interface TaskNames {
  readonly id: string;
  readonly title: string;
}

/** A model that a new task-phase.yaml names: its adapter has the same name. */
export interface ModelData {
  readonly name: string;
  /** Names of the variables that it is to get. */
  readonly env: readonly string[];
  /** The name of a variable that it knows. */
  readonly example: string;
}

/** A new README.md: live keys for what was given, the defaults of the others as comments. */
export function renderBrief(data: BriefData): string {
  return renderTemplate("README.md", { ...data, heading: heading(data).title });
}

/** A new STATE.md in intake. */
export function renderState(data: StateData): string {
  return renderTemplate("STATE.md", { ...data, ...heading(data), diagram: phaseDiagram("intake") });
}

/** A new TASKS.md without items. */
export function renderSteps(data: TaskNames): string {
  return renderTemplate("TASKS.md", heading(data));
}

/** A new EVIDENCE.md: the runner's parts `status`, `checks` and `record`, and the agent's table under Proof. */
export function renderEvidenceFile(data: TaskNames): string {
  return renderTemplate("EVIDENCE.md", heading(data));
}

/** A new task-phase.yaml with these models, and every other key as a comment that shows its default. */
export function renderConfigFile(models: readonly ModelData[]): string {
  return renderTemplate("task-phase.yaml", { models });
}

/** The brief holds the whole title; a heading needs no more than this of it. */
function heading(data: TaskNames): TaskNames {
  return { id: showShort(data.id, 80), title: showShort(data.title, 200) };
}
