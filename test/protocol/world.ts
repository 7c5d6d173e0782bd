import { sha256 } from "../../lib/text/sha256.ts";

/** Thrown by whatever a run that was killed does after its end. */
export class Killed extends Error {
  readonly code = "EKILLED";
}

export function isKill(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && error.cause !== undefined && isKill(error.cause));
}

/** How one call over the network ends. `late`: it has no answer, and reaches the remote at some later time. */
export type Outcome = "answered" | "unanswered" | "unsent" | "late";

/** One thing that may happen next. */
export type Choice =
  /** `dies`: the run is killed before that many changes of its disk that follow; null: it is not. */
  | { readonly kind: "go"; readonly machine: number; readonly outcome: Outcome; readonly dies: number | null }
  | { readonly kind: "kill"; readonly machine: number }
  | { readonly kind: "deliver"; readonly push: number }
  /** Somebody else does something: the game says what, and how often. */
  | { readonly kind: "other"; readonly name: string };

export interface Commit {
  readonly parents: readonly string[];
  /** What it is of: events of a journal, or names of work. */
  readonly holds: readonly string[];
}

/** A run as it stands: what it has seen since it began decides all that it does next. */
interface Run {
  readonly call: number;
  readonly seen: string[];
  /** Changes of the disk since it last went on. */
  changes: number;
  dies: number | null;
  isOver: boolean;
}

interface Waiting {
  readonly label: string;
  /** Others see whether it comes before or after what they do. */
  readonly isShared: boolean;
  readonly go: (outcome: Outcome) => void;
}

/** A machine, or a command on one. */
export interface Machine {
  readonly name: string;
  readonly index: number;
  readonly files: Map<string, string>;
  /** What its clone has checked out, and the journal in it. */
  clone: { head: string; holds: readonly string[] } | null;
  /** Working trees that were kept, as nothing else had the work. */
  readonly keptTrees: string[];
  run: Run | null;
  calls: number;
  hasBegun: boolean;
  waiting: Waiting | null;
}

interface Push {
  readonly ref: string;
  /** As `--force-with-lease` has it; undefined: a push without it. */
  readonly expected: string | null | undefined;
  readonly commit: string;
}

/** How many of each the search allows, of all machines together. */
export interface Bounds {
  readonly machines: number;
  /** Runs that each machine begins, besides those after a kill. */
  readonly calls: number;
  readonly kills: number;
  /** Calls over the network that get no answer. */
  readonly faults: number;
}

/** What is played in a world. */
export interface Game {
  /** Commands that a machine runs one after another; what they throw is theirs. */
  call(world: World, machine: Machine, attempt: string): Promise<void>;
  /** What other people and the clock may do now. */
  others(world: World): readonly string[];
  other(world: World, name: string): void;
  /** A ref went from one commit to another. */
  moved(world: World, push: { readonly ref: string; readonly from: string | null; readonly to: string | null }): void;
  /** Nothing more may happen: the world is brought to its end, and judged. */
  finish(world: World): Promise<void>;
  /** Of the game, what the future depends on. */
  state(world: World): unknown;
  /** The last machine differs from the others. */
  readonly isLastOther: boolean;
}

/**
 * A remote with its refs, machines with their disks, and people: what the modules of claims and of landing find instead of
 * git, files and time. Nothing happens but by `act`.
 */
export class World {
  readonly commits = new Map<string, Commit>();
  readonly refs = new Map<string, string>();
  readonly machines: readonly Machine[];
  readonly bounds: Bounds;
  readonly game: Game;
  readonly late: Push[] = [];
  readonly locks = new Map<string, Run>();
  readonly problems: string[] = [];
  private kills = 0;
  private faults = 0;
  private isEnding = false;

  constructor(bounds: Bounds, game: Game) {
    this.bounds = bounds;
    this.game = game;
    this.machines = Array.from({ length: bounds.machines }, (_, index) => makeMachine(index));
  }

  commit(parents: readonly string[], holds: readonly string[], by = ""): string {
    const id = sha256(`${by} ${parents.join(" ")}\n${holds.join("\n")}`).slice(0, 40);
    this.commits.set(id, { parents, holds });
    return id;
  }

  holdsOf(commit: string | null): readonly string[] {
    return commit === null ? [] : (this.commits.get(commit)?.holds ?? []);
  }

  isBehind(commit: string, tip: string): boolean {
    if (commit === tip) return true;
    return (this.commits.get(tip)?.parents ?? []).some((parent) => this.isBehind(commit, parent));
  }

  /** Every machine begins its calls. */
  begin(): void {
    for (const machine of this.machines) void this.callAgain(machine);
  }

  private async callAgain(machine: Machine): Promise<void> {
    for (let ended = 0; ended < this.bounds.calls && !this.isEnding; ) if (await this.callOnce(machine)) ended += 1;
  }

  /** False: the run was killed. */
  async callOnce(machine: Machine): Promise<boolean> {
    machine.calls += 1;
    const run: Run = { call: machine.calls, seen: [], changes: 0, dies: null, isOver: false };
    machine.run = run;
    try {
      await this.point(machine, "call");
      await this.game.call(this, machine, `${machine.name}.${machine.calls}`);
    } catch (error) {
      if (run.isOver && isKill(error)) return false;
      this.problems.push(`${machine.name}.${machine.calls}: ${String(error)}`);
    }
    run.isOver = true;
    machine.run = null;
    return true;
  }

  /**
   * What may happen now, the plainest first. A step that others cannot tell the time of comes at once and alone. Machines that
   * are alike begin in their order.
   */
  choices(): Choice[] {
    const inside = this.machines.find(({ waiting }) => waiting !== null && !waiting.isShared);
    if (inside !== undefined) return [goOf(inside, "answered")];
    const found: Choice[] = [];
    for (const machine of this.machines) {
      const { index, waiting, run } = machine;
      if (waiting === null || !this.mayBegin(machine)) continue;
      found.push(goOf(machine, "answered"));
      if (this.faults < this.bounds.faults) {
        found.push(goOf(machine, "unanswered"), goOf(machine, "unsent"));
        if (waiting.label.startsWith("push")) found.push(goOf(machine, "late"));
      }
      if (run !== null && this.mayKill()) found.push({ kind: "kill", machine: index });
    }
    for (const push of this.late.keys()) found.push({ kind: "deliver", push });
    for (const name of this.game.others(this)) found.push({ kind: "other", name });
    return found;
  }

  private mayBegin({ index, hasBegun }: Machine): boolean {
    if (hasBegun || index === 0 || (this.game.isLastOther && index === this.machines.length - 1)) return true;
    return this.machine(index - 1).hasBegun;
  }

  mayKill(): boolean {
    return this.kills < this.bounds.kills;
  }

  /** Lets it happen, and everything that follows from it by itself. The changes of the disk on the way, if a run went on. */
  async act(choice: Choice): Promise<number> {
    let run: Run | null = null;
    if (choice.kind === "other") this.game.other(this, choice.name);
    else if (choice.kind === "deliver") for (const push of this.late.splice(choice.push, 1)) this.swap(push);
    else {
      const machine = this.machine(choice.machine);
      if (choice.kind === "kill") {
        this.kills += 1;
        this.kill(machine);
      } else {
        run = machine.run;
        this.goOn(machine, choice);
      }
    }
    await settled();
    return run?.changes ?? 0;
  }

  private goOn(machine: Machine, { outcome, dies }: Extract<Choice, { kind: "go" }>): void {
    const { waiting, run } = machine;
    if (waiting === null) return;
    machine.waiting = null;
    machine.hasBegun ||= waiting.isShared;
    if (outcome !== "answered") this.faults += 1;
    if (dies !== null) this.kills += 1;
    if (run !== null) {
      run.changes = 0;
      run.dies = dies;
    }
    waiting.go(outcome);
  }

  /** Swaps a ref as a remote does: only from what is expected, and without that only forward. */
  swap({ ref, expected, commit }: Push): boolean {
    const from = this.refs.get(ref) ?? null;
    const mayMove = expected === undefined ? from === null || this.isBehind(from, commit) : from === expected;
    if (!mayMove) return false;
    this.move(ref, commit);
    return true;
  }

  move(ref: string, to: string | null): void {
    const from = this.refs.get(ref) ?? null;
    if (to === null) this.refs.delete(ref);
    else this.refs.set(ref, to);
    if (from !== to) this.game.moved(this, { ref, from, to });
  }

  machine(index: number): Machine {
    const found = this.machines[index];
    if (found === undefined) throw new Error(`no machine ${index}`);
    return found;
  }

  /** The run of this machine waits here until the search lets it go on. */
  async point(machine: Machine, label: string, isShared = false): Promise<Outcome> {
    const { run } = machine;
    requireAlive(run);
    const outcome = await new Promise<Outcome>((go) => {
      machine.waiting = { label, isShared, go };
    });
    requireAlive(run);
    run?.seen.push(`${label} ${outcome}`);
    return outcome;
  }

  /** What the run learns here decides what it does next. */
  saw(machine: Machine, what: string): void {
    machine.run?.seen.push(what);
  }

  /** Before each change of the machine's disk. */
  change(machine: Machine): void {
    const { run } = machine;
    if (run === null) throw new Killed();
    requireAlive(run);
    run.changes += 1;
    if (run.changes !== run.dies) return;
    this.kill(machine);
    throw new Killed();
  }

  /** The kernel lets go of a lock whose holder ended. */
  lock(machine: Machine, path: string): { release(): void } | null {
    const { run } = machine;
    const holder = this.locks.get(path);
    if (run === null || (holder !== undefined && !holder.isOver)) return null;
    this.locks.set(path, run);
    return { release: () => void this.locks.delete(path) };
  }

  private kill(machine: Machine): void {
    const { run, waiting } = machine;
    if (run !== null) run.isOver = true;
    machine.run = null;
    machine.waiting = null;
    // It goes on into its end.
    waiting?.go("answered");
  }

  /** What was under way is killed, and nothing begins by itself any more. */
  async endAll(): Promise<void> {
    this.isEnding = true;
    for (const machine of this.machines) this.kill(machine);
    await settled();
  }

  /** One more call of this machine, in which every answer comes. */
  async playAlone(machine: Machine): Promise<void> {
    let isDone = false;
    void this.callOnce(machine).then(() => {
      isDone = true;
    });
    for (let steps = 0; !isDone && steps < 300; steps += 1) {
      if (machine.waiting === null) await settled();
      else await this.act(goOf(machine, "answered"));
    }
    if (!isDone) this.problems.push(`${machine.name} never ends`);
  }

  /** All that the future depends on. */
  state(): string {
    const machines = this.machines.map(({ files, clone, keptTrees, run, calls, waiting }) => [
      [...files].sort(),
      clone,
      keptTrees,
      calls,
      run === null ? null : [run.call, run.seen],
      waiting?.label,
    ]);
    const late = this.late.map(({ ref, commit }) => [ref, commit]);
    return JSON.stringify([[...this.refs].sort(), machines, late, this.kills, this.faults, this.game.state(this)]);
  }
}

function goOf({ index }: Machine, outcome: Outcome): Choice {
  return { kind: "go", machine: index, outcome, dies: null };
}

function makeMachine(index: number): Machine {
  const own = { files: new Map<string, string>(), clone: null, keptTrees: [] };
  return { ...own, name: `m${index}`, index, run: null, calls: 0, hasBegun: false, waiting: null };
}

function requireAlive(run: Run | null): void {
  if (run === null || run.isOver) throw new Killed();
}

/** Everything that waits for nothing but what has happened is over by then: the world has no other input or output. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

let present: World | null = null;

export function enter(world: World): void {
  present = world;
}

export function here(): World {
  if (present === null) throw new Error("no world is entered");
  return present;
}
