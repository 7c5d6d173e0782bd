import { isAbsolute, normalize, sep } from "node:path";
import * as v from "valibot";
import type { ProcessIdentity } from "../process/identity.ts";
import { manifestShape } from "../store/manifest-shape.ts";
import { reviewed } from "../task-folder/event-schemas.ts";
import { count, maybeText, text, texts } from "../task-folder/fact-schemas.ts";
import { recordOf, whole } from "../text/read-shape.ts";
import type { CurrentPass, PendingCommit } from "./anchor.ts";

/** In the task folder, since a commit writes there. */
const innerPath = v.pipe(
  text,
  v.check((path) => !isAbsolute(path) && !normalize(path).split(sep).includes(".."), "Invalid path"),
);

export const processShape = whole<ProcessIdentity>()({
  pid: v.pipe(v.number(), v.integer(), v.minValue(2)),
  startTime: text,
  bootId: text,
  command: text,
});

export const currentShape = whole<CurrentPass>()({
  version: v.literal(1),
  pass: count,
  step: v.picklist(["baseline", "review", "exec", "checkpoint"]),
  started_at: text,
  repo: text,
  mark: v.looseObject({ id: text, tetherPath: text }),
  work_folder: text,
  manifest: manifestShape,
  other_heads: recordOf(maybeText),
  protected_globs: texts,
  config_paths: texts,
  had_git: v.boolean(),
  reviewers: v.exactOptional(v.array(reviewed)),
});

export const commitShape = whole<PendingCommit>()({
  version: v.literal(1),
  journal: v.looseObject({ size: count, sha256: text }),
  line: text,
  state: maybeText,
  files: v.array(whole<PendingCommit["files"][number]>()({ path: innerPath, text, behind: v.nullable(count) })),
  ends_pass: v.boolean(),
});
