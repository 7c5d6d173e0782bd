import * as v from "valibot";
import { about, type Shape } from "../../../text/shape.ts";
import { standings } from "../../standing-facts.ts";
import { degradeSteps, verdicts } from "../../words.ts";
import { passRunner } from "../events.ts";
import { ticket } from "../facts.ts";
import { count, flag, maybePhase, maybeText, maybeTime, number, phase, text, texts, time } from "../values.ts";
import { cooldown, evidence, reportOf } from "./common.ts";

const moved = v.nullable(v.object({ paths: v.nullable(count), reason: maybeText }));
const lastVerdict = v.object({
  pass: count,
  verdict: v.picklist(verdicts),
  from: phase,
  to: phase,
  reason: text,
  at: time,
});

const taskEntries = {
  task: about(maybeText, "the id, from the brief"),
  title: about(maybeText, "from the brief"),
  folder: about(text, "absolute; with `--git` the path in the repository"),
  priority: number,
  phase: about(maybePhase, "as the journal has it, else as STATE.md has it"),
  standing: about(v.picklist(standings), "docs/json.md says when each word fits"),
  why: about(text, "one sentence"),
  who: about(
    v.picklist(["person", "runner", "tasks", "nobody"]),
    "who must act: `person`, `runner` (its next call), `tasks` (those it waits for) or `nobody`",
  ),
  moved_since: about(
    moved,
    "for a done task whose code has changed since `done`; `paths` is the number of changed paths, or null with the reason why it is not known here; `why` says it too",
  ),
  last_verdict: v.nullable(lastVerdict),
  passes: about(count, "passes that count"),
  repairs: about(count, "repairs since the task was last opened"),
  spent_usd: about(v.nullable(number), "the sum of the costs that are known"),
  charged_usd: about(
    number,
    "the amount that counts against `budget.money_usd`: that sum, plus the estimate of each pass of unknown cost",
  ),
  unknown_costs: about(count, "passes whose cost is not known"),
  spent_tokens: about(number, "input and output of its passes and reviewers, as far as they are known"),
  spent_ms: about(number, "the time of its passes and reviewers"),
  degraded: about(v.array(v.picklist(degradeSteps)), "how its passes are made cheaper at present"),
  blockers: maybeText,
  waits_for: about(texts, "ids of dependencies that are not done"),
  open_questions: about(texts, "their ids"),
  questions: about(
    v.array(
      v.object({
        ...{ id: text, title: text, question: text, options: text, safe_default: text },
        ...{ default_at: maybeTime, place: text, edit_url: maybeText },
      }),
    ),
    "the same; `default_at`: when the safe default is taken; `place` is for example `DECISIONS.md:3`; `edit_url`: the host's page that edits it",
  ),
  tickets: about(v.array(ticket), "open ones"),
  run: about(
    v.nullable(v.object({ id: text, passes: count, last_pass_at: time })),
    "the newest call of the loop that worked on it",
  ),
  evidence: about(evidence, "as for `run`"),
  cooldowns: about(v.array(cooldown), "cooldowns of the tasks root, by name, without those that have ended"),
  hindered: about(
    maybeText,
    "why a run would call no model although the task is runnable or cooling: no model can be called, the contract has no required validator or the brief says nothing before the first pass, a validator's or scenario's program is missing, the day's budget leaves too little, or another loop is active in the repo; `why` says it too",
  ),
  next_eligible_at: about(
    maybeTime,
    "if a pass could begin and every model that is there cools down: when the first of them can be called again. If the task asks: when a safe default is taken. If the day's budget stops it: the next midnight UTC",
  ),
  branch: v.exactOptional(
    about(
      v.nullable(v.object({ ref: text, commit: text, merged: v.nullable(flag) })),
      "with `--git`, and for a task that is newer on its branch than in its folder: the commit that it was read from, or null if no single commit says it; `merged`: whether the base branch has all that was accepted, or null if the task has no branch of its own",
    ),
  ),
  claim: v.exactOptional(
    about(
      v.nullable(
        v.object({
          pass: count,
          phase,
          model: about(maybeText, "null without a model"),
          at: time,
          until: time,
          holds: flag,
          runner: v.nullable(passRunner),
        }),
      ),
      "with `--git` only: the pass that began and has no verdict, who claimed it, and until when nobody else begins one; `holds` is false once that time has come, and for a pass that nobody claimed; null if none is open",
    ),
  ),
};

export const taskStatus = v.object(taskEntries);

const rootEntries = {
  run_id: about(maybeText, "the newest call of the loop, as the journals say; null before the first"),
  iteration: about(v.nullable(count), "the passes that it has begun; null before the first"),
  loop_running: about(flag, "a loop over this root runs now"),
  tasks: about(v.array(taskStatus), "each with the keys above"),
  next: about(
    maybeText,
    "the id of the next runnable task that nothing hinders, else of the first runnable one, or null",
  ),
  cooldowns: about(v.array(cooldown), "cooldowns of the tasks root"),
  next_eligible_at: about(maybeTime, "the time of `next`, or the earliest of all tasks if nothing is runnable"),
  git: v.exactOptional(
    about(
      v.object({ repository: text, base: v.nullable(v.object({ ref: text, commit: text })) }),
      "with `--git` only: the repository that was read, and the branch that work is merged into, or null",
    ),
  ),
};

export const rootStatus = v.object(rootEntries);
export const statusReport = reportOf({ ...rootEntries, ...taskEntries });

export const showKeys = v.object({
  log: about(texts, "the newest lines of log.txt, the oldest first; at most 10"),
  files: about(
    v.object({ state: text, evidence: maybeText, summary: maybeText, decisions: maybeText, log: maybeText }),
    "absolute; null for a file that is not there",
  ),
  pr: about(maybeText, "with `--pr`: the text of a pull request, as Markdown; else null"),
  opened: about(flag, "with `--open`: a program opened the page"),
});
export const showReport = reportOf({ ...taskEntries, ...showKeys.entries });

export type ShowKeys = Shape<typeof showKeys>;
export type TaskStatus = Shape<typeof taskStatus>;
export type RootStatus = Shape<typeof rootStatus>;
