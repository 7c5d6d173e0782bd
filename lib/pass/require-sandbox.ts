import { listCandidates, type NamedModels } from "../agents/rotation/choose-model.ts";
import { listKeyFiles } from "../documents/config/find-config.ts";
import { findBwrap, mostMounts, trySandbox } from "../process/bwrap.ts";
import { isWorkingPhase } from "../rules/phases.ts";
import { findRunnerPaths } from "../task/guard/runner-place.ts";
import type { SandboxRules } from "../task/guard/sandbox-rules.ts";
import { sandboxRules } from "../task/guard/sandbox-rules.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { OpenTask } from "../task/open-task.ts";
import type { PassPorts } from "../task/records/ports.ts";
import type { TaskPlace } from "../task/records/task-place.ts";
import { configError } from "../text/errors.ts";

/**
 * A config error if the configuration asks for a sandbox and none can be made here: never a run without one. A
 * task on which no pass may run needs none, and neither does a call that only replays: that starts no process.
 */
export function requireSandbox(
  place: TaskPlace,
  contract: OpenTask,
  repo: string,
  named: NamedModels,
  ports: PassPorts,
): void {
  if (contract.config.sandbox !== "bwrap") return;
  if (listCandidates(contract, named).every((model) => model.adapter === "replay")) return;
  if (!isWorkingPhase(contract.state.view.phase)) return;
  const rules = rulesOf(place, contract, repo, ports);
  const problem = judgeBwrap(ports.env.PATH ?? "", rules.writable);
  if (problem !== null) {
    throw configError("TP_SANDBOX", `\`sandbox: bwrap\` is set, but ${problem.message}`, {
      file: contract.config.path,
      fix: `${problem.fix}; \`sandbox: none\` runs models with all your rights`,
    });
  }
  const tooMany = renderTooMany(rules);
  if (tooMany !== null) {
    throw configError("TP_SANDBOX", `\`sandbox: bwrap\` is set, but ${tooMany}`, {
      file: place.readme,
      fix: "under `protected`, name whole folders, for example `test/acceptance/**`, instead of patterns for single files",
    });
  }
}

/** The paths that the model of this pass may write; null if the configuration asks for no sandbox. */
export function rulesOfPass(
  place: TaskPlace,
  contract: TaskContract,
  repo: string,
  ports: Pick<PassPorts, "env" | "home">,
): SandboxRules | null {
  return contract.config.sandbox === "bwrap" ? rulesOf(place, contract, repo, ports) : null;
}

/** Why a sandbox cannot hold so many paths; null if it can. */
export function renderTooMany(rules: SandboxRules): string | null {
  const count = rules.writable.length + rules.readOnly.length;
  if (count <= mostMounts) return null;
  return `${count} paths of the repo and the task would each need a mount in it; at most ${mostMounts} are possible`;
}

function rulesOf(
  place: TaskPlace,
  { config, configPaths, contract }: TaskContract,
  repo: string,
  ports: Pick<PassPorts, "env" | "home">,
): SandboxRules {
  const runnerPaths = findRunnerPaths(repo, place.tasksRoot);
  const hidden = config.sign === "ssh" ? listKeyFiles(ports) : [];
  return sandboxRules({ place, repo, configPaths, protectedGlobs: contract.protected, runnerPaths, hidden }, ports);
}

/** Why no sandbox can be made here, and what to do; null if one can. */
export function judgeBwrap(pathVariable: string, writable: readonly string[]): { message: string; fix: string } | null {
  const bwrap = findBwrap(pathVariable, writable);
  if (bwrap === null) {
    return {
      message: "bwrap is not on PATH outside the folders that a pass can write to",
      fix: "install bubblewrap, for example: apt-get install bubblewrap",
    };
  }
  const said = trySandbox(bwrap);
  if (said === null) return null;
  return {
    message: `${bwrap} cannot make a sandbox here: ${said}`,
    fix: "let this user create namespaces (kernel.unprivileged_userns_clone=1, no AppArmor or container rule against it)",
  };
}
