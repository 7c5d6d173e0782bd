import { lstatSync } from "node:fs";
import path from "node:path";
import { usageError } from "../report/errors.ts";
import type { CommandContext } from "./command.ts";

/** The target of a command: one task, or all tasks of a root. Absolute paths; nothing is resolved through links. */
export type Target =
  | { readonly kind: "task"; readonly taskDir: string }
  | { readonly kind: "root"; readonly tasksRoot: string };

type Given = Pick<CommandContext, "flags" | "cwd">;

/** `--task-dir` or `--tasks-root`; neither: the current folder, if it holds STATE.md. */
export function chooseTarget(context: Given): Target {
  const tasksRoot = context.flags.text("tasks-root");
  if (tasksRoot === null) return { kind: "task", taskDir: chooseTask(context) };
  if (context.flags.text("task-dir") === null) return { kind: "root", tasksRoot: path.resolve(context.cwd, tasksRoot) };
  throw usageError("TP_USAGE_TWO_TARGETS", "--task-dir and --tasks-root cannot be combined", {
    fix: "omit one of them",
  });
}

/** `--task-dir`, for a command that works on one task; without it the current folder, if it holds STATE.md. */
export function chooseTask(context: Given): string {
  const taskDir = context.flags.text("task-dir");
  if (taskDir !== null) return path.resolve(context.cwd, taskDir);
  if (isFile(path.join(context.cwd, "STATE.md"))) return context.cwd;
  throw usageError("TP_USAGE_NO_TARGET", "no task folder given, and the current directory has no STATE.md", {
    fix: "write --task-dir FOLDER",
  });
}

export function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
