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
    file: "lib/rules/claim.js",
    from: "return runner !== null && now.getTime() < Date.parse(until);",
    to: "return false;",
  },
  {
    game: "claims",
    name: "a lost pass is kept nowhere",
    shownBy: { calls: 1, kills: 0, expiries: 1 },
    file: "lib/fleet/fence.js",
    from: 'isOver && step !== "claim" ? await keepLost(commit) : null',
    to: 'isOver && step === "claim" ? await keepLost(commit) : null',
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
    name: "what is pushed is not noted before",
    file: "lib/fleet/fence.js",
    from: 'keepNote({ commit: made.sha, pass: step.pass, repo: step.repo, kind: claims ? "claim" : "verdict" });\n        return await send(made.sha, by, claims, taken);',
    to: 'const end = await send(made.sha, by, claims, taken);\n        keepNote({ commit: made.sha, pass: step.pass, repo: step.repo, kind: claims ? "claim" : "verdict" });\n        return end;',
  },
  {
    game: "claims",
    name: "a verdict that waits is forgotten",
    file: "lib/fleet/settle-left.js",
    from: "return nothingLeft;\n    const there",
    to: 'return nothingLeft;\n    if (note.kind === "verdict")\n        return nothingLeft;\n    const there',
  },
  {
    game: "claims",
    name: "a claim is settled as if it had arrived",
    file: "lib/fleet/settle-left.js",
    from: "if (there !== note.commit)",
    to: "if (false)",
  },
  {
    game: "claims",
    name: "a dead claim of this machine blocks it",
    file: "lib/fleet/run-claimed.js",
    from: "if (attempt === leftBy || attempt === readSeen(place.seen)?.attempt)",
    to: "if (false)",
  },
  {
    game: "land",
    name: "a branch that moved meanwhile goes too",
    file: "lib/fleet/land/run-land.js",
    from: 'await git("update-ref", "-d", task.ref, task.commit);',
    to: 'await git("update-ref", "-d", task.ref);',
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
    from: 'pushCall(url, commit, ref, receiver);\n    return [push, `--force-with-lease=${ref}:${expected ?? ""}`, ...rest];',
    to: "pushCall(url, `+${commit}`, ref, receiver);\n    return [push, ...rest];",
  },
];
