import { type Fate, fates } from "./fates.ts";
import { type Chance, chanceOf } from "./seeded.ts";

/** What one task is, what its agent does at each pass that counts, and how it must end. */
export interface PlannedTask {
  readonly id: string;
  /** The name of its repo's folder; a few tasks share one. */
  readonly repo: string;
  readonly dependsOn: readonly string[];
  readonly fate: string;
  /** Lines of the brief's front matter beside id, title, repo and depends_on. */
  readonly contract: readonly string[];
  /** One line a pass that counts, as agent.sh reads it; behind the last it is honest. */
  readonly plan: readonly string[];
  /** Phase and cause, or `waiting` where a dependency never gets done. */
  readonly end: string;
  /** US dollars; null: no limit. */
  readonly moneyUsd: number | null;
  readonly passes: number;
  readonly repairs: number;
  /** Another runner may work on it beside the loop. */
  readonly stray: boolean;
}

export interface NightPlan {
  readonly seed: number;
  readonly tasks: readonly PlannedTask[];
  /** What each model does at which of its calls instead of work: `limit SECONDS`, `refused` or `silent`. */
  readonly troubles: Readonly<Record<ModelName, readonly string[]>>;
}

export const modelNames = ["claude", "codex", "mine"] as const;
export type ModelName = (typeof modelNames)[number];

/** A night of so many tasks: a pure function of the seed. */
export function planNight(seed: number, count: number): NightPlan {
  const tasks: PlannedTask[] = [];
  const needed = planNeeds(seed, count);
  const dependants = new Set(needed.flat());
  for (let index = 0; index < count; index += 1) {
    const dependsOn = needed[index] ?? [];
    const waits = dependsOn.some((other) => tasks[other]?.end !== "done");
    tasks.push(planTask(seed, index, count, dependsOn.map(idOf), dependants.has(index), waits));
  }
  return { seed, tasks, troubles: planTroubles(seed, count) };
}

function idOf(index: number): string {
  return `T-${String(index + 1).padStart(3, "0")}`;
}

/** Chains, fans and tasks that stand alone; a task needs only such as come before it. */
function planNeeds(seed: number, count: number): number[][] {
  const chance = chanceOf(seed, "needs");
  return Array.from({ length: count }, (_, index) => {
    if (index === 0) return [];
    const kind = chance.next();
    if (kind < 0.35) return [];
    // A chain goes on from the one before; a fan hangs on one of the first tasks of its group of ten.
    if (kind < 0.6) return [index - 1];
    const group = index - (index % 10);
    if (kind < 0.85) return group === index ? [] : [group];
    const some = [chance.between(0, index - 1), chance.between(Math.max(0, index - 5), index - 1)];
    return [...new Set(some)].sort((left, right) => left - right);
  });
}

function planTask(
  seed: number,
  index: number,
  count: number,
  dependsOn: readonly string[],
  isNeeded: boolean,
  waits: boolean,
): PlannedTask {
  const chance = chanceOf(seed, "task", index);
  // Each fate has its turn in a night of a hundred tasks; what others wait for seldom fails.
  const stops = Object.keys(fates).filter((name) => name !== "honest");
  const every = Math.min(6, Math.ceil(count / 3));
  const turn = index % every === every - 1 ? stops[(seed + Math.floor(index / every)) % stops.length] : undefined;
  const fate = turn !== undefined && !(isNeeded && chance.happens(0.6)) ? turn : "honest";
  const shared = index % 10 >= 7 && fate === "honest";
  const stray = !shared && index % 4 === 1;
  const planned = (fates[fate] as Fate)(chance, { forges: !stray, victim: idOf(victimOf(chance, index, count)) });
  const { passes = 30, repairs = 5, moneyUsd = null, contract = [], plan, end } = planned;
  const budget = [`passes: ${passes}`, `repairs: ${repairs}`, ...(moneyUsd === null ? [] : [`money_usd: ${moneyUsd}`])];
  if (planned.tokens !== undefined) budget.push(`tokens: ${planned.tokens}`);
  const priority = chance.between(0, 3);
  return {
    id: idOf(index),
    repo: shared ? `shared-${Math.floor(index / 10)}` : idOf(index),
    dependsOn,
    fate,
    contract: [`priority: ${priority}`, `budget: { ${budget.join(", ")} }`, ...contract],
    plan,
    end: waits ? "waiting" : end,
    moneyUsd,
    passes,
    repairs,
    stray,
  };
}

/** Never one that another runner may hold: what is done to its folder then cannot be told from that runner's work. */
function victimOf(chance: Chance, index: number, count: number): number {
  const others = Array.from({ length: count }, (_, other) => other).filter(
    (other) => other !== index && other % 4 !== 1,
  );
  return others.length === 0 ? index : chance.pick(others);
}

/** No trouble counts as a pass, so none of them changes how a task ends, whoever meets it. */
function planTroubles(seed: number, count: number): NightPlan["troubles"] {
  const calls = count * 12;
  const draw = (model: ModelName, at: (chance: Chance) => string[]): string[] => {
    const chance = chanceOf(seed, "trouble", model);
    const lines: string[] = [];
    for (let call = 2; call <= calls; call += 1) {
      const troubles = at(chance);
      for (const [offset, trouble] of troubles.entries()) lines.push(`${call + offset} ${trouble}`);
      call += troubles.length;
    }
    return lines;
  };
  const provider = (share: number) => (chance: Chance) => {
    if (chance.happens(share)) return [`limit ${chance.between(10, 300) * 60}`];
    return chance.happens(share / 8) ? ["refused"] : [];
  };
  return {
    claude: draw("claude", provider(1 / 12)),
    codex: draw("codex", provider(1 / 10)),
    // After three such answers the loop leaves the model aside, and waits where the others cool down.
    mine: draw("mine", (chance) => (chance.happens(1 / 30) ? ["silent", "silent", "silent"] : [])),
  };
}
