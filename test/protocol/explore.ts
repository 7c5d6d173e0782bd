import { sha256 } from "../../lib/text/sha256.ts";
import type { Choice, World } from "./world.ts";

export interface Search {
  /** A world in its beginning, entered. */
  readonly open: () => World;
  /** No more states are looked at after so many. */
  readonly most: number;
}

export interface Found {
  readonly states: number;
  readonly ends: number;
  readonly isWhole: boolean;
  /** The first problem, and what leads to it. */
  readonly problem: { readonly what: readonly string[]; readonly way: readonly string[] } | null;
}

/**
 * Every order in which things may happen, each state once: a world is played again from its beginning for each new way,
 * since nothing of a running program can be copied.
 */
export async function explore({ open, most }: Search): Promise<Found> {
  const seen = new Set<string>();
  const ways: (readonly Choice[])[] = [[]];
  let ends = 0;
  for (;;) {
    const way = ways.pop();
    if (way === undefined || seen.size >= most) break;
    const world = open();
    await new Promise((resolve) => setImmediate(resolve));
    const taken: Choice[] = [];
    let changes = 0;
    const act = async (choice: Choice) => {
      taken.push(choice);
      changes = await world.act(choice);
    };
    for (const choice of way) await act(choice);
    for (;;) {
      if (world.problems.length > 0) return { ...told(seen, ends, false), problem: problemOf(world, taken) };
      addDeaths(ways, taken, changes, world);
      const state = sha256(world.state());
      if (seen.has(state)) break;
      seen.add(state);
      const [first, ...others] = world.choices();
      if (first === undefined) {
        ends += 1;
        await world.game.finish(world);
        if (world.problems.length > 0) return { ...told(seen, ends, false), problem: problemOf(world, taken) };
        break;
      }
      for (const other of others) ways.push([...taken, other]);
      await act(first);
    }
  }
  return { ...told(seen, ends, ways.length === 0), problem: null };
}

/** The same once more, with a kill before each change of the disk that the last step made. */
function addDeaths(ways: (readonly Choice[])[], taken: readonly Choice[], changes: number, world: World): void {
  const last = taken.at(-1);
  if (last?.kind !== "go" || last.dies !== null || !world.mayKill()) return;
  for (let dies = 1; dies <= changes; dies += 1) ways.push([...taken.slice(0, -1), { ...last, dies }]);
}

function told(seen: ReadonlySet<string>, ends: number, isWhole: boolean) {
  return { states: seen.size, ends, isWhole };
}

function problemOf(world: World, taken: readonly Choice[]) {
  return { what: [...world.problems], way: taken.map((choice) => JSON.stringify(choice)) };
}
