import { isAbsolute, normalize, sep } from "node:path";
import * as v from "valibot";
import type { ProcessIdentity } from "../../process/identity.ts";
import { parseTaskEvent, reviewed } from "../../rules/shapes/events.ts";
import { count, flag, maybeText, text, texts } from "../../rules/shapes/values.ts";
import { manifestShape } from "../../store/manifest.ts";
import { parseObject } from "../../text/json-object.ts";
import { about, recordOf, type Shape, whole } from "../../text/shape.ts";

/** In the task folder, since a commit writes there. */
const innerPath = v.pipe(
  text,
  v.check((path) => !isAbsolute(path) && !normalize(path).split(sep).includes(".."), "a path in the task folder"),
);

const eventLine = v.pipe(
  text,
  v.check((line) => !line.includes("\n") && typeof parseTaskEvent(line) !== "string", "a line of the journal"),
  v.examples(['{"seq":1,"prev":null,"at":"2026-11-21T10:00:00.000Z","type":"released","pass":1}']),
);

export const processShape = whole<ProcessIdentity>()({
  pid: v.pipe(v.number(), v.integer(), v.minValue(2)),
  startTime: text,
  bootId: text,
  command: text,
});

const journalShape = v.object({ size: count, sha256: text });

const waitingShape = v.object({ journal: journalShape, line: about(eventLine, "without its newline") });

/** current.json: the running pass. */
export const currentShape = v.object({
  version: v.literal(1),
  pass: about(count, "its number"),
  step: about(
    v.picklist(["before", "review", "exec", "checkpoint"]),
    "`checkpoint`: nothing of the pass is alive, all was compared, and what changes from here on is the runner's own work; an empty file checkpoint-MARK beside it says the same",
  ),
  started_at: text,
  repo: text,
  mark: v.object({ id: text, keepalivePath: text }),
  work_folder: text,
  manifest: manifestShape,
  trees: about(
    v.object({ ref: text, packs: texts }),
    "other tasks and earlier passes: where their record is, and the packs that hold it and the copies",
  ),
  protected_globs: texts,
  config_paths: about(texts, "task-phase.yaml, wherever it was found; empty if there is none"),
  had_git: about(flag, "the repo had a `.git` when the pass began"),
  started: v.exactOptional(
    about(waitingShape, "the event that begins the pass, which the journal need not hold durably before its verdict"),
  ),
  reviewers: v.exactOptional(
    about(v.array(reviewed), "what is journalled of the reviewers that are running, in case the run is killed"),
  ),
});

const file = v.object({ path: innerPath, text, behind: v.nullable(count) });

const noteText = v.pipe(
  text,
  v.check((value) => parseObject(value) !== null, "a JSON object"),
  v.examples(["{}"]),
);

/** commit.json: an event about to be accepted, with all its files. accepted.json: the newest one carried out. */
export const commitShape = v.object({
  version: v.literal(1),
  journal: about(journalShape, "the journal before the event"),
  line: about(eventLine, "without its newline"),
  state: about(maybeText, "the whole STATE.md afterwards; null if the event leaves it alone"),
  files: about(
    v.array(file),
    "other files of the task folder, by their path in it: the whole text, or a tail that is put behind that many bytes",
  ),
  over: v.exactOptional(
    about(
      recordOf(texts),
      "by path, the digests of what a file that people edit may hold before; anything else is theirs, and is kept",
    ),
  ),
  ends_pass: about(flag, "true if the event ends the running pass"),
  ends: v.exactOptional(about(text, "the mark of the pass that it ends")),
  note: v.exactOptional(
    about(
      noteText,
      "what the pass says of its model, as JSON: it waits in model-notes.json if it cannot be written at once",
    ),
  ),
});

export type WaitingLine = Shape<typeof waitingShape>;
export type CurrentPass = Shape<typeof currentShape>;
export type PendingCommit = Shape<typeof commitShape>;
