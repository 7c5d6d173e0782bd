import { realpathSync } from "node:fs";
import path from "node:path";
import { readBrief } from "../../documents/brief.ts";
import type { PartialContract } from "../../documents/contract-schema.ts";
import { readState } from "../../documents/state.ts";
import {
  type BriefData,
  type FrameData,
  renderBrief,
  renderEvidenceFile,
  renderOwnBrief,
  renderState,
  renderSteps,
} from "../../documents/templates/render-task-files.ts";
import { leadsToFolder, realSoFar } from "../../store/folder.ts";
import { TaskPhaseError, usageError } from "../../text/errors.ts";
import type { Finding } from "../../text/finding.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { shorten } from "../../text/shorten.ts";
import { type GivenBrief, readValidators, textKey } from "./given-brief.ts";
import { idFromFolder, judgeId, titleFromFolder } from "./names.ts";

/** The options of a person. Null and empty: not given. */
export interface InitRequest extends Pick<BriefData, "repo" | "priority" | "dependsOn" | "userFacing"> {
  /** Absolute. */
  readonly taskDir: string;
  readonly title: string | null;
  readonly id: string | null;
  readonly validators: readonly string[];
  /** Commands that were found in the repo. */
  readonly found?: Pick<BriefData, "validators" | "offered">;
  /** A person's own text for the brief; null or missing: that of the template. */
  readonly given?: GivenBrief | null;
  /** The frame is left to a model, whatever is known of it. */
  readonly shape?: boolean;
  /** Of task-phase.yaml. */
  readonly defaults?: PartialContract;
  readonly withTasks: boolean;
  readonly now: Date;
}

export interface InitPlan {
  readonly id: string;
  /** In the order in which they are written: STATE.md last, since it is what makes a folder a task. */
  readonly files: readonly { readonly name: string; readonly content: string }[];
}

/** Everything that init would write, proven to be readable. Throws before anything is written if it is not. */
export function planInit(request: InitRequest): InitPlan {
  const folder = path.basename(request.taskDir);
  if (folder === "") throw usageError("TP_INIT_NO_FOLDER", "the task folder cannot be the root of the file system");
  const { given = null, found = { validators: [], offered: [] } } = request;
  const id = request.id ?? textKey(given, "id") ?? idFromFolder(folder);
  const title = oneLine(request.title ?? textKey(given, "title") ?? given?.heading ?? titleFromFolder(folder));
  const { validators, findings } = readValidators(request.validators);
  const problems = [...judgeId(id, "--id"), ...judgeDependencies(request.dependsOn, id), ...findings];
  if (problems.length > 0) throw new TaskPhaseError("usage", problems);
  const names = { id, title, userFacing: request.userFacing };
  const { priority, dependsOn } = request;
  const repo = request.repo === null ? null : relativeRepo(request.taskDir, request.repo);
  const checks = { validators: [...validators, ...found.validators], offered: found.offered };
  const data = { ...names, priority, dependsOn, repo, ...checks };
  const has = new Set(Object.keys(given?.front?.keys ?? {}));
  const own = given && { lines: given.front?.lines ?? null, body: given.body, hasHeading: given.heading !== null };
  const brief = own === null ? renderBrief(data) : renderOwnBrief({ ...data, has }, own);
  const frame = frameOf(brief, request);
  const state = renderState({ ...names, now: request.now.toISOString(), ...(frame === null ? {} : { frame }) });
  requireReadable(brief, state);
  return {
    id,
    files: [
      { name: "README.md", content: brief },
      { name: "EVIDENCE.md", content: renderEvidenceFile(names) },
      ...(request.withTasks ? [{ name: "TASKS.md", content: renderSteps(names) }] : []),
      ...["log.txt", "progress.txt", "last_error.txt"].map((name) => ({ name, content: "" })),
      { name: "STATE.md", content: state },
    ],
  };
}

/**
 * The frame as the brief and its checks give it; null if it is left to a model: where that was asked for, where more
 * than these fields is due, and where no check says when the work is done.
 */
function frameOf(brief: string, { shape = false, defaults = {} }: InitRequest): FrameData | null {
  const read = readBrief(Buffer.from(brief), "README.md", defaults);
  if (shape || read.kind === "bad") return null;
  const { title, userFacing, approve, validators } = read.contract;
  const required = validators.filter((check) => check.required);
  if (userFacing || approve.includes("shape") || required.length === 0) return null;
  const listed = required.map(({ name, command }) => `${name} (${command.map(quoteWord).join(" ")})`).join(", ");
  const wish = read.isEmpty ? "" : firstParagraph(read.wish);
  return {
    objective: shorten(wish === "" || wish === title ? title : `${title}: ${wish}`, longestField),
    doneGate: shorten(`what the brief asks for is true, and these checks pass: ${listed}`, longestField),
    validationPlan: shorten(`the runner runs ${listed}, before the work and after it`, longestField),
  };
}

const longestField = 400;

/** The first paragraph of the brief's text, without headings. */
function firstParagraph(text: string): string {
  const paragraphs = text.split(/\n\s*\n/).map((part) => part.replace(/^#.*$/gm, "").replace(/\s+/g, " ").trim());
  return paragraphs.find((part) => part !== "") ?? "";
}

/** A title is in headings and tables, so its line breaks and control characters become spaces. */
function oneLine(title: string): string {
  return title.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

function judgeDependencies(ids: readonly string[], own: string): Finding[] {
  const problems = ids.flatMap((id) => judgeId(id, "--depends-on"));
  if (!ids.includes(own)) return problems;
  const self = usageError("TP_INIT_OWN_DEPENDENCY", `${own} cannot depend on itself`, {
    fix: "remove that --depends-on",
  });
  return [...problems, ...self.findings];
}

/** From the task folder to the repo, through no link: the brief is read at other places than it was made at. */
function relativeRepo(taskDir: string, repo: string): string {
  if (!leadsToFolder(repo)) {
    throw usageError("TP_INIT_NO_REPO", "--repo must be an existing folder", {
      file: repo,
      fix: "write --repo FOLDER",
    });
  }
  return path.relative(realSoFar(taskDir), realpathSync(repo)) || ".";
}

/** What the words of the command line made unreadable is a mistake on the command line. */
function requireReadable(brief: string, state: string): void {
  const readings = [readBrief(Buffer.from(brief), "README.md"), readState(Buffer.from(state), "STATE.md")];
  const findings = readings.flatMap((reading) => ("findings" in reading ? reading.findings : []));
  if (findings.some((finding) => finding.severity === "error")) {
    throw new TaskPhaseError(
      "usage",
      findings.map((finding) => ({ ...finding, file: null, line: null, column: null })),
    );
  }
}
