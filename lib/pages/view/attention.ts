import { passPath } from "../../documents/pass-pack.ts";
import type { EvidenceModel } from "../model/build-model.ts";
import { changedPathsOf } from "../model/patches.ts";
import { formatTime } from "./format.ts";
import { viewWatched, watchedAlarm } from "./view-watched.ts";

/** One thing that a person must look at before trusting the rest. */
export interface Attention {
  readonly what: string;
  readonly detail: string;
  /** A path of the task folder that shows it; empty if there is none. */
  readonly path: string;
  /** It still blocks the task; otherwise it is settled but worth a look. */
  readonly bad: boolean;
}

/**
 * What failed, what could hide a failure, and what happened outside the normal flow: open ones first. Empty for a task
 * that needs no closer look.
 */
export function listAttention(model: EvidenceModel): Attention[] {
  const all = [
    ...listOpen(model),
    ...listBadCells(model),
    ...listWatchedChanges(model),
    ...listPassTrouble(model),
    ...listHandwork(model),
  ];
  return [...all.filter(({ bad }) => bad), ...all.filter(({ bad }) => !bad)];
}

function open(what: string, detail: string, path = ""): Attention {
  return { what, detail, path, bad: true };
}

function settled(what: string, detail: string, path = ""): Attention {
  return { what, detail, path, bad: false };
}

/** The parts that say something. */
function listed(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("; ");
}

/** What a person or a later pass still has to do. */
function listOpen({
  questions,
  checks,
  gates,
  manual,
  reviews,
  tickets: all,
  findings,
  passes,
}: EvidenceModel): Attention[] {
  // The check may have passed since: the ticket is closed by the next move.
  const passing = new Set(
    checks?.voided === false ? checks.results.filter(({ status }) => status === "pass").map(({ name }) => name) : [],
  );
  const tickets = all.filter(
    ({ source, name }) => !((source === "validator" || source === "scenario") && passing.has(name)),
  );
  // A ticket says the same of what it was written for.
  const isNewest = all.length === 0 && gates?.pass === passes.at(-1)?.pass;
  const failed = isNewest ? (gates?.results ?? []).filter(({ ok }) => !ok) : [];
  return [
    ...questions.map((ask) => open(`${ask.id} ${ask.title}`.trim(), renderAsk(ask), "DECISIONS.md")),
    ...(checks?.voided === true
      ? [open("The brief changed afterwards", "the results of the checks no longer count")]
      : []),
    ...(checks === null || checks.moved.length === 0
      ? []
      : [open("The repo moved while the checks ran", checks.moved.join(", "))]),
    ...failed.map(({ gate, detail }) => open(gate, detail)),
    ...manual.filter(({ answer }) => answer?.holds !== true).map((row) => open(row.name, renderManual(row))),
    ...reviews
      .filter(({ about }) => about === "present")
      .flatMap(({ role, report, findings }) =>
        findings
          .filter(({ severity }) => severity === "blocking")
          .map(({ text }) => open(`${role} reviewer, blocking`, text, report)),
      ),
    ...tickets.map(({ name, source, text }) => open(`Ticket of ${source} ${name}`, text)),
    ...findings
      .filter((finding) => tickets.every(({ text }) => text !== finding))
      .map((finding) => open("Open finding", finding, "STATE.md")),
  ];
}

function renderAsk({ question, options, safeDefault, end }: EvidenceModel["questions"][number]): string {
  return listed(
    question,
    options === "" ? "" : `options: ${options}`,
    safeDefault === "" ? "" : `safe default: ${safeDefault}`,
    end,
  );
}

/** A person's observation is never presented as a result of the runner. */
export function renderManual({ look, answer }: EvidenceModel["manual"][number]): string {
  if (answer === null) return `${look}; nothing ran for it, and no person has looked at this code yet`;
  const said = answer.holds ? "looked and said yes" : `said: ${answer.said}`;
  return `${look}; nothing ran for it; a person ${said} (${answer.question})`;
}

/** Cells that ran and came out otherwise than they must; `without` that passes is in the headline. */
function listBadCells({ matrix }: EvidenceModel): Attention[] {
  if (matrix === null) return [];
  const failed = matrix.rows.filter(({ cell, good }) => good === false && !cell.startsWith("without"));
  return [
    ...failed.map(({ cell, result, logs }) => open(cell, result, logs[0]?.path)),
    ...matrix.unsteady.map(({ name, told, log, bad }) => ({ ...open(`${name} is unsteady`, told, log), bad })),
    ...(matrix.calibration === null ? [] : [settled("This repo cannot be judged in a clean copy", matrix.calibration)]),
  ];
}

/** Changes of tests and checks by which a check could pass. */
function listWatchedChanges(model: EvidenceModel): Attention[] {
  const changed = changedPathsOf(model);
  const alarm = watchedAlarm(model.watched);
  const rows = model.watched.filter(({ hides }) => hides).map((row) => viewWatched(row, changed));
  return [
    ...(alarm === "" ? [] : [open(alarm, "a check can pass because of that")]),
    ...rows.map(({ name, kind, change, detail, unpatched, standing, good }) => ({
      ...open(name, listed(`${kind} ${change}`, detail, unpatched, standing)),
      bad: !good,
    })),
  ];
}

/** Crashes, changes beyond the bounds of a phase or of what a diff shows, and files that had to be put back. */
function listPassTrouble({ passes }: EvidenceModel): Attention[] {
  return passes.flatMap(({ pass, trouble, warned, tampering, record }) => {
    const told = [
      ...(trouble === null ? [] : [`the model ${trouble}`]),
      ...warned,
      ...(tampering.length === 0
        ? []
        : [`it changed what it must not change, which was restored: ${tampering.join(", ")}`]),
    ];
    const path = record === null ? "" : `${passPath(pass)}/pass.json`;
    return told.map((detail) => settled(`Pass ${pass}`, detail, path));
  });
}

/** A person's edits of a task that still works. Finished edits, and all edits of a done task, are in the record. */
function listHandwork({ edits, phase }: EvidenceModel): Attention[] {
  return edits
    .filter(({ who, what }) => who === "person" && phase !== "done" && /edit|changed|refused|not|no$/i.test(what))
    .map(({ at, what, move, detail }) =>
      settled(/ by /.test(what) ? what : `${what} by a person`, listed(formatTime(at), move, detail)),
    );
}
