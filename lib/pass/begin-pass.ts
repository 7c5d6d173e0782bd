import { join, relative } from "node:path";
import { recordTurn, takeNotes } from "../agents/rotation/model-notes.ts";
import { createMark } from "../process/mark.ts";
import type { TaskEvent } from "../rules/events.ts";
import { estimateOf } from "../rules/spend.ts";
import { type FolderSyncs, makeFolder } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import type { Guard } from "../task/guard/guard.ts";
import { guardRunner } from "../task/guard/runner-place.ts";
import { guardedPaths, listOtherTasks } from "../task/guarded-paths.ts";
import { guardedTrees } from "../task/guarded-trees.ts";
import { clearStaging } from "../task/records/anchor.ts";
import type { CurrentPass, WaitingLine } from "../task/records/anchor-shapes.ts";
import { recordCurrent } from "../task/records/records.ts";
import { passFolder, stands } from "../task/records/task-place.ts";
import { makeWorkFolder } from "../task/records/work-folder.ts";
import { begin, type HeldTask } from "../task/session.ts";
import { sha256 } from "../text/sha256.ts";
import { keptPrompt } from "./pack-prompt.ts";
import { type Plan, tierOf } from "./prepared-pass.ts";

/** What the event that begins a pass waits with: files that get these bytes once the record is durable. */
interface Started {
  readonly started: WaitingLine;
  readonly ahead: ReadonlyMap<string, Buffer>;
}

export type GuardStep = (step: CurrentPass["step"], begun?: Started) => Guard;

/**
 * Guards the steps of a pass in which programs run, one at a time: each call makes the record of its step and the copies
 * of what must not change. From then on, what a killed run left behind can be undone.
 */
export function guardPass(session: HeldTask, plan: Plan): GuardStep {
  const { place, anchor, ports } = session;
  const { repo, pass, pins, contract } = plan;
  const runner = guardRunner(anchor, place, repo, ports);
  // Beside a clone a person goes on in their own tree, whose task-phase.yaml may change or be stashed at any time.
  const isBeside = (path: string) => ports.fence?.isOwn === true && relative(repo, path).startsWith("..");
  const configPaths = contract.configPaths.filter((path) => !isBeside(path));
  return (step, begun) => {
    // The turn of the model is in the notes already if its pass begins.
    if (begun === undefined) takeNotes(session);
    clearStaging(anchor);
    const others = listOtherTasks(place);
    const workFolder = makeWorkFolder(anchor.folder);
    const paths = guardedPaths(place, configPaths, repo);
    const recorded = anchor.trees.record({
      task: place.taskDir,
      roots: paths.roots,
      options: paths,
      trees: guardedTrees(place, others, ports),
      ...(begun === undefined ? {} : { ahead: begun.ahead }),
    });
    const current: CurrentPass = {
      version: 1,
      pass,
      step,
      started_at: ports.now().toISOString(),
      repo,
      mark: createMark(workFolder),
      work_folder: workFolder,
      ...recorded,
      protected_globs: contract.contract.protected,
      config_paths: configPaths,
      had_git: stands(join(repo, ".git")),
      ...(begun === undefined ? {} : { started: begun.started }),
    };
    recordCurrent(anchor, current);
    anchor.store.prune(Object.values(pins.entries));
    return { place, anchor, current, pins, ports, runner };
  };
}

/** Begins the pass: the anchor knows it, and the journal has its event. */
export function beginPass(
  session: HeldTask,
  plan: Plan,
  guardStep: GuardStep,
  facts: {
    readonly prompt: string;
    readonly fingerprint: string;
    /** The commit at pass 1; undefined later, null without git. */
    readonly head: string | null | undefined;
    readonly syncs: FolderSyncs;
  },
): Guard {
  const { document, model, pass } = plan;
  const { place, ports, history } = session;
  const { fingerprint, head, syncs } = facts;
  const prompt = keptPrompt(facts.prompt, { taskDir: place.taskDir, repo: plan.repo });
  const folder = passFolder(place, pass);
  if (model !== null) recordTurn(session, model.name);
  // Until its verdict a power cut may take these names away: the record of the pass has the bytes.
  makeFolder(folder, 0o777, syncs);
  if (model !== null) putFile(join(folder, "prompt.md"), prompt, { syncs });
  putFile(join(folder, "STATE.before.md"), history.state ?? "", { syncs });
  const event: TaskEvent = {
    type: "pass_started",
    at: ports.now().toISOString(),
    pass,
    phase: document.view.phase,
    model: model?.name ?? null,
    estimate_usd: model === null ? null : estimateOf(history.spend, model.name, model.estimateUsd),
    prompt_sha256: model === null ? null : sha256(prompt),
    fingerprint,
    run: plan.run?.id ?? null,
    timeout_ms: plan.timeoutMs,
    tier: tierOf(plan),
    degrade: plan.degrade,
    ...(head === undefined ? {} : { head_commit: head }),
    ...(ports.fence === undefined ? {} : { runner: ports.fence.runner }),
  };
  return begin(session, event, (started, journal) =>
    guardStep("exec", { started, ahead: new Map([[place.journal, journal]]) }),
  );
}
