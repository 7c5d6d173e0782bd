import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claimPlace } from "../../lib/fleet/claim-place.ts";
import { runClaimed } from "../../lib/fleet/run-claimed.ts";
import { readHistory } from "../../lib/rules/add-event.ts";
import type { PassPorts } from "../../lib/task/records/ports.ts";
import type { PassReport, PassRequest } from "../../lib/task/request.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { append, branch, closeOpen, machineAt, placeOfMachine, portsOf, url } from "./doubles.ts";
import { claimMs, type EventKey, epoch, eventOf, hourMs, isOver, partsOf } from "./event-keys.ts";
import { type Bounds, enter, type Game, here, type Machine, World } from "./world.ts";

/** Machines that each call `run --claim` for one task in a remote, again and again, as schedulers do. */
export interface ClaimBounds extends Bounds {
  /** Times that every open claim runs out. */
  readonly expiries: number;
  /** The last machine takes over every claim. */
  readonly takesOver: boolean;
  /** Reviewers come before the model, so that the claim is pushed first. */
  readonly claimsAhead: boolean;
}

/** Clones are really there, since lib looks for their folders itself. */
export function prepareFolders({ machines }: ClaimBounds): void {
  for (let index = 0; index < machines; index += 1) {
    const place = claimPlace(join(placeOfMachine(`m${index}`), "cache", "task-phase"), url, "T-1");
    mkdirSync(place.clone, { recursive: true });
  }
}

export function openClaims(bounds: ClaimBounds): World {
  const world = new World(bounds, new Claims(bounds));
  enter(world);
  world.refs.set("refs/heads/main", world.commit([], ["adopted"]));
  world.begin();
  return world;
}

class Claims implements Game {
  /** Each is longer than any claim. */
  hours = 0;
  /** Attempts that called a model, and for which pass. */
  private readonly called = new Map<string, number>();
  /** Those of them that the branch does not yet say the end of. */
  private readonly open = new Set<string>();
  private readonly claimed = new Set<string>();
  /** Attempts whose verdict was made, whether or not it ever reached the branch. */
  readonly judged = new Set<string>();
  readonly bounds: ClaimBounds;
  readonly isLastOther: boolean;

  constructor(bounds: ClaimBounds) {
    this.bounds = bounds;
    this.isLastOther = bounds.takesOver;
  }

  async call(world: World, machine: Machine, attempt: string): Promise<void> {
    try {
      const ports = portsOf(machine, () => new Date(epoch + this.hours * hourMs));
      const { verdict, findings } = await runClaimed(this.request(world, machine, attempt), ports);
      const codes = findings.map(({ code }) => code);
      this.tell(world, attempt, verdict === "accepted", codes);
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      const codes = error.findings.map(({ code }) => code);
      this.tell(world, attempt, false, codes);
    }
  }

  private request(world: World, machine: Machine, attempt: string): Parameters<typeof runClaimed>[0] {
    const takeover = this.bounds.takesOver && machine.index === world.machines.length - 1;
    const runner = { worker: attempt, host: null, attempt, task_phase: "0", node: "0" };
    const pass = { config: null } as unknown as Parameters<typeof runClaimed>[0]["pass"];
    return { url, task: "T-1", root: null, runner, takeover, local: null, pass };
  }

  others(world: World): readonly string[] {
    const { letter } = partsOf(events(world).at(-1) ?? "");
    return (letter === "C" || letter === "S") && this.hours < this.bounds.expiries ? ["every claim runs out"] : [];
  }

  other(): void {
    this.hours += 1;
  }

  moved(world: World, { ref, from, to }: Parameters<Game["moved"]>[1]): void {
    if (ref !== branch) return;
    const [before, now] = [from === null ? ["adopted"] : world.holdsOf(from), world.holdsOf(to)];
    const said = (what: string) => void world.problems.push(`the branch went to ${now.join(" ")}: ${what}`);
    if (to === null || (from !== null && !world.isBehind(from, to))) said("what it had is not behind it");
    if (before.some((key, at) => now[at] !== key)) said("an event is gone or changed");
    const parts = now.map(partsOf);
    const verdicts = parts.filter(({ letter }) => letter === "V" || letter === "I").map(({ pass }) => pass);
    if (new Set(verdicts).size < verdicts.length) said("a pass has two verdicts");
    for (const [at, { letter, pass, attempt }] of parts.entries()) {
      if (letter === "S") this.claimed.add(`${pass} ${attempt}`);
      if (letter === "I" && at >= before.length && this.isAtWork(world, attempt))
        said(`${now[at]} ends a run that is under way, and its claim has not run out`);
      if (letter === "V" || letter === "I") this.open.delete(attempt);
      const claim = parts.slice(0, at).findLast((one) => one.letter === "S");
      if (letter === "V" && (claim?.pass !== pass || claim.attempt !== attempt))
        said(`${now[at]} is not that of the claim before it`);
    }
  }

  private isAtWork(world: World, attempt: string): boolean {
    const lasts = this.hours === 0 && !this.bounds.takesOver;
    return lasts && world.machines.some(({ run, name, calls }) => run !== null && `${name}.${calls}` === attempt);
  }

  /** A run says how it ended: what it says must be so, and as the branch only grows it stays so. */
  private tell(world: World, attempt: string, accepted: boolean, codes: readonly string[]): void {
    const isOn = events(world).some((key) => partsOf(key).letter === "V" && partsOf(key).attempt === attempt);
    const said = (what: string) => void world.problems.push(`${attempt} ended with ${codes.join(", ")}: ${what}`);
    if (accepted && !isOn) said("it told of a verdict that is not on the branch");
    if (world.machines.length === 1 && codes.includes("TP_CLAIMED")) said("its own claim keeps it from going on");
    if (accepted || !codes.includes("TP_SUPERSEDED")) return;
    if (isOn) said("its verdict is on the branch");
    if (this.called.has(attempt) && !this.isKept(world, attempt)) said("its work is kept nowhere");
  }

  private isKept(world: World, attempt: string): boolean {
    const kept = [...world.refs.keys(), ...world.machines.flatMap(({ keptTrees }) => keptTrees)];
    return kept.some((one) => one.endsWith(`/${this.called.get(attempt)}-${attempt}`));
  }

  /** A model is called: from now on the pass costs money. */
  pay(world: World, attempt: string, pass: number): void {
    const others = world.machines.filter(
      ({ run, waiting, name, calls }) =>
        run !== null &&
        waiting?.label === "model" &&
        `${name}.${calls}` !== attempt &&
        this.open.has(`${name}.${calls}`),
    );
    this.called.set(attempt, pass);
    // Its claim may have been taken over before it called the model.
    const hasEnd = events(world).some((key) => /^[VI]/.test(key) && partsOf(key).attempt === attempt);
    if (!hasEnd) this.open.add(attempt);
    if (!this.claimed.has(`${pass} ${attempt}`))
      world.problems.push(`${attempt} called a model for pass ${pass} without a claim`);
    if (others.length > 0 && this.hours === 0 && !this.bounds.takesOver)
      world.problems.push(`${attempt} and ${others.map(({ name }) => name).join()} called models at a time`);
  }

  /** Once every call is answered and nobody is killed, the task is over, and the branch says what became of each paid pass. */
  async finish(world: World): Promise<void> {
    await world.endAll();
    for (let round = 0; round < 4; round += 1) {
      this.hours += 1;
      for (const machine of world.machines) await world.playAlone(machine);
    }
    const keys = events(world).join(" ");
    if (!isOver(events(world))) world.problems.push(`the task never ends: ${keys}`);
    const isOn = (attempt: string) => events(world).some((key) => key.startsWith("V") && key.endsWith(`:${attempt}`));
    for (const attempt of this.judged)
      if (!isOn(attempt) && !this.isKept(world, attempt))
        world.problems.push(`the work of ${attempt} is nowhere: ${keys}`);
    for (const attempt of this.open)
      world.problems.push(`${attempt} called a model, and the branch does not say what became of it: ${keys}`);
  }

  state(): unknown {
    return [this.hours, [...this.open].sort(), [...this.judged].sort()];
  }
}

function events(world: World): readonly EventKey[] {
  const tip = world.refs.get(branch);
  return tip === undefined ? ["adopted"] : world.holdsOf(tip);
}

const noPass = {
  ...{ findings: [], evidence: { path: null }, details: { moves: [] }, verdict: null },
} as unknown as PassReport;

/** Stands in for the pass: what its fence sees of it, which is the claim, the model, the verdict. */
export async function runPass({ taskDir }: PassRequest, ports: PassPorts): Promise<PassReport> {
  const world = here();
  const { game } = world;
  const machine = machineAt(taskDir);
  const { fence } = ports;
  if (fence === undefined || !(game instanceof Claims) || machine.clone === null)
    throw new Error("a claimed pass has a fence and a clone");
  if (isOver(machine.clone.holds)) return noPass;
  closeOpen(machine);
  const pass = readHistory(machine.clone.holds.map(eventOf)).lastPass + 1;
  const { attempt } = fence.runner;
  const step = { taskDir, repo: join(taskDir, ".."), pass, message: "", signer: null };
  const until = new Date(epoch + game.hours * hourMs + claimMs);
  const end = (refusal: Awaited<ReturnType<typeof fence.claim>>) =>
    ({ ...noPass, findings: refusal?.findings ?? [], verdict: refusal === null ? "accepted" : null }) as PassReport;
  if (game.bounds.claimsAhead) {
    append(machine, `C${pass}@${game.hours}:${attempt}`);
    const refused = await fence.claim({ ...step, until });
    if (refused !== null) return end(refused);
    await world.point(machine, "reviewers");
  }
  append(machine, `S${pass}@${game.hours}:${attempt}`);
  const refused = await fence.claim({ ...step, until });
  if (refused !== null) return end(refused);
  game.pay(world, attempt, pass);
  await world.point(machine, "model");
  append(machine, `V${pass}:${attempt}`);
  game.judged.add(attempt);
  return end(await fence.accept({ ...step, checked: null }));
}
