import type { Chance } from "./seeded.ts";

/** What a fate makes of a task. */
export interface PlannedFate {
  readonly plan: readonly string[];
  /** Phase and cause. */
  readonly end: string;
  readonly contract?: readonly string[];
  readonly passes?: number;
  readonly repairs?: number;
  readonly moneyUsd?: number;
  readonly tokens?: number;
}

export interface FateInput {
  /** False: it may not write into another task's folder. */
  readonly forges: boolean;
  readonly victim: string;
}

export type Fate = (chance: Chance, input: FateInput) => PlannedFate;

type WorkPhase = "intake" | "shape" | "implement" | "verify" | "review";

/** Every pass costs so much, whoever makes it. */
export const passCostUsd = 0.2;
export const passTokens = 1000;

/** The ways in which a task ends. Each faulty word is told in agent.sh. */
export const fates: Readonly<Record<string, Fate>> = {
  honest: (chance, input) => ({ plan: walk(chance, input, "done"), end: "done" }),
  "stuck on a lie": (chance, input) => {
    const phase = chance.pick(["intake", "shape", "implement", "verify"] as const);
    const end = phase === "intake" ? "intake stuck" : "blocked stuck";
    return { plan: [...walk(chance, input, phase), ...thrice("goes done")], end };
  },
  "makes no progress": (chance, input) => {
    const phase = chance.pick(["shape", "implement", "verify", "review"] as const);
    const end = phase === "review" ? "needs_user_decision no_progress" : "blocked no_progress";
    return { plan: [...walk(chance, input, phase), ...thrice(chance.pick(["idles", "crashes", "dies"]))], end };
  },
  "spends its repairs": (chance, input) => ({
    plan: [...walk(chance, input, "verify", 0), "lies first", "honest", "lies second"],
    repairs: 1,
    end: "blocked repairs",
  }),
  "spends its passes": (chance, input) => ({
    plan: [...walk(chance, input, "implement", 0), ...Array(12).fill("works")],
    passes: chance.between(6, 8),
    end: "blocked passes",
  }),
  // Passes that were cut off are charged too, so how many it gets depends on the kills; where it ends does not.
  "spends its money": (chance, input) => ({
    plan: [...walk(chance, input, "implement", 0), ...Array(20).fill("works")],
    moneyUsd: 2,
    end: "blocked money",
  }),
  "has no money": () => ({ plan: [], moneyUsd: 0.1, end: "intake money" }),
  "spends its tokens": (chance, input) => ({
    plan: [...walk(chance, input, "implement", 0), ...Array(12).fill("works")],
    tokens: 6 * passTokens,
    end: "blocked tokens",
  }),
  "hangs for ever": (chance, input) => ({
    plan: [...walk(chance, input, "implement", 0), "hangs"],
    end: "blocked timeouts",
  }),
  "blocks itself": (chance, input) => {
    const phase = chance.pick(["shape", "implement", "verify"] as const);
    return { plan: [...walk(chance, input, phase), "blocks"], end: "blocked agent" };
  },
  "asks a person": (chance, input) => {
    const phase = chance.pick(["shape", "implement", "verify"] as const);
    return { plan: [...walk(chance, input, phase), "asks person"], end: "needs_user_decision agent" };
  },
  "asks with a default": (chance, input) => {
    const phase = chance.pick(["shape", "implement", "verify"] as const);
    const before = walk(chance, input, phase);
    return { plan: [...before, "asks default"], end: "done" };
  },
  // Refused before the first pass, at every start.
  "has no validator": () => ({ plan: [], contract: ["validators: []"], end: "intake refused" }),
};

const order: readonly WorkPhase[] = ["intake", "shape", "implement", "verify", "review"];

/**
 * The words of a walk from intake up to, and not with, a phase: honest ones, and faults between them, never so many in
 * a row that the task gets stuck.
 */
function walk(chance: Chance, input: FateInput, upTo: WorkPhase | "done", faultShare = 0.22): string[] {
  const last = upTo === "done" ? order.length : order.indexOf(upTo);
  return order.slice(0, last).flatMap((phase) => {
    const faults = [faultShare, faultShare / 2].flatMap((share) =>
      chance.happens(share) ? faultIn(phase, chance, input) : [],
    );
    return [...faults, chance.happens(faultShare / 3) ? "hangs-once" : "honest"];
  });
}

/** The words of one fault and of what brings the task back to the same phase. */
function faultIn(phase: WorkPhase, chance: Chance, { forges, victim }: FateInput): string[] {
  const anywhere = [
    ["idles"],
    ["crashes"],
    ["dies"],
    ["tears"],
    ["forges-journal"],
    ["edits-brief"],
    ["assumes"],
    ...(forges ? [[`forges ${victim}`], [`forges ${victim}`]] : []),
    ...(phase === "review" ? [["goes implement"]] : [["goes done"], ["goes done"]]),
  ];
  const own: Readonly<Record<WorkPhase, readonly string[][]>> = {
    intake: [],
    shape: [["goes verify"]],
    implement: [["works"], ["without-proof"], ["goes review"]],
    verify: [
      [`lies ${chance.pick(["left", "right", "wrong"])}`, "honest"],
      ["finds", "honest"],
    ],
    review: [["without-promise"], ["changes-code", "honest", "honest"]],
  };
  return chance.pick([...anywhere, ...own[phase]]);
}

function thrice(word: string): string[] {
  return [word, word, word];
}
