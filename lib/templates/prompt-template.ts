import * as v from "valibot";
import { parse } from "yaml";
import { type Phase, workingPhases } from "../machine/phases.ts";
import { compileTemplate, readTemplate } from "./render.ts";

const frontMatter = v.strictObject({
  phase: v.picklist(workingPhases),
  /** The goal of the pass, as a heading. */
  title: v.pipe(v.string(), v.nonEmpty()),
  /** The exact file updates that the phase requires, one line of Markdown each. */
  outputs: v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.minLength(1)),
  /** The points that a pass checks once more before it ends, one line of Markdown each. */
  self_review: v.optional(v.pipe(v.array(v.pipe(v.string(), v.nonEmpty())), v.minLength(1))),
});

export interface PromptTemplate extends v.InferOutput<typeof frontMatter> {
  readonly phase: Phase;
  /** Renders the template's own text. */
  readonly render: (data: object) => string;
}

/** Reads templates/prompts/PHASE.md of this package. */
export function loadPromptTemplate(phase: Phase): PromptTemplate {
  return parsePromptTemplate(readTemplate(`prompts/${phase}.md`));
}

const form = /^---\n(?<meta>[\s\S]*?)\n---\n\n?(?<text>[\s\S]*)$/;

/**
 * Splits one prompt template into its checked front matter and its text. Made for files of this package only: a task's
 * files never come here. Throws on front matter in any language but YAML, on a missing or unknown key.
 */
export function parsePromptTemplate(source: string): PromptTemplate {
  const parts = form.exec(source)?.groups;
  if (parts === undefined) throw new Error("front matter of a prompt template must be YAML between two lines of ---");
  const meta = v.parse(frontMatter, parse(parts.meta ?? ""));
  return { ...meta, render: compileTemplate(`prompts/${meta.phase}.md`, parts.text ?? "") };
}
