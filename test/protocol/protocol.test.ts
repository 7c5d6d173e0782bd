import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { chanceOf } from "../simulation/seeded.ts";
import type { ClaimBounds } from "./claims.ts";
import type { Found } from "./explore.ts";
import type { LandBounds } from "./landing.ts";
import type { SearchRequest } from "./main.ts";
import { plantedFaults } from "./planted-faults.ts";

/** `all` plays the long games too, and `chosen` every fifth of them: the next seeds play the others. */
const played = process.env.TASK_PHASE_PROTOCOL ?? "short";
const seed = Number(process.env.TASK_PHASE_CRASH_SEED ?? Math.floor(Date.now() / 86_400_000));
/** No search has as many: one that does not end is a mistake of the world. */
const mostStates = 3_000_000;

const claims: ClaimBounds = {
  ...{ machines: 2, calls: 2, kills: 0, faults: 0 },
  ...{ expiries: 0, takesOver: false, claimsAhead: false },
};
const land: LandBounds = { machines: 2, calls: 1, kills: 0, faults: 0, commits: 1, steps: 1 };

interface Scenario {
  readonly name: string;
  readonly search: Omit<SearchRequest, "most">;
  /** Minutes, not seconds. */
  readonly isLong?: boolean;
}

const of = {
  claims: (bounds: Partial<ClaimBounds>) => ({ game: "claims", bounds: { ...claims, ...bounds } }) as const,
  land: (bounds: Partial<LandBounds>) => ({ game: "land", bounds: { ...land, ...bounds } }) as const,
};

const scenarios: readonly Scenario[] = [
  { name: "one machine, a kill and a lost answer", search: of.claims({ machines: 1, kills: 1, faults: 1 }) },
  { name: "two machines, a kill", search: of.claims({ calls: 1, kills: 1 }) },
  { name: "two machines, a lost answer", search: of.claims({ calls: 1, faults: 1, expiries: 1 }) },
  { name: "three machines", search: of.claims({ machines: 3, calls: 1 }) },
  { name: "two calls, a kill and a person's commit", search: of.land({ kills: 1, steps: 0 }) },
  {
    name: "one machine, two kills and two lost answers",
    search: of.claims({ machines: 1, kills: 2, faults: 2 }),
    isLong: true,
  },
  { name: "two machines, two passes and a kill", search: of.claims({ kills: 1 }), isLong: true },
  { name: "two machines, one takes over", search: of.claims({ kills: 1, takesOver: true }), isLong: true },
  { name: "two machines, claims ahead of reviewers", search: of.claims({ kills: 1, claimsAhead: true }), isLong: true },
  {
    name: "two machines, a kill each and a claim that runs out",
    search: of.claims({ calls: 1, kills: 2, expiries: 1 }),
    isLong: true,
  },
  { name: "three machines, two passes", search: of.claims({ machines: 3 }), isLong: true },
  { name: "three machines, a kill", search: of.claims({ machines: 3, calls: 1, kills: 1 }), isLong: true },
  { name: "three machines, a lost answer", search: of.claims({ machines: 3, calls: 1, faults: 1 }), isLong: true },
  {
    name: "two calls, a kill, a lost answer and a task that goes on",
    search: of.land({ kills: 1, faults: 1 }),
    isLong: true,
  },
  { name: "three calls", search: of.land({ machines: 3, steps: 0 }), isLong: true },
];

/** Each order makes much that lives for a moment: with more room for it less is collected. */
const quick = ["--max-semi-space-size=64"];

async function search(request: Omit<SearchRequest, "most">, most: number, fault?: string): Promise<Found> {
  const query = fault === undefined ? "" : `?fault=${encodeURIComponent(fault)}`;
  const register = new URL(`register.js${query}`, import.meta.url).href;
  const main = path.join(import.meta.dirname, "main.js");
  const words = [...quick, "--import", register, main, JSON.stringify({ ...request, most })];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`the search ended with ${code}: ${stderr.slice(-2000)}`);
  return JSON.parse(stdout) as Found;
}

const share = 5;
const games = scenarios.filter(
  ({ isLong = false }, index) => !isLong || played === "all" || (played === "chosen" && (index + seed) % share === 0),
);

for (const { name, search: request } of games) {
  test(`in every order of ${request.game}, ${name}: nothing is decided twice or lost`, async (t) => {
    const { states, ends, isWhole: isAll, problem } = await search(request, mostStates);
    t.diagnostic(`${states} states, ${ends} ends`);
    assert.deepEqual(problem, null);
    assert(isAll, `not all in ${states} states`);
  });
}

const chance = chanceOf(seed, "protocol");
const planted = played !== "short" ? plantedFaults : [chance.pick(plantedFaults), chance.pick(plantedFaults)];

for (const { name, game, shownBy } of new Set(planted)) {
  test(`the search finds that ${name}`, async () => {
    const request = game === "claims" ? of.claims({ kills: 1, faults: 1, ...shownBy }) : of.land({});
    const { problem, states } = await search(request, 60_000, name);
    assert.notEqual(problem, null, `no problem in ${states} states`);
  });
}
