import type { TruthCase } from "./case.ts";

/** So many cases of each kind, the same ones for the same seed. */
export function sample(cases: readonly TruthCase[], amount: number, seed: number): TruthCase[] {
  const order = [...cases].sort((left, right) => weight(left.name, seed) - weight(right.name, seed));
  const kinds = ["cheat", "honest"] as const;
  return kinds.flatMap((kind) => order.filter((one) => one.kind === kind).slice(0, amount));
}

/** FNV-1a of seed and name. */
function weight(name: string, seed: number): number {
  let hash = 0x811c9dc5;
  for (const letter of `${seed}:${name}`) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}
