import path from "node:path";
import { TaskPhaseError } from "../../text/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../../text/finding.ts";
import { shorten } from "../../text/shorten.ts";
import { yamlString } from "../../text/yaml-string.ts";
import { readValidators } from "../init/given-brief.ts";
import { judgeId } from "../init/names.ts";
import { planInit } from "../init/plan-init.ts";
import { slugOfTitle } from "./folder-names.ts";
import { judgeStories } from "./judge-stories.ts";
import { headingOf, importedMark, loopLines, storyBody, wishOf } from "./make-task-files.ts";
import type { Prd, Story } from "./prd-shape.ts";
import type { PromptFile } from "./read-prompt.ts";
import { type ImportPlan, type ImportRequest, planTasks } from "./write-tasks.ts";

/** A task folder a story. Throws with all that is wrong before anything is written. */
export function planStories(prd: Prd, request: ImportRequest): ImportPlan {
  const checks = chooseChecks(prd, request);
  requireGoodFlags(request, checks.validators);
  const { stories, findings } = leaveOut(prd, request.from);
  const problems = judgeStories(stories, request.known);
  if (problems.length > 0) throw new TaskPhaseError("config", problems);
  const last = Math.max(...stories.map((story) => story.priority ?? 0)) + 1;
  const anyPriority = stories.some((story) => story.priority !== null);
  const name = path.basename(request.from);
  const plan = planTasks(
    request,
    checks.validators,
    stories.map((story) => ({
      id: story.id,
      title: story.title,
      // Theirs says 1 for the first, ours takes the higher first. What has none comes after all that have one.
      priority: anyPriority ? 0 - (story.priority ?? last) : null,
      dependsOn: [...new Set(story.dependsOn)],
      wish: wishOf(story),
      place: story.place("id"),
      text: {
        body: storyBody(prd, story, headingOf(story.title), name),
        frontLines: sourceLine(request, story),
        criteria: story.criteria,
      },
    })),
  );
  const claimed = stories.filter(({ passes, id }) => passes && plan.tasks.some((task) => task.id === id && task.files));
  return {
    ...plan,
    findings: [...checks.findings, ...findings, ...warnOfClaims(claimed, request.from), ...plan.findings],
  };
}

/** The stories that somebody may want: no cancelled ones, and nothing waits for these. */
function leaveOut({ stories, leftOut }: Prd, from: string): { stories: Story[]; findings: Finding[] } {
  const dropped = new Set(stories.filter(({ claim }) => /^cancell?ed$/i.test(claim?.word ?? "")).map(({ id }) => id));
  const names = [...leftOut, ...[...dropped].map((id) => `${id} (cancelled)`)];
  const fix = "import another list from a file of its own";
  const message = `left out: ${shorten(names.join(", "), 200)}`;
  return {
    stories: stories
      .filter(({ id }) => !dropped.has(id))
      .map((story) => ({ ...story, dependsOn: story.dependsOn.filter((id) => !dropped.has(id)) })),
    findings: names.length === 0 ? [] : [infoFinding("TP_IMPORT_LEFT_OUT", message, { file: from, fix })],
  };
}

/** Every folder of a story is directly in the tasks root. */
function sourceLine({ tasksRoot, real }: ImportRequest, { id }: Story): string[] {
  const prd = path.relative(path.join(tasksRoot, "x"), real);
  // A brief names no other file as one that the runner writes to.
  if (!prd.endsWith(".json")) return [];
  return [`source: { prd: ${yamlString(prd)}, story: ${yamlString(id)} }   # done is written back there`];
}

/** One task folder with the prompt as the brief's text. `id` and `title` win over what the prompt says. */
export function planPrompt(
  prompt: PromptFile,
  named: { readonly id: string | null; readonly title: string | null },
  request: ImportRequest,
): ImportPlan {
  requireGoodFlags(request, request.validators);
  const title = named.title ?? prompt.title;
  const id = named.id ?? (slugOfTitle(title) || slugOfTitle(path.basename(request.from)) || "prompt");
  const problems = judgeId(id, "--id");
  if (problems.length > 0) throw new TaskPhaseError("usage", problems);
  const body = `${importedMark}\n\n${prompt.prompt}`;
  const text = { body, frontLines: loopLines(prompt.passes, prompt.promise), criteria: [] };
  const place = { file: request.from };
  const task = { id, title, priority: null, dependsOn: [], wish: prompt.prompt, place, text };
  const plan = planTasks(request, request.validators, [task]);
  return { ...plan, findings: [...prompt.findings, ...plan.findings] };
}

/** What is wrong with the flags is said as `init` says it, before any story is looked at. */
function requireGoodFlags({ tasksRoot, repo, now }: ImportRequest, validators: readonly string[]): void {
  const names = { taskDir: path.join(tasksRoot, "x"), id: "x", title: "x", priority: null, dependsOn: [] };
  planInit({ ...names, repo, validators, userFacing: false, withTasks: false, now });
}

/** The validators from the flags; without any, the command lines of the file that need no shell. */
function chooseChecks(
  prd: Prd,
  { validators, from }: ImportRequest,
): { validators: readonly string[]; findings: Finding[] } {
  if (validators.length > 0) return { validators, findings: [] };
  const judged = prd.verificationCommands.map(([name, line]) => {
    const text = `${name.trim()}=${line}`;
    const findings = name.includes("=") ? [] : readValidators([text]).findings;
    return { text, name, problem: name.includes("=") ? "its name contains an equals sign" : findings[0]?.message };
  });
  return {
    validators: judged.filter(({ problem }) => problem === undefined).map(({ text }) => text),
    findings: judged.flatMap(({ name, problem }) => {
      if (problem === undefined) return [];
      const message = `the verification command ${shorten(name)} was left out: ${problem.replace(/^--validator: /, "")}`;
      const fix = "put the line into a script, and pass that as --validator";
      return [warningFinding("TP_IMPORT_CHECK_LEFT_OUT", message, { file: from, fix })];
    }),
  };
}

function warnOfClaims(stories: readonly Story[], from: string): Finding[] {
  if (stories.length === 0) return [];
  const ids = stories.map(({ id }) => shorten(id)).join(", ");
  const message = `the file says that these are done: ${shorten(ids, 200)}; that is a claim, not proof, so they start at intake like the others`;
  const fix = "let passes prove them, or delete the folders that need no further work";
  return [warningFinding("TP_IMPORT_CLAIMED", message, { file: from, fix })];
}
