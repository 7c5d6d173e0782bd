import { readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { passName } from "../../documents/pass-pack.ts";
import { lookOr, passMachineFault, renderError } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { orElse } from "../../text/attempt.ts";
import { usageError } from "../../text/errors.ts";
import { nearestWord } from "../../text/nearest.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { shorten } from "../../text/shorten.ts";

/** The files of a task, relative to its folder. */
const files = {
  readme: "README.md",
  state: "STATE.md",
  steps: "TASKS.md",
  evidence: "EVIDENCE.md",
  decisions: "DECISIONS.md",
  control: "CONTROL.md",
  summary: "SUMMARY.md",
  log: "log.txt",
  lastError: "last_error.txt",
  artifacts: "artifacts",
  journal: "artifacts/journal.jsonl",
  checkpoint: "artifacts/checkpoint.json",
  page: "artifacts/evidence.html",
  passes: "artifacts/passes",
  attestation: "artifacts/attestation.json",
  runtime: "../.task-phase",
};

export interface TaskPlace extends Readonly<Record<keyof typeof files, string>> {
  readonly taskDir: string;
  readonly tasksRoot: string;
  readonly name: string;
}

/** A usage error unless it is a folder, or a missing one that `isKnown`: the next run restores it. */
export function locateTask(named: string, cwd: string, isKnown: (taskDir: string) => boolean = () => false): TaskPlace {
  const path = resolve(cwd, named);
  const gone = realPathOfGone(path);
  if (gone !== null && isKnown(gone)) return placeOf(gone);
  let real: string;
  try {
    real = realpathSync(path);
  } catch (cause) {
    passMachineFault(cause);
    const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    if (missing && statEntry(path)?.isSymbolicLink() === true) {
      const message = `the task folder is a symbolic link to ${shorten(readlinkSync(path))}, and nothing is there`;
      const fix = "remove the link, or let it lead to the task folder";
      throw usageError("TP_TASK_DIR", message, { file: path, fix });
    }
    const message = missing
      ? "the task folder does not exist"
      : `the task folder cannot be opened: ${renderError(cause)}`;
    throw usageError("TP_TASK_DIR", message, {
      file: path,
      fix: missing ? howToHave(named, path) : "name an existing folder",
    });
  }
  if (!statSync(real).isDirectory()) {
    throw usageError("TP_TASK_DIR", "the task folder is not a folder", {
      file: path,
      fix: "name the folder that contains STATE.md",
    });
  }
  return placeOf(real);
}

function howToHave(named: string, path: string): string {
  const make = `task-phase init ${quoteWord(named)} makes it`;
  const meant = nearestWord(basename(path), tasksIn(dirname(path)));
  return meant === null ? make : `did you mean ${quoteWord(join(dirname(path), meant))}? Else ${make}`;
}

function tasksIn(root: string): string[] {
  return orElse(() => readdirSync(root).filter((name) => stands(join(root, name, "STATE.md"))), []);
}

/** Null if anything is there, or the parent is gone too. */
function realPathOfGone(path: string): string | null {
  return lookOr(() => {
    if (stands(path)) return null;
    return join(realpathSync(dirname(path)), basename(path));
  }, null);
}

/** What the runner writes in a task folder, relative to it: the journal and the proof, which no ignore file keeps back. */
export const runnersPaths: readonly string[] = [
  ...["STATE.md", "EVIDENCE.md", "DECISIONS.md", "ASSUMPTIONS.md", "DEFERRED.md", "SUMMARY.md"],
  ...["log.txt", "progress.txt", "last_error.txt"],
  ...["journal.jsonl", "passes", "checkpoint.json", "evidence.html", "attestation.json"].map(
    (name) => `artifacts/${name}`,
  ),
];

/** `taskDir` is a real path. */
export function placeOf(taskDir: string): TaskPlace {
  return makePlace({ tasksRoot: dirname(taskDir), name: basename(taskDir), taskDir });
}

/** For one of many, sharing their common parts. */
export function placeIn(tasksRoot: string, name: string): TaskPlace {
  return makePlace({ tasksRoot, name, taskDir: `${tasksRoot}/${name}` });
}

function makePlace(own: Omit<TaskPlace, keyof typeof files>): TaskPlace {
  return Object.assign(Object.create(onDemand), own);
}

/** Makes paths on demand: a list of many tasks needs few of each. */
const onDemand = Object.defineProperties(
  {},
  Object.fromEntries(
    Object.entries(files).map(([key, path]) => [
      key,
      {
        get(this: TaskPlace) {
          return join(this.taskDir, path);
        },
      },
    ]),
  ),
);

export function passFolder(place: TaskPlace, pass: number): string {
  return join(place.passes, passName(pass));
}

/** A dangling link counts. */
export function stands(path: string): boolean {
  return statEntry(path) !== null;
}
