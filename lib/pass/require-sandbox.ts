import { isWorkingPhase } from "../machine/phases.ts";
import type { SandboxRules } from "../models/model-run.ts";
import { findBwrap, mostMounts, trySandbox } from "../process/bwrap.ts";
import { configError } from "../report/errors.ts";
import { listCandidates, type NamedModels } from "./choose-model.ts";
import type { TaskContract } from "./load-contract.ts";
import type { PassPorts } from "./ports.ts";
import { findRunnerPaths } from "./runner-place.ts";
import { sandboxRules } from "./sandbox-rules.ts";
import { parseState, readStateBytes } from "./settle-state.ts";
import type { TaskPlace } from "./task-place.ts";

/**
 * A config error where the configuration asks for a sandbox and none can be made here: never a run without one. A
 * task on which no pass may run needs none, and neither does a call that only replays: that starts no process.
 */
export function requireSandbox(
  place: TaskPlace,
  contract: TaskContract,
  repo: string,
  named: NamedModels,
  ports: PassPorts,
): void {
  if (contract.config.sandbox !== "bwrap") return;
  if (listCandidates(contract, named).every((model) => model.adapter === "replay")) return;
  if (!isWorkingPhase(parseState(readStateBytes(place.state), place.state).view.phase)) return;
  const rules = rulesOf(place, contract, repo, ports);
  const problem = describeBwrap(ports.env.PATH ?? "", rules.writable);
  if (problem !== null) {
    throw configError("TP_SANDBOX", `\`sandbox: bwrap\` is set, and ${problem.message}`, {
      file: contract.config.path,
      fix: `${problem.fix}; \`sandbox: none\` runs models with all your rights`,
    });
  }
  const tooMany = describeTooMany(rules);
  if (tooMany !== null) {
    throw configError("TP_SANDBOX", `\`sandbox: bwrap\` is set, and ${tooMany}`, {
      file: place.readme,
      fix: "under `protected`, name whole folders, as `test/acceptance/**`, in the place of patterns for single files",
    });
  }
}

/** What the model of this pass may write; null where the configuration asks for no sandbox. */
export function rulesOfPass(
  place: TaskPlace,
  contract: TaskContract,
  repo: string,
  ports: Pick<PassPorts, "env" | "home">,
): SandboxRules | null {
  return contract.config.sandbox === "bwrap" ? rulesOf(place, contract, repo, ports) : null;
}

/** Why a sandbox cannot hold so many paths; null where it can. */
export function describeTooMany(rules: SandboxRules): string | null {
  const count = rules.writable.length + rules.readOnly.length;
  if (count <= mostMounts) return null;
  return `${count} paths of the repo and the task would each need a place in it, where ${mostMounts} can have one`;
}

function rulesOf(
  place: TaskPlace,
  { configPaths, contract }: TaskContract,
  repo: string,
  ports: Pick<PassPorts, "env" | "home">,
): SandboxRules {
  const runnerPaths = findRunnerPaths(repo, place.tasksRoot);
  return sandboxRules({ place, repo, configPaths, protectedGlobs: contract.protected, runnerPaths }, ports);
}

/** Why no sandbox can be made here, and what to do; null where one can. */
export function describeBwrap(
  pathVariable: string,
  writable: readonly string[],
): { message: string; fix: string } | null {
  const bwrap = findBwrap(pathVariable, writable);
  if (bwrap === null) {
    return {
      message: "bwrap is not on PATH, outside of what a pass can write",
      fix: "install bubblewrap, as with: apt-get install bubblewrap",
    };
  }
  const said = trySandbox(bwrap);
  if (said === null) return null;
  return {
    message: `${bwrap} cannot make a sandbox here: ${said}`,
    fix: "let this user make namespaces (kernel.unprivileged_userns_clone=1, no AppArmor or container rule against it)",
  };
}
