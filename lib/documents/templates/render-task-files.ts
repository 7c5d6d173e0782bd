import { yamlList, yamlString } from "../../text/yaml-string.ts";
import { mdInline } from "./markdown-escape.ts";
import { packageVersion } from "./package-files.ts";
import { phaseDiagram } from "./phase-diagram.ts";
import { renderTemplate } from "./render-template.ts";
import { showShort } from "./visible.ts";

/** The values that `init` was given for a brief; null and empty mean not given. */
export interface BriefData extends Omit<StateData, "now" | "frame"> {
  readonly priority: number | null;
  readonly dependsOn: readonly string[];
  /** Relative to the task folder. */
  readonly repo: string | null;
  readonly validators: readonly BriefCheck[];
  /** Checks that are shown as comments, each with the reason for it. */
  readonly offered: readonly (BriefCheck & { readonly why: string })[];
}

export interface BriefCheck {
  readonly name: string;
  readonly command: readonly string[];
}

/** A brief that a person brought along. */
export interface OwnBrief {
  /** The lines of its front matter, kept as they are; null if it has none. */
  readonly lines: string | null;
  /** What follows, with line feeds alone. */
  readonly body: string;
  readonly hasHeading: boolean;
}

export interface StateData {
  readonly id: string;
  readonly title: string;
  readonly userFacing: boolean;
  /** ISO 8601, UTC. */
  readonly now: string;
  /** What the frame's fields say; missing: they are empty, and a model fills them. */
  readonly frame?: FrameData;
}

export interface FrameData {
  readonly objective: string;
  readonly doneGate: string;
  readonly validationPlan: string;
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

/**
 * Renders a brief around a person's own text. The lines of its front matter stay, and keys of `data` that it lacks are
 * put before and after them.
 */
export function renderOwnBrief(data: BriefData & { readonly has: ReadonlySet<string> }, own: OwnBrief): string {
  const template = renderBrief(data);
  const front = own.lines === null ? template.slice(0, template.indexOf("\n---\n") + 1) : mergeFront(data, own.lines);
  const title = own.hasHeading ? "" : `# ${mdInline(heading(data).title)}\n\n`;
  return `${front}---\n\n${title}${own.body}\n`;
}

function mergeFront(data: Parameters<typeof renderOwnBrief>[0], lines: string): string {
  const line = (key: string, given: boolean, value: string) =>
    given && !data.has.has(key) ? [`${key}: ${value}`] : [];
  const check = ({ name, command }: BriefCheck) => `{ name: ${yamlString(name)}, command: ${yamlList(command)} }`;
  const before = [...line("id", true, yamlString(data.id)), ...line("title", true, yamlString(data.title))];
  const behind = [
    ...line("priority", data.priority !== null, String(data.priority)),
    ...line("depends_on", data.dependsOn.length > 0, yamlList(data.dependsOn)),
    ...line("repo", data.repo !== null, yamlString(data.repo ?? "")),
    ...line("user_facing", data.userFacing, "true"),
    ...line("validators", data.validators.length > 0, `[${data.validators.map(check).join(", ")}]`),
    ...data.offered.map((one) => `# validators too: ${check(one)}   # ${one.why}`),
  ];
  const kept = lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`;
  return `---\n${before.map((one) => `${one}\n`).join("")}${kept}${behind.map((one) => `${one}\n`).join("")}`;
}

/** A new STATE.md in intake. */
export function renderState(data: StateData): string {
  return renderTemplate("STATE.md", {
    ...data,
    ...heading(data),
    frame: data.frame ?? null,
    diagram: phaseDiagram("intake"),
  });
}

export function renderSteps(data: TaskNames): string {
  return renderTemplate("TASKS.md", heading(data));
}

/** A new EVIDENCE.md: the runner's parts `status`, `checks` and `record`, and the agent's table under Proof. */
export function renderEvidenceFile(data: TaskNames): string {
  return renderTemplate("EVIDENCE.md", heading(data));
}

/** A new task-phase.yaml with these models, and every other key as a comment that shows its default. */
export function renderConfigFile(models: readonly ModelData[]): string {
  return renderTemplate("task-phase.yaml", { models, version: packageVersion() });
}

/** The brief holds the whole title; a heading needs no more than this of it. */
function heading(data: TaskNames): TaskNames {
  return { id: showShort(data.id, 80), title: showShort(data.title, 200) };
}
