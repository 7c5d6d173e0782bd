import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { workingPhases } from "../../rules/phases.ts";
import { buildFolder } from "./package-files.ts";

const line = v.pipe(v.string(), v.nonEmpty());
const lines = v.pipe(v.array(line), v.minLength(1));

/** A file of templates/prompts/: its front matter, and the `text` below it, an Eta template. */
const promptTemplate = v.strictObject({
  phase: v.picklist(workingPhases),
  /** The goal of the pass, as a heading. */
  title: line,
  /** The exact file updates that the phase requires, one line of Markdown each. */
  outputs: lines,
  /** The points that a pass checks once more before it ends, one line of Markdown each. */
  self_review: v.optional(lines),
  text: v.string(),
});

/** All of them; the build refuses to write prompts.json without one of them. */
export const promptTemplates = v.strictObject(v.entriesFromList(workingPhases, promptTemplate));

/** Every prompt template of this package, by phase; the build wrote them, as scripts/bundle/prompts.mjs reads them. */
export function loadPromptTemplates(): v.InferOutput<typeof promptTemplates> {
  return v.parse(promptTemplates, JSON.parse(readFileSync(join(buildFolder(), "prompts.json"), "utf8")));
}
