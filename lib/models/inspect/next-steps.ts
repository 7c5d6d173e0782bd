import { resolve } from "node:path";
import type { CliName } from "../../config/adapter-names.ts";
import type { ModelConfig } from "../../config/load-config.ts";
import { namesSecret } from "../../text/secret-values.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { adapters } from "../adapters/adapters.ts";
import { setVariables } from "./discover.ts";
import { isOlder, triedVersions } from "./versions.ts";

/** The words that a person types for each CLI, by its own help and manual. No key if it depends on the provider. */
const words: Readonly<
  Record<CliName, { readonly login: string; readonly key: string | null; readonly byHand: string }>
> = {
  pi: { login: "log in with pi's /login", key: null, byHand: "pi -p 'Say ready'" },
  claude: { login: "`claude auth login`", key: "ANTHROPIC_API_KEY", byHand: "claude -p 'Say ready'" },
  codex: { login: "`codex login`", key: "CODEX_API_KEY", byHand: "codex exec --skip-git-repo-check 'Say ready'" },
  gemini: { login: "start `gemini` and choose a login", key: "GEMINI_API_KEY", byHand: "gemini -p 'Say ready'" },
  opencode: { login: "`opencode auth login`", key: null, byHand: "opencode run 'Say ready'" },
  copilot: { login: "`copilot login`", key: "COPILOT_GITHUB_TOKEN", byHand: "copilot -p 'Say ready'" },
  qwen: { login: "start `qwen` and choose a provider", key: "OPENAI_API_KEY", byHand: "qwen 'Say ready'" },
};

/** Puts the newest version there. npm says nothing when it takes an older one for the sake of an older Node. */
export function installStep(name: CliName, node: string = process.versions.node): string {
  const { installNode } = triedVersions[name];
  const install = `npm install -g ${adapters[name].npmPackage}`;
  if (installNode === null || !isOlder(node, installNode)) return install;
  return `${install}, under Node ${installNode} or newer: under ${node}, npm silently installs an old one`;
}

/** The next step if it does not even print its version. */
export function repairStep(
  { name, path, timedOut }: { readonly name: CliName; readonly path: string; readonly timedOut: boolean },
  node: string = process.versions.node,
): string {
  if (timedOut) return `run doctor again when the machine is less busy, or check what ${path} --version does`;
  const { runNode } = triedVersions[name];
  const install = `npm install -g ${adapters[name].npmPackage}`;
  return runNode !== null && isOlder(node, runNode)
    ? `put Node ${runNode} or newer first on PATH; or let npm, under Node ${node}, install one that runs on it: ${install}`
    : `check what ${path} --version prints; or reinstall it: ${installStep(name, node)}`;
}

/**
 * How someone logs in. A key that is set here and that the model does not pass on comes first: `passed` are the names
 * that it does.
 */
export function loginStep(name: CliName, passed: readonly string[], env: Readonly<NodeJS.ProcessEnv>): string {
  const keys = setVariables(name, env).filter(namesSecret);
  const withheld = keys.filter((key) => !passed.includes(key));
  const { login, key } = words[name];
  if (keys.length > withheld.length) {
    const used = keys.filter((one) => passed.includes(one));
    return `make sure that ${used.join(" and ")} holds a valid key, or: ${login}`;
  }
  if (withheld.length > 0) {
    const all = [...passed, ...withheld].join(", ");
    const are = withheld.length === 1 ? "is" : "are";
    return `${withheld.join(" and ")} ${are} set here and not passed on: add \`env: [${all}]\` to the model, or: ${login}`;
  }
  if (key === null) return `${login}, or pass on the key of the provider that it uses under \`env\``;
  return `${login}; or set ${key} and add \`env: [${[...passed, key].join(", ")}]\` to the model`;
}

/** The next step if the model reports that nobody is logged in. */
export function wantsLoginStep(model: ModelConfig, env: Readonly<NodeJS.ProcessEnv>): string {
  const { adapter } = model;
  return adapter === "command" || adapter === "replay" ? byHandStep(model) : loginStep(adapter, model.env, env);
}

/** A call of the program that shows more than the runner can. */
export function byHandStep(model: Pick<ModelConfig, "adapter" | "command" | "folder">): string {
  const { adapter } = model;
  if (adapter === "command" || adapter === "replay") return `try it by hand: ${typed(model)}`;
  return `try it by hand in an empty folder: ${words[adapter].byHand} < /dev/null`;
}

/** The command as it can be typed in any folder. */
function typed({ command, folder }: Pick<ModelConfig, "command" | "folder">): string {
  const [program = "", ...args] = command ?? [];
  return [program.includes("/") ? resolve(folder, program) : program, ...args].map(quoteWord).join(" ");
}

export function missingStep(model: Pick<ModelConfig, "adapter">): string {
  const { adapter } = model;
  if (adapter === "command") return "correct its `command` in task-phase.yaml, or install the program";
  return adapter === "replay" ? "correct its `recordings` in task-phase.yaml" : installStep(adapter);
}
