import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { inspectRoot } from "../queue/views/inspect-root.ts";
import type { InspectedTask } from "../queue/views/inspect-task.ts";
import type { ExportKeys } from "../rules/shapes/reports/tasks.ts";
import { buildPrd, editPrd, type StoryResult, type TaskResult } from "../scaffold/interchange/edit-prd.ts";
import { readPrd } from "../scaffold/interchange/prd-shape.ts";
import { readJsonFile, readNamedFile } from "../scaffold/interchange/read-source.ts";
import { renderTaskNote } from "../scaffold/interchange/write-story.ts";
import { makeFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { sweepFolder } from "../store/state-home.ts";
import { compact } from "../text/compact.ts";
import { configError, usageError } from "../text/errors.ts";
import { asWarning, distinctFindings, type Finding, infoFinding, warningFinding } from "../text/finding.ts";
import { createRedactor, type Redactor } from "../text/redact.ts";
import { quoteWord } from "../text/shell-words.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";
import { chooseRoot } from "./target.ts";
import { show } from "./write-lines.ts";

export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const { flags, cwd } = context;
  const named = path.resolve(cwd, requireTo(context));
  // A link in the place stays; what it leads to is written.
  const to = existsSync(named) ? realpathSync(named) : named;
  const tasksRoot = chooseRoot(context);
  const from = flags.text("from");
  const start = from === null ? null : path.resolve(cwd, from);
  const tasks = inspectRoot(tasksRoot, flags.text("config"), context);
  const results = readResults(tasks, to, createRedactor(context.env));
  const present = existsSync(to) ? readNamedFile(to, "--to") : null;
  // The file to overwrite must be a prd.json, even if another file is the base.
  const there = present === null ? null : readPrd(readJsonFile(present, to));
  const base = start === null ? there : readPrd(readJsonFile(readNamedFile(start, "--from"), start));
  const made = base === null ? build(tasksRoot, results) : editPrd(base, results);
  const changed = present?.equals(Buffer.from(made.text)) !== true;
  sweepFolder(path.dirname(to));
  if (changed) {
    makeFolder(path.dirname(to));
    putFile(to, made.text);
  }
  const passing = made.stories.filter(({ passes }) => passes).length;
  return {
    exitName: "ok",
    json: {
      to,
      base: base?.source.file ?? null,
      changed,
      stories: made.stories.map(({ id, passes, claimed, known }) => ({ id, passes, claimed, task: known })),
    } satisfies ExportKeys,
    story: [`${passing} of ${made.stories.length} stories pass; ${changed ? "wrote" : "nothing to change in"} ${to}`],
    answer: [to],
    findings: distinctFindings([
      // A task that cannot be read proves nothing; its story says so, and the others are exported.
      ...tasks.flatMap((task) => task.findings.map(asWarning)),
      ...judgeStories(made.stories, results, base?.source.file ?? null, (file) =>
        howToImport(context, file, tasksRoot),
      ),
    ]),
  };
}

function requireTo({ flags }: CommandContext): string {
  const value = flags.text("to");
  if (value !== null) return value;
  throw usageError("TP_USAGE_NO_TARGET", "--to is missing", { fix: "write --to prd.json" });
}

/** Without a prd.json to start from: a new one, named after the folder that contains the tasks root. */
function build(tasksRoot: string, results: readonly TaskResult[]): { text: string; stories: StoryResult[] } {
  const root = realpathSync(tasksRoot);
  const project = path.basename(path.dirname(root)) || path.basename(root);
  const stories = results.map(({ id, done }) => ({ id, passes: done, claimed: done, known: true }));
  return { text: buildPrd(project, results), stories };
}

/** Every task that can be read; a config error if two have the same id, since a story could be either. */
function readResults(tasks: readonly InspectedTask[], to: string, redactor: Redactor): TaskResult[] {
  const names = new Map<string, string>();
  return tasks.flatMap((task) => {
    const { id, place, history } = task;
    if (id === null) return [];
    const other = names.get(id);
    if (other !== undefined) {
      const message = `two tasks have the id ${shorten(id)}: ${shorten(other)} and ${shorten(place.name)}`;
      throw configError("TP_EXPORT_DOUBLE_ID", message, { file: place.readme, fix: "give one of them another id" });
    }
    names.set(id, place.name);
    const { edited } = task.facts;
    const done = history.phase === "done" && history.unfinishedPass === null && !edited;
    const stands = `${history.phase ?? task.phase}${edited ? ", but STATE.md was edited since" : ""}`;
    const said = { stands, last: history.lastVerdict, evidence: place.evidence };
    const note = renderTaskNote(said, path.dirname(to), redactor);
    return [{ id, folder: place.taskDir, done, started: history.phase !== null, note }];
  });
}

function howToImport(context: CommandContext, file: string, tasksRoot: string): string {
  const [from, root] = [file, tasksRoot].map((path) => quoteWord(show(context, path)));
  return `task-phase import --from ${from} --tasks-root ${root} makes their task folders`;
}

function judgeStories(
  stories: readonly StoryResult[],
  results: readonly TaskResult[],
  file: string | null,
  howToImport: (file: string) => string,
): Finding[] {
  const names = (ids: readonly string[]) => shorten(ids.join(", "), 200);
  const takenBack = stories.filter(({ claimed, passes }) => claimed && !passes).map(({ id }) => id);
  const unknown = stories.filter(({ known }) => !known).map(({ id }) => id);
  const left = results.map(({ id }) => id).filter((id) => stories.every((story) => story.id !== id));
  return compact([
    takenBack.length !== 0 &&
      warningFinding(
        "TP_EXPORT_NOT_PROVEN",
        `the claim to be done was taken back, since no task proves it: ${names(takenBack)}`,
        { file },
      ),
    unknown.length !== 0 &&
      warningFinding("TP_EXPORT_NO_TASK", `no readable task has the id of these stories: ${names(unknown)}`, {
        file,
        fix: file === null ? null : howToImport(file),
      }),
    left.length !== 0 &&
      infoFinding("TP_EXPORT_NO_STORY", `these tasks are not stories of the file and were left out: ${names(left)}`, {
        file,
      }),
  ]);
}
