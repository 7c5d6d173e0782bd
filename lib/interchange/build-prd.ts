import { offsetsOf } from "../task-folder/markdown.ts";
import { readTree } from "../task-folder/read-tree.ts";
import { listSections } from "../task-folder/sections.ts";
import { readIfGood, taskFiles } from "../task-folder/task-files.ts";
import { type TaskResult, withOwnNote } from "./edit-prd.ts";

/**
 * A prd.json made from task folders alone: the plain form, or the one with `dependsOn` if a task depends on another.
 * Stories are in the order in which they would be selected, and 1 is the highest priority.
 */
export function buildPrd(project: string, results: readonly TaskResult[]): string {
  const tasks = results.flatMap((result) => {
    const brief = readIfGood(taskFiles.brief, result.folder);
    return brief === null ? [] : [{ result, ...brief }];
  });
  const ranks = [...new Set(tasks.map(({ contract }) => contract.priority))].sort((a, b) => b - a);
  const withNeeds = tasks.some(({ contract }) => contract.dependsOn.length > 0);
  const ordered = tasks.sort(
    (a, b) => b.contract.priority - a.contract.priority || (a.result.id < b.result.id ? -1 : 1),
  );
  const prd = {
    project,
    description: `The tasks of ${project}, as recorded by task-phase`,
    userStories: ordered.map(({ result, contract, body }) => ({
      id: result.id,
      title: contract.title,
      description: wishIn(body),
      acceptanceCriteria: readIfGood(taskFiles.steps, result.folder).items.map(({ text }) => text),
      priority: ranks.indexOf(contract.priority) + 1,
      passes: result.done,
      notes: result.started ? withOwnNote("", result.note) : "",
      ...(withNeeds ? { dependsOn: contract.dependsOn } : {}),
    })),
  };
  return `${JSON.stringify(prd, null, 2)}\n`;
}

/** What is under `What I want`; without that heading, the brief's text but for its first heading. Comments left out. */
function wishIn(body: string): string {
  const read = readTree(Buffer.from(body), "README.md");
  if (read.kind === "bad") return "";
  const section = listSections(read.tree, 2).find(({ title }) => title.toLowerCase() === "what i want");
  const [first, ...others] = read.tree.children;
  const nodes = section?.nodes ?? (first?.type === "heading" ? others : read.tree.children);
  return nodes
    .filter((node) => node.type !== "html")
    .map((node) => read.text.slice(offsetsOf(node).start, offsetsOf(node).end))
    .join("\n\n")
    .replaceAll("\r\n", "\n");
}
