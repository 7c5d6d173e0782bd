import { accessSync, constants } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { showShort } from "../../documents/templates/visible.ts";
import type { VerdictEvent } from "../../rules/verdict-event.ts";
import { renderError } from "../../store/error-code.ts";
import { realOrNull } from "../../store/folder.ts";
import { tryLock } from "../../store/lock.ts";
import { putOver } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { catchForeseenIn } from "../../text/attempt.ts";
import { dataError, diskError, lockedError } from "../../text/errors.ts";
import { type Finding, infoFinding, warningFinding } from "../../text/finding.ts";
import type { Redactor } from "../../text/redact.ts";
import { shorten } from "../../text/shorten.ts";
import { editPrd, type TaskResult } from "./edit-prd.ts";
import { readPrd } from "./prd-shape.ts";
import { readJsonFile } from "./read-source.ts";

/** What a task says of its story in a prd.json. */
export interface StoryRequest {
  readonly prd: string;
  readonly story: string;
  /** `done`: proven by the task's own journal. */
  readonly done: boolean;
  /** The phase with its reason, and where the evidence is. */
  readonly note: string;
  readonly taskDir: string;
  /** Folders that a link on the way may lead into; anything else is left alone. */
  readonly within: readonly string[];
  /** The lock file of every process that writes there. */
  readonly lock: string;
  /** Other stories of the file with a task of their own, and whether that task is done by its journal. */
  readonly others: readonly { readonly story: string; readonly taskDir: string; readonly isDone: () => boolean }[];
}

/** As for an import. */
const mostMib = 4;

const reasons = {
  missing: "the file is gone",
  link: "it is a symbolic link",
  folder: "it is a folder",
  special: "it is a pipe, a socket or a device",
  too_big: `it has more than ${mostMib} MiB`,
  unreadable: "it cannot be read",
} as const;

const attempts = 200;
const pauseMs = 25;

/**
 * Brings `passes` and `notes` of one story up to date: `true` only for a task that is done, `false` for every other,
 * and for each story of another task that claims more than that task's journal shows. Every other byte stays. What
 * cannot be written is a warning, since the verdict is already durable.
 */
export async function writeStory(request: StoryRequest): Promise<Finding[]> {
  const write = async () => {
    const lock = await takeLock(request);
    try {
      return editStory(request);
    } finally {
      lock.release();
    }
  };
  const story = shorten(request.story);
  return await catchForeseenIn(write, ({ findings }) =>
    findings.map(({ message, ...place }) =>
      warningFinding("TP_PRD_NOT_WRITTEN", `story ${story} could not be written back: ${message}`, place),
    ),
  );
}

function editStory(request: StoryRequest): Finding[] {
  const { prd: file, story } = request;
  requireInside(request);
  const read = readRegularFile(file, mostMib * 1024 * 1024);
  if (read.kind !== "file")
    throw dataError("TP_PRD", reasons[read.kind], {
      file,
      fix: "correct `source.prd` in the front matter of README.md, or put the file back",
    });
  const prd = readPrd(readJsonFile(read.bytes, file));
  const results = resultsFor(request, prd.stories);
  if (prd.stories.every(({ id }) => id !== story))
    throw dataError("TP_PRD", "the file has no story with that id", {
      file,
      fix: "correct `source.story` in the front matter of README.md",
    });
  const stories = prd.stories.filter(({ id }) => results.some((result) => result.id === id));
  const { text } = editPrd({ ...prd, stories }, results);
  if (read.bytes.equals(Buffer.from(text))) return [];
  requireWritable(file, read.mode);
  if (!putOver(file, text, (there) => there?.equals(read.bytes) === true))
    throw dataError("TP_PRD", "the file was edited meanwhile", { file, fix: "the next run of the task tries again" });
  return stories.flatMap(({ id, passes, claim }) => {
    const done = results.some((result) => result.id === id && result.done);
    const said = claim?.word == null ? `passes: ${done}` : `status: ${prd.word(done)}`;
    return passes === done ? [] : [infoFinding("TP_PRD_WRITTEN", `story ${shorten(id)} now says ${said}`, { file })];
  });
}

/** Writes notes only for done stories, or to update a note of ours. */
function resultsFor(
  request: StoryRequest,
  stories: readonly { readonly id: string; readonly passes: boolean }[],
): TaskResult[] {
  const { story, taskDir, done, note } = request;
  const own = { id: story, folder: taskDir, done, started: done, note };
  const unproven = { done: false, started: false, note: "its task is not done" };
  const claimed = new Set(stories.filter(({ passes }) => passes).map(({ id }) => id));
  const refuted = request.others
    .filter((other) => other.story !== story && claimed.has(other.story) && !other.isDone())
    .map((other) => ({ ...unproven, id: other.story, folder: other.taskDir }));
  return [own, ...refuted];
}

/** A link of a folder on the way could lead what is written anywhere; the file itself is never a link. */
function requireInside({ prd, within }: StoryRequest): void {
  // If nothing is there, or it leads nowhere, reading it says so.
  const real = realOrNull(dirname(prd));
  if (real === null || real === dirname(prd)) return;
  if (within.some((folder) => real === folder || real.startsWith(folder + sep))) return;
  throw dataError("TP_PRD", "the path to it leads through a link out of the repo and the tasks root", {
    file: prd,
    fix: "name the file itself under `source.prd` in the front matter of README.md",
  });
}

/** A file that is put in place by its folder's rights would lose its own write protection. */
function requireWritable(file: string, mode: number): void {
  const why = (mode & 0o222) === 0 ? "the file is read-only" : refusal(file);
  if (why !== null) throw diskError("TP_PRD", why, { file, fix: "give this user write permission" });
}

function refusal(file: string): string | null {
  try {
    accessSync(file, constants.W_OK);
    return null;
  } catch (error) {
    return `the file cannot be written to: ${renderError(error)}`;
  }
}

async function takeLock({ lock: path, prd: file }: StoryRequest) {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const lock = tryLock(path);
    if (lock !== null) return lock;
    await wait(pauseMs);
  }
  throw lockedError("TP_PRD", `another runner has been writing there for ${(attempts * pauseMs) / 1000} s`, {
    file,
    fix: "run the task again",
  });
}

interface NotedTask {
  /** Where the task is, in a few words. */
  readonly stands: string;
  readonly last: Pick<VerdictEvent, "pass" | "verdict" | "reason"> | null;
  /** Absolute. */
  readonly evidence: string;
}

/** Where the task is, its last verdict, and its evidence as a path from the folder of the prd.json. */
export function renderTaskNote({ stands, last, evidence }: NotedTask, beside: string, redactor: Redactor): string {
  if (last === null) return `${stands}; no pass has run`;
  const reason = showShort(redactor.redact(last.reason), 160);
  return `${stands}; pass ${last.pass} ${last.verdict}: ${reason}; evidence: ${relative(beside, evidence)}`;
}
