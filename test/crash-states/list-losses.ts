import type { Damage, Op } from "./disk-image.ts";

/** What a power cut leaves: the first `count` steps, but for those that were lost. */
export interface Loss {
  readonly count: number;
  readonly lost: ReadonlyMap<number, Damage>;
}

/** So many steps are lost together, at most, where no more than so many are open. */
const together = [
  { most: 3, of: 12 },
  { most: 2, of: 24 },
  { most: 1, of: Number.POSITIVE_INFINITY },
] as const;

/**
 * Every moment of the trace, and at each what the disk may have lost by then. A step is durable once its file was
 * synced, or its folder if it is about a name. Of those that are not durable, the new ones came since the last sync:
 *
 * - nothing is lost, as when the program is killed;
 * - up to three of the new ones, with every older one kept, and with every older one lost; all of the new ones; all but
 *   one, which the disk did before the others;
 * - each older one alone, also with all of the new ones;
 * - where bytes are lost: nothing is there, or zeros in their place, or half of them.
 */
export function* listLosses(ops: readonly Op[]): Generator<Loss> {
  const durableAt = ops.map((op, at) => findSync(ops, op, at));
  let lastSync = -1;
  for (let count = 0; count <= ops.length; count += 1) {
    if (ops[count - 1]?.kind === "sync") lastSync = count - 1;
    const open = [...ops.keys()].slice(0, count).filter((at) => (durableAt[at] ?? 0) >= count);
    const [older, fresh] = [open.filter((at) => at < lastSync), open.filter((at) => at > lastSync)];
    const units = joinUnits(ops, fresh);
    const most = together.find(({ of }) => units.length <= of)?.most ?? 1;
    for (const always of older.length === 0 ? [[]] : [[], older]) {
      for (const set of subsets(units, most)) yield { count, lost: gone([...always, ...set.flat()]) };
      if (units.length > most) yield { count, lost: gone([...always, ...fresh]) };
      if (units.length > most + 1)
        for (const one of units) yield { count, lost: gone([...always, ...fresh.filter((at) => !one.includes(at))]) };
    }
    // Nothing new about the older ones until the next sync, or the end.
    if (count < ops.length && ops[count]?.kind !== "sync") continue;
    for (const one of joinUnits(ops, older)) {
      yield { count, lost: gone(one) };
      yield { count, lost: gone([...one, ...fresh]) };
    }
    for (const at of open)
      if (ops[at]?.kind === "bytes")
        for (const damage of ["zeros", "half"] as const) yield { count, lost: new Map([[at, damage]]) };
  }
}

/** The first sync behind it that makes it durable; infinity if there is none. */
function findSync(ops: readonly Op[], op: Op, at: number): number {
  if (op.kind === "sync" || op.isDurable === true) return -1;
  const inode = op.kind === "name" ? op.folder : op.inode;
  const found = ops.findIndex((later, index) => index > at && later.kind === "sync" && later.inode === inode);
  return found < 0 ? Number.POSITIVE_INFINITY : found;
}

/** The steps of one removal of a tree, or of one new folder and those above it, are lost together. */
function joinUnits(ops: readonly Op[], steps: readonly number[]): number[][] {
  const units: number[][] = [];
  let before = "";
  for (const at of steps) {
    const call = /^(?:rm|mkdir) [^:]*(?=:)/.exec(ops[at]?.call ?? "")?.[0] ?? "";
    if (call !== "" && call === before) units.at(-1)?.push(at);
    else units.push([at]);
    before = call;
  }
  return units;
}

function gone(steps: readonly number[]): ReadonlyMap<number, Damage> {
  return new Map(steps.map((at) => [at, "gone"]));
}

/** With the empty one. */
function* subsets<Value>(of: readonly Value[], most: number, from = 0): Generator<Value[]> {
  yield [];
  if (most === 0) return;
  for (const [index, value] of of.slice(from).entries())
    for (const rest of subsets(of, most - 1, from + index + 1)) yield [value, ...rest];
}
