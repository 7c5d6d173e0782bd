import { offsetsOf } from "../task-folder/markdown.ts";
import { readTree } from "../task-folder/read-tree.ts";
import { item, list, source, writeMarkdown } from "../templates/markdown-nodes.ts";
import { yamlString } from "../text/yaml-string.ts";
import { ownWords } from "./own-note.ts";
import { asBlocks, asLine } from "./plain-markdown.ts";
import type { Prd, Story } from "./prd-shape.ts";

/** Stands in every brief that an import made. A later import knows by it whose task it meets. */
export const importedMark = "<!-- task-phase:imported -->";

/** A brief of the template with lines of its own at the end of its front matter, and with another body. */
export function replaceBody(brief: string, body: string, frontLines: readonly string[] = []): string {
  const read = readTree(Buffer.from(brief), "README.md");
  const first = read.kind === "tree" ? read.tree.children[0] : undefined;
  if (read.kind === "bad" || first?.type !== "yaml") throw new Error("the template of the brief has no front matter");
  const closing = offsetsOf(first).end - "---".length;
  const front = `${brief.slice(0, closing)}${frontLines.map((line) => `${line}\n`).join("")}---`;
  return `${front}\n\n${body.trim()}\n`;
}

/** The front matter that a loop's cap and promise become. */
export function loopLines(passes: number | null, promise: string | null | undefined): string[] {
  return [
    ...(passes === null ? [] : [`budget: { passes: ${passes} }   # the cap of the loop that this was imported from`]),
    ...(promise === undefined ? [] : [`completion_promise: ${promise === null ? "null" : yamlString(promise)}`]),
  ];
}

/** The text of a story for the brief: its description, else its title. */
export function wishOf(story: Story): string {
  const wanted = story.description?.trim() ?? "";
  return asBlocks(wanted === "" ? story.title : wanted);
}

/** The body of a brief that a story becomes. `from` is the name of its file. */
export function storyBody(prd: Prd, story: Story, heading: string, from: string): string {
  const done =
    story.criteria.length === 0
      ? []
      : [
          "## How I will know that it is done",
          "Every item of [TASKS.md](TASKS.md) is met: they are the acceptance criteria.",
        ];
  const facts = writeMarkdown(list(factsOf(prd, story, from).map((fact) => item(source(fact))))).trimEnd();
  return [heading, importedMark, "## What I want", wishOf(story), ...done, "## What to know", facts].join("\n\n");
}

function factsOf(prd: Prd, story: Story, from: string): string[] {
  const project = [prd.project, prd.description].filter((text) => text !== null && text.trim() !== "").join(": ");
  const claim = "The file says `passes: true`. That has not been proven here: first find out how much of it is true.";
  const notes = [story.notes, story.completionNotes].map((text) => ownWords(text ?? "").trim());
  return [
    `This is story ${asLine(story.id)} of ${asLine(from)}.`,
    ...(story.passes ? [claim] : []),
    ...(project === "" ? [] : [`Project: ${asLine(project)}`]),
    ...(prd.branchName === null || prd.branchName.trim() === "" ? [] : [`Branch: ${asLine(prd.branchName)}`]),
    ...(story.labels.length === 0 ? [] : [`Labels: ${asLine(story.labels.join(", "))}`]),
    ...notes.filter((text) => text !== "").map((text) => `Notes: ${asLine(text)}`),
  ];
}
