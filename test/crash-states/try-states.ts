import { hashImage, replay } from "./disk-image.ts";
import type { Checked, State } from "./judge-state.ts";
import { type Loss, listLosses } from "./list-losses.ts";
import type { Trace } from "./record-ops.ts";

/** A call that was recorded. */
export interface Recorded {
  readonly trace: Trace;
  /** As in `StageSpec`. */
  readonly words: string | null;
  /** False: a state in the middle of what another program did, whose order is not known. Every one can be without it. */
  readonly isPossible?: (loss: Loss) => boolean;
  /** As `judgeState`. */
  judge(state: State, checked: Checked): Promise<string | null>;
}

export interface Tried {
  /** Moments, each with what was lost by then. */
  readonly losses: number;
  /** Different disks among those that were taken: a recovery was tried on each. */
  readonly states: number;
  readonly violations: readonly string[];
}

interface TryOptions {
  /** Whether a loss is taken; every one without it. */
  readonly takes?: (loss: Loss) => boolean;
  /** Disks that nothing is tried on any more. */
  readonly known?: ReadonlySet<string>;
  /** Ends the search. */
  readonly mostViolations?: number;
}

/** Recovers from the disks that a power cut during the call can leave, each once. */
export async function tryStates(stage: Recorded, options: TryOptions = {}): Promise<Tried> {
  const { takes = () => true, known, mostViolations = 10 } = options;
  const checked: Checked = new Set();
  const seen = new Set(known);
  const violations: string[] = [];
  let losses = 0;
  for (const loss of listLosses(stage.trace.ops)) {
    losses += 1;
    if (violations.length >= mostViolations || !takes(loss) || stage.isPossible?.(loss) === false) continue;
    const { state, hash } = stateAfter(stage, loss);
    if (seen.has(hash)) continue;
    seen.add(hash);
    const wrong = await stage.judge(state, checked);
    if (wrong !== null) violations.push(`${describe(stage, loss)}: ${wrong}`);
  }
  return { losses, states: seen.size - (known?.size ?? 0), violations };
}

/** The same disks, by their digests. */
export function listStates(stage: Recorded, takes: (loss: Loss) => boolean): ReadonlySet<string> {
  return new Set([...listLosses(stage.trace.ops)].filter(takes).map((loss) => stateAfter(stage, loss).hash));
}

function stateAfter({ trace: { base, ops, told }, words }: Recorded, { count, lost }: Loss) {
  const image = replay(base, ops, count, lost);
  // Without them in any step, they were there before.
  const written = words === null ? -1 : ops.findIndex((op) => op.kind === "bytes" && op.bytes.includes(words));
  const state: State = { image, isTold: count >= told, hasWords: written < count && !lost.has(written) };
  return { state, hash: `${hashImage(image)}${state.isTold ? " told" : ""}${state.hasWords ? " words" : ""}` };
}

function describe({ trace: { ops } }: Recorded, { count, lost }: Loss): string {
  const calls = [...lost].map(([at, damage]) => `${damage}: ${at} ${ops[at]?.call}`);
  return `after ${count} steps, the last ${ops[count - 1]?.call}; ${calls.join("; ") || "nothing lost"}`;
}
