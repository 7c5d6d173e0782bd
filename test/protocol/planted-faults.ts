import type { PlantedFault } from "../simulation/plant-fault.ts";
import type { ClaimBounds } from "./claims.ts";

export interface ProtocolFault extends PlantedFault {
  readonly game: "claims" | "land";
  /** What must be possible for it to do harm. */
  readonly shownBy?: Partial<ClaimBounds>;
}

/** Mistakes in how claims and verdicts are made everybody's, and in how tasks land. The search must find each. */
export const plantedFaults: readonly ProtocolFault[] = [
  {
    game: "claims",
    name: "a push without an answer counts as taken",
    file: "lib/git/swap-ref.js",
    from: "if (await wait(pause))\n            continue;",
    to: 'if (answer.kind === "unknown")\n            return { kind: "swapped" };\n        if (await wait(pause))\n            continue;',
  },
  {
    game: "claims",
    name: "a push without an answer counts as refused",
    file: "lib/git/swap-ref.js",
    from: "const there = await host.read();",
    to: 'const there = answer.kind === "unknown" ? { kind: "ref", commit: null } : await host.read();',
  },
  {
    game: "claims",
    name: "who else is on the branch is not asked",
    file: "lib/git/swap-ref.js",
    from: "(await host.contains(there.commit))",
    to: "true",
  },
  {
    game: "claims",
    name: "a claim protects nobody",
    shownBy: { calls: 1, kills: 0, faults: 0 },
    file: "lib/rules/claim.js",
    from: "return runner !== null && now.getTime() < Date.parse(until);",
    to: "return false;",
  },
  {
    game: "claims",
    name: "a lost pass is kept nowhere",
    shownBy: { calls: 1, kills: 0, expiries: 1 },
    file: "lib/fleet/fence.js",
    from: "(await remote.keep(ref, commit)) ? ref : null",
    to: "ref",
  },
  {
    game: "claims",
    name: "the working tree of a lost pass goes",
    shownBy: { calls: 1, kills: 0, expiries: 1 },
    file: "lib/fleet/fence.js",
    from: 'return step === "claim" || kept !== null ? "nothing" : "lost";',
    to: 'return "nothing";',
  },
  {
    game: "claims",
    name: "a verdict that waits is forgotten",
    shownBy: { machines: 1, kills: 0, faults: 2 },
    file: "lib/fleet/settle-left.js",
    from: "return nothingLeft;\n    const there",
    to: 'return nothingLeft;\n    if (note.kind === "verdict")\n        return nothingLeft;\n    const there',
  },
  {
    game: "claims",
    name: "a verdict expects what was there before its claim",
    shownBy: { machines: 1, kills: 0, faults: 0 },
    file: "lib/fleet/fence.js",
    from: "remote.swap({ expected: note.tip, commit, wait })",
    to: "remote.swap({ expected: request.note.tip, commit, wait })",
  },
  {
    game: "claims",
    name: "a run that is over is not remembered",
    shownBy: { machines: 1, kills: 1, faults: 1 },
    file: "lib/fleet/settle-left.js",
    from: "recordEnded(place.ended, note.attempt);",
    to: "void 0;",
  },
  {
    game: "land",
    name: "a branch that moved meanwhile goes too",
    file: "lib/fleet/land/run-land.js",
    from: '["update-ref", "-d", ref, commit]',
    to: '["update-ref", "-d", ref]',
  },
  {
    game: "land",
    name: "a target that somebody else moved counts as moved",
    file: "lib/fleet/land/move-target.js",
    from: 'return { kind: "behind" };\n            return { kind: "left"',
    to: 'return { kind: "moved" };\n            return { kind: "left"',
  },
  {
    game: "land",
    name: "the target is moved by force",
    file: "lib/git/swap-ref.js",
    from: "[push, `--force-with-lease=",
    to: "[push, `--force=",
  },
];
