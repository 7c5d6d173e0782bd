import type { Contract } from "./contract.ts";
import type { PartialContract } from "./contract-schema.ts";
import { readContract } from "./read-contract.ts";
import { scanBrief } from "./scan-brief.ts";

export interface ScannedContract {
  readonly contract: Contract;
  /** The body says nothing: headings and comments alone. */
  readonly isEmpty: boolean;
}

/** Contracts by their front matter without what is each task's own, which most tasks of a root have in common. */
const known = new WeakMap<PartialContract, Map<string, Contract | null>>();

/**
 * What `readBrief` reads of a text that `easyText` passed, in a hundredth of the time; null: `readBrief` must read it.
 * One object of defaults gives one object of every list that two contracts share.
 */
export function scanContract(text: string, defaults: PartialContract): ScannedContract | null {
  const scan = scanBrief(text);
  const shared = scan === null ? null : contractOf(scan.rest, defaults);
  if (scan === null || shared === null) return null;
  const { id, title, isEmpty } = scan;
  const dependsOn = scan.dependsOn ?? shared.dependsOn;
  if (dependsOn.includes(id)) return null;
  return { contract: { ...shared, id, title, priority: scan.priority ?? shared.priority, dependsOn }, isEmpty };
}

function contractOf(rest: string, defaults: PartialContract): Contract | null {
  const contracts = known.get(defaults) ?? new Map<string, Contract | null>();
  known.set(defaults, contracts);
  const found = contracts.get(rest);
  if (found !== undefined) return found;
  const read = readContract(`${rest}\n`, "README.md", defaults);
  const contract = read.kind === "contract" ? read.contract : null;
  contracts.set(rest, contract);
  return contract;
}
