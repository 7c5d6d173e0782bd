import type { Landing, MergeResult } from "../../lib/fleet/land/land-task.ts";
import { type LandRequest, runLand } from "../../lib/fleet/land/run-land.ts";
import type { PassPorts } from "../../lib/task/records/ports.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { branch, machineAt, placeOfMachine, portsOf, repository } from "./doubles.ts";
import { type Bounds, enter, type Game, here, type Machine, World } from "./world.ts";

/**
 * Calls of `land` for one task in one repository, beside people who commit there, and without the task's lock: what is lost
 * must be kept from it by the swap of the ref alone.
 */
export interface LandBounds extends Bounds {
  /** Commits of people on the branch that tasks land in. */
  readonly commits: number;
  /** Steps of the task itself that move its branch meanwhile. */
  readonly steps: number;
}

const target = "refs/heads/main";

export function openLanding(bounds: LandBounds): World {
  const world = new World(bounds, new LandingGame(bounds));
  enter(world);
  const first = world.commit([], ["first"]);
  world.refs.set(target, first);
  world.refs.set(branch, world.commit([first], ["first", "work 1"]));
  world.begin();
  return world;
}

class LandingGame implements Game {
  readonly isLastOther = false;
  private commits = 0;
  private steps = 0;
  private readonly proven = new Set<string>();
  private readonly bounds: LandBounds;

  constructor(bounds: LandBounds) {
    this.bounds = bounds;
  }

  async call(world: World, machine: Machine, attempt: string): Promise<void> {
    await world.point(machine, "look", true);
    const commit = world.refs.get(branch);
    world.saw(machine, `${commit}`);
    if (commit === undefined) return;
    const place = placeOf(`${placeOfMachine(machine.name)}/repo/tasks/T-1`);
    const task = { place, phase: "done", told: { dependsOn: [] } };
    const ahead = { id: "T-1", ref: branch, commit, path: "tasks/T-1" };
    const tasks = [{ task, ahead }];
    const request = {
      ...{ tasksRoot: place.tasksRoot, tasks, open: tasks, into: null, config: null, keep: false, dryRun: false },
      runner: { worker: attempt, host: null, attempt, task_phase: "0", node: "0" },
    } as unknown as LandRequest;
    try {
      const ports = portsOf(machine, () => new Date(0));
      const end = await runLand(request, ports, () => undefined);
      for (const { outcome, why } of end.tasks) this.tell(world, attempt, { commit, outcome, why });
    } catch (error) {
      if (!(error instanceof TaskPhaseError) || error.exitName !== "locked") throw error;
    }
  }

  private tell(
    world: World,
    attempt: string,
    { commit, outcome, why }: { readonly commit: string; readonly outcome: string; readonly why: string },
  ): void {
    const isIn = world.isBehind(commit, world.refs.get(target) ?? "");
    const said = (what: string) => void world.problems.push(`${attempt} said ${outcome} (${why}): ${what}`);
    if (outcome === "landed" && !isIn) said("the branch is not in the target");
    if (outcome !== "landed" && outcome !== "left") said("nothing keeps it from landing");
  }

  prove(commit: string): void {
    this.proven.add(commit);
  }

  others(world: World): readonly string[] {
    const found = this.commits < this.bounds.commits ? ["a person commits on the target"] : [];
    const hasBranch = world.refs.has(branch);
    return this.steps < this.bounds.steps && hasBranch ? [...found, "the task goes on"] : found;
  }

  other(world: World, name: string): void {
    const ref = name === "the task goes on" ? branch : target;
    if (ref === branch) this.steps += 1;
    else this.commits += 1;
    const work = ref === branch ? `work ${this.steps + 1}` : `commit ${this.commits}`;
    const tip = world.refs.get(ref) ?? "";
    const commit = world.commit([tip], [...world.holdsOf(tip), work]);
    if (ref === target) this.proven.add(commit);
    world.move(ref, commit);
  }

  moved(world: World, { ref, from, to }: Parameters<Game["moved"]>[1]): void {
    const said = (what: string) => void world.problems.push(`${ref} went from ${from} to ${to}: ${what}`);
    if (ref === target) {
      if (to === null || (from !== null && !world.isBehind(from, to))) said("what it had is not in it");
      else if (!this.proven.has(to)) said("nobody made or proved that commit");
      const works = world.holdsOf(to).filter((one) => one.startsWith("work"));
      if (new Set(works).size < works.length) said("the work is in it twice");
    }
    if (ref === branch && to === null && !world.isBehind(from ?? "", world.refs.get(target) ?? ""))
      said("the branch is gone, and the target does not have it");
  }

  /** One more call lands what is there. */
  async finish(world: World): Promise<void> {
    await world.endAll();
    for (const machine of [...world.machines, ...world.machines]) await world.playAlone(machine);
    const left = [...world.refs.keys()].filter((ref) => ref !== target);
    if (left.length > 0) world.problems.push(`left behind: ${left.join(", ")}`);
    const work = world.holdsOf(world.refs.get(target) ?? null).filter((one) => one.startsWith("work"));
    if (work.length !== this.steps + 1) world.problems.push(`the target has only ${work.join(", ")}`);
  }

  state(): unknown {
    return [this.commits, this.steps];
  }
}

/** Stands in for the merge and its checks, which pass. */
export async function mergeAndCheck<Value>(
  { task, target: into }: Landing,
  ports: PassPorts,
  use: (result: MergeResult) => Promise<Value>,
): Promise<Value> {
  const world = here();
  const machine = machineAt(ports.cwd);
  if (world.isBehind(task.commit, into.commit)) return await use({ kind: "merged" });
  await world.point(machine, "checks");
  const news = world.holdsOf(task.commit).filter((one) => !world.holdsOf(into.commit).includes(one));
  const holds = [...world.holdsOf(into.commit), ...news];
  const commit = world.commit([into.commit, task.commit], holds, `${machine.name}.${machine.calls}`);
  if (world.game instanceof LandingGame) world.game.prove(commit);
  return await use({ kind: "proven", isMerge: true, commit, clone: repository(machine) });
}

export async function openLocal(_place: unknown, ports: PassPorts) {
  const world = here();
  const machine = machineAt(ports.cwd);
  await world.point(machine, "open", true);
  const commit = world.refs.get(target) ?? "";
  world.saw(machine, commit);
  return { tree: repository(machine), base: { ref: target, commit } };
}
