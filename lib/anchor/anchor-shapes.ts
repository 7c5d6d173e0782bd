import { isAbsolute, normalize, sep } from "node:path";
import * as v from "valibot";
import type { ProcessIdentity } from "../process/identity.ts";
import { parseTaskEvent, reviewed } from "../shapes/events.ts";
import { count, flag, maybeText, text, texts } from "../shapes/values.ts";
import { manifestShape } from "../store/manifest-shape.ts";
import { about, recordOf, type Shape, whole } from "../text/shape.ts";

/** In the task folder, since a commit writes there. */
const innerPath = v.pipe(
  text,
  v.check((path) => !isAbsolute(path) && !normalize(path).split(sep).includes(".."), "a path in the task folder"),
);

const eventLine = v.pipe(
  text,
  v.check((line) => !line.includes("\n") && typeof parseTaskEvent(line) !== "string", "a line of the journal"),
  v.examples(['{"seq":1,"prev":null,"at":"2026-11-21T10:00:00.000Z","type":"cancelled"}']),
);

export const processShape = whole<ProcessIdentity>()({
  pid: v.pipe(v.number(), v.integer(), v.minValue(2)),
  startTime: text,
  bootId: text,
  command: text,
});

/** current.json: the pass that is running. */
export const currentShape = v.object({
  version: v.literal(1),
  pass: about(count, "its number"),
  step: about(
    v.picklist(["baseline", "review", "exec", "checkpoint"]),
    "`checkpoint`: nothing of the pass is alive, all was compared, and what changes from here on is the runner's own work",
  ),
  started_at: text,
  repo: text,
  mark: v.object({ id: text, tetherPath: text }),
  work_folder: text,
  manifest: manifestShape,
  trees: v.exactOptional(
    about(
      v.object({ ref: text, packs: texts }),
      "other tasks and earlier passes: where their record is, and the packs that hold it and the copies",
    ),
  ),
  other_heads: v.exactOptional(
    about(
      recordOf(maybeText),
      "as `trees` in records of an earlier version: the journal heads of other tasks, by task folder",
    ),
  ),
  protected_globs: texts,
  config_paths: about(texts, "task-phase.yaml, wherever it was found; empty if there is none"),
  had_git: about(flag, "the repo had a `.git` when the pass began"),
  reviewers: v.exactOptional(
    about(v.array(reviewed), "what is journalled of the reviewers that are running, in case the run is killed"),
  ),
});

const file = v.object({ path: innerPath, text, behind: v.nullable(count) });

/** commit.json: an event that is about to be accepted, and every file that goes with it. */
export const commitShape = v.object({
  version: v.literal(1),
  journal: about(v.object({ size: count, sha256: text }), "the journal before the event"),
  line: about(eventLine, "without its newline"),
  state: about(maybeText, "the whole STATE.md afterwards; null if the event leaves it alone"),
  files: about(
    v.array(file),
    "other files of the task folder, by their path in it: the whole text, or a tail that is put behind that many bytes",
  ),
  ends_pass: about(flag, "true if the event ends the running pass"),
});

export type CurrentPass = Shape<typeof currentShape>;
export type PendingCommit = Shape<typeof commitShape>;
