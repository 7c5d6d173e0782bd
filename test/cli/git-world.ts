import { mkdirSync } from "node:fs";
import type { TestContext } from "node:test";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { type CommitSpec, fillGitRepo, type MadeRepo } from "../history/git-maker.ts";
import { passStarted } from "../rules/arrange.ts";
import { makeWorld, type World } from "./arrange.ts";

/** A world with the repository `app` of these commits, and `bare.git`, its mirror. `refs`: the place of a commit in the list. */
export function makeGitWorld(
  t: TestContext,
  commits: readonly CommitSpec[],
  refs: Readonly<Record<string, number>>,
): { readonly world: World; readonly repo: MadeRepo } {
  const world = makeWorld(t);
  mkdirSync(world.path("app"));
  const repo = fillGitRepo(world.path("app"), commits);
  for (const [ref, at] of Object.entries(refs)) repo.git("update-ref", ref, repo.commits[at] ?? "");
  repo.git("clone", "-q", "--mirror", ".", world.path("bare.git"));
  return { world, repo };
}

export const claimRunner = { worker: "w1", host: null, attempt: "a1", task_phase: "0.1.0", node: "20.19.0" };

/** The claim of pass 1, at intake, by `claimRunner`. */
export function claimEvent(at: string, more: object = {}): TaskEvent {
  return passStarted(1, { at, phase: "intake", timeout_ms: 600_000, runner: claimRunner, ...more });
}
