import * as v from "valibot";
import { about, type Shape } from "../../../text/shape.ts";
import { flag, maybeFlag, maybeNumber, maybeText, text, texts } from "../values.ts";
import { reportOf } from "./common.ts";

export const initKeys = v.object({
  task: about(maybeText, "the id, or null if a brief that was there cannot be read"),
  task_dir: about(maybeText, "null with `--skill`"),
  made: about(texts, "names of files"),
  kept: about(texts, "names of files"),
  config: about(
    v.nullable(v.object({ path: text, made: flag, models: texts })),
    "`models` are the names of the agent CLIs that a new task-phase.yaml has; null with `--skill`",
  ),
  checks: about(
    v.array(v.object({ name: text, command: texts, why: text, required: flag })),
    "the repo's own commands that a new brief names, as validators or, with `required: false`, as comments",
  ),
  next: about(maybeText, "the next step; null with `--skill`"),
});
export const initReport = reportOf(initKeys.entries);

export const importKeys = v.object({
  from: about(text, "the file, absolute"),
  form: about(text, "`prd.json`, `prompt` or `ralph-loop`"),
  tasks_root: about(text, "absolute"),
  dry_run: flag,
  tasks: about(
    v.array(v.object({ id: text, folder: text, made: flag })),
    "in the order of the file; `made: false` was kept",
  ),
  config: about(v.object({ path: text, made: flag }), "task-phase.yaml"),
});
export const importReport = reportOf(importKeys.entries);

export const exportKeys = v.object({
  to: about(text, "the file that was written, absolute, links resolved"),
  base: about(maybeText, "the prd.json that it started from; null if it was made from the task folders"),
  changed: about(flag, "false if the file said the same already and was not written"),
  stories: about(
    v.array(v.object({ id: text, passes: flag, claimed: maybeFlag, task: flag })),
    "the new value, the earlier value, and whether a task has that id",
  ),
});
export const exportReport = reportOf(exportKeys.entries);

export const prKeys = v.object({
  task: about(text, "the id"),
  branch: text,
  commit: about(text, "the newest of the branch"),
  base: about(text, "the branch that it goes to"),
  action: about(text, "`created`, `updated`, `merged`: this commit was merged before; in a dry run what would be done"),
  draft: flag,
  number: about(maybeNumber, "of the pull request; null in a dry run that would make one, and so is its `url`"),
  url: maybeText,
});
export const prReport = reportOf(prKeys.entries);

export type PrKeys = Shape<typeof prKeys>;
export type InitKeys = Shape<typeof initKeys>;
export type ImportKeys = Shape<typeof importKeys>;
export type ExportKeys = Shape<typeof exportKeys>;
