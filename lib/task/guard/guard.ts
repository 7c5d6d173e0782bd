import { join, relative, sep } from "node:path";
import { type BlankedAnswers, blankNewAnswers } from "../../documents/blank-answers.ts";
import { sameAnswers } from "../../documents/decisions.ts";
import { sameParts } from "../../documents/evidence-file.ts";
import { stepsKept } from "../../documents/steps.ts";
import type { Tamper } from "../../rules/facts.ts";
import { guardedFiles } from "../../rules/guarded-files.ts";
import { type PathChange, parentsFirst } from "../../store/compare-manifest.ts";
import { lookOr } from "../../store/error-code.ts";
import { putFile } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { giveRights } from "../../store/replace-entry.ts";
import { shorten } from "../../text/shorten.ts";
import { isForGit, isRootWrite } from "../board-files.ts";
import { guardedPaths, guardName, isOfOwnRunner, isOfRoot, shownPath } from "../guarded-paths.ts";
import { type OtherTasks, otherTasks } from "../guarded-trees.ts";
import type { Anchor } from "../records/anchor.ts";
import type { CurrentPass } from "../records/anchor-shapes.ts";
import { isOwnWrite } from "../records/own-writes.ts";
import type { PassPorts } from "../records/ports.ts";
import { stands, type TaskPlace } from "../records/task-place.ts";
import { withoutOthersNotes } from "./guard-runtime.ts";
import { findStrangeTasks } from "./new-tasks.ts";
import { compareProtected, type PinnedPaths } from "./protected-paths.ts";
import type { RunnerGuard } from "./runner-place.ts";

export interface Guard {
  readonly place: TaskPlace;
  readonly anchor: Anchor;
  readonly current: CurrentPass;
  readonly pins: PinnedPaths;
  readonly ports: PassPorts;
  /** Absent after a crash. Null: no pass can write the runner. */
  readonly runner?: RunnerGuard | null;
  /** After a crash: what the killed run may have written, which stays. */
  readonly ownOutputs?: (path: string) => boolean;
}

export interface Comparison {
  readonly tampering: readonly Tamper[];
  /** Restored, and no reason to lose the pass: ledgers, reports, answers to a pass's own questions. */
  readonly putBack: readonly Tamper[];
  readonly allowed: readonly string[];
}

/**
 * Compares everything that must not change with the anchor, restores differences and reports them. Replaced bytes go to
 * `kept/` in the staging folder. `own` leaves out other tasks and earlier passes, if a full compare follows before anything else
 * happens.
 */
export function compareAndRestore(guard: Guard, by: Tamper["by"], which: "all" | "own" = "all"): Comparison {
  const { place, anchor, current } = guard;
  for (const path of [place.taskDir, place.artifacts, place.state]) giveRights(path);
  const others = otherTasks(place, anchor, current);
  const paths = guardedPaths(place, current.config_paths, current.repo);
  const changes = [
    ...anchor.store.compare(current.manifest, paths),
    ...(which === "own" ? [] : anchor.trees.compare(current.trees)),
  ].sort(parentsFirst);
  return withoutOthersNotes(guard, changes, (own) => restoreAll(guard, others, own, by));
}

function restoreAll(guard: Guard, others: OtherTasks, changes: readonly PathChange[], by: Tamper["by"]): Comparison {
  const { place, anchor, current, ports } = guard;
  const tampers: Tamper[] = [];
  const told: Tamper[] = [];
  const allowed: string[] = [];
  for (const change of changes) {
    if (guard.ownOutputs?.(change.path) === true || isOwnWrite(anchor, change)) continue;
    // task-phase board and init hold no task's lock, so a person may call them during a pass.
    if (isOfRoot(place, current.repo, change.path) && isRootWrite(place.tasksRoot, change, ports)) continue;
    const detail = tamperDetail(guard, others, change, by);
    const name = shownPath(place, change.path);
    if (detail === null) {
      allowed.push(name);
      continue;
    }
    const blanked = detail === "" ? null : newQuestions(guard, change);
    const restored = putBack(guard, change, name);
    const kept = restored ? addQuestions(guard, blanked) : null;
    if (kept !== null) {
      told.push({ ...{ path: name, change: change.change, guard: "task_file", by }, detail: kept, restored });
      allowed.push(name);
      continue;
    }
    const list = restored && isLedger(guard, change.path, by) ? told : tampers;
    list.push({
      path: name,
      change: change.change,
      guard: guardName(place, current, change.path),
      by,
      detail: detail === "" ? null : detail,
      restored,
    });
  }
  for (const path of findStrangeTasks(place, others, guard.ports)) {
    const name = shownPath(place, path);
    const now = { type: "folder" as const, mode: 0 };
    const restored = putBack(guard, { path, change: "added", was: null, now }, name);
    const detail = "a new task folder that a person did not make with task-phase init";
    tampers.push({ path: name, change: "added", guard: "other_task", by, detail, restored });
  }
  const runner = guard.runner?.restore(by, join(anchor.staging, "kept", "runner")) ?? null;
  if (runner !== null) tampers.push(runner);
  tampers.push(...compareProtected(guard.pins, anchor, join(anchor.staging, "kept", "repo"), by));
  if (current.had_git && !stands(join(current.repo, ".git"))) {
    tampers.push({
      path: ".git",
      change: "removed",
      guard: "git",
      by,
      detail: "the repo's .git is gone",
      restored: false,
    });
  }
  return { tampering: tampers, putBack: told, allowed };
}

const maxTaskFileBytes = 1024 * 1024;

/** Files that models write by habit and no verdict depends on. */
function isLedger({ place }: Guard, path: string, by: Tamper["by"]): boolean {
  return (by === "model" || by === "validators") && guardedFiles.get(relative(place.taskDir, path))?.pass === "habit";
}

/** DECISIONS.md, if its only fault is that the pass answered its own new questions. */
function newQuestions({ place, anchor }: Guard, { path, was }: PathChange): BlankedAnswers | null {
  if (path !== place.decisions) return null;
  const there = readRegularFile(path, maxTaskFileBytes);
  return there.kind === "file" ? blankNewAnswers(was === null ? null : anchor.store.readCopy(was), there.bytes) : null;
}

/** Adds them to the restored file; the other version is in `kept/`. Returns words for people. */
function addQuestions({ place }: Guard, blanked: BlankedAnswers | null): string | null {
  if (blanked === null) return null;
  putFile(place.decisions, blanked.text);
  const came = blanked.answered.map(
    ({ id, answer }) => `the new question ${id} came with an answer: "${shorten(answer)}"`,
  );
  const stays = came.length === 1 ? "the answer was removed, and the question stays" : "only the questions stay";
  return `${came.join("; ")}; ${stays}`;
}

function putBack(guard: Guard, change: PathChange, name: string): boolean {
  // If an unrestored parent blocks it, say so instead of skipping.
  return lookOr(() => {
    guard.anchor.store.restore(change, join(guard.anchor.staging, "kept", name));
    return true;
  }, false);
}

/** Null if legal; else what is wrong, "" if its name says enough. */
function tamperDetail(guard: Guard, others: OtherTasks, change: PathChange, by: Tamper["by"]): string | null {
  const { place, anchor, current } = guard;
  const other = otherTaskOf(place, others, change.path);
  if (other !== null) return isOfOwnRunner(other, change.path, others.get(other), guard.ports) ? null : "";
  if (isOfRoot(place, current.repo, change.path))
    return isForGit(change.path) ? "only task-phase init and people write it" : "only task-phase board writes it";
  const plainFile = change.now === null || change.now.type === "file";
  // The accepted STATE.md is restored separately, and this one kept.
  if (by !== "model" && change.path === place.state && plainFile) return null;
  // No model has run yet, so this is no proposal.
  if (by === "before" || by === "reviewers") return "";
  const was = change.was === null ? null : anchor.store.readCopy(change.was);
  const now = change.now?.type === "file" ? readRegularFile(change.path, maxTaskFileBytes) : null;
  const bytes = now?.kind === "file" ? now.bytes : null;
  switch (relative(place.taskDir, change.path)) {
    case "STATE.md":
      return change.change === "changed" && plainFile ? null : "";
    case "TASKS.md":
      return bytes === null ? "" : verdictOn(stepsKept(was, bytes));
    case "DECISIONS.md":
      return bytes === null ? "" : verdictOn(sameAnswers(was, bytes));
    case "EVIDENCE.md":
      return bytes === null ? "" : verdictOn(sameParts(was, bytes));
    default:
      return "";
  }
}

function otherTaskOf({ tasksRoot }: TaskPlace, others: OtherTasks, path: string): string | null {
  const [name = ""] = relative(tasksRoot, path).split(sep);
  const folder = join(tasksRoot, name);
  return name !== "" && others.has(folder) ? folder : null;
}

function verdictOn(kept: { ok: boolean; problem: string | null }): string | null {
  return kept.ok ? null : (kept.problem ?? "");
}
