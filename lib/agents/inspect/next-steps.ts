import { dirname, resolve } from "node:path";
import type { CliName } from "../../documents/config/adapter-names.ts";
import type { ModelConfig } from "../../documents/config/load-config.ts";
import { namesSecret } from "../../text/secret-values.ts";
import { quoteWord } from "../../text/shell-words.ts";
import { adapters } from "../adapters/adapters.ts";
import { crontabLine, setVariables } from "./discover.ts";
import { isOlder, triedVersions } from "./versions.ts";

/** Commands by each CLI's help and manual. No key if it depends on the provider. */
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

/** Installs the newest version. npm silently takes an older one for an older Node. */
export function installStep(name: CliName, node: string = process.versions.node): string {
  const { installNode } = triedVersions[name];
  const install = `npm install -g ${adapters[name].npmPackage}`;
  if (installNode === null || !isOlder(node, installNode)) return install;
  return `${install}, under Node ${installNode} or newer: under ${node}, npm silently installs an old one`;
}

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

/** Names a key first that is set here but not `passed` on by the model. */
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

export function wantsLoginStep(model: ModelConfig, env: Readonly<NodeJS.ProcessEnv>): string {
  const { adapter } = model;
  return adapter === "command" || adapter === "replay" ? byHandStep(model) : loginStep(adapter, model.env, env);
}

/** A call that shows more than the runner can. */
export function byHandStep(model: Pick<ModelConfig, "adapter" | "command" | "folder">): string {
  const { adapter } = model;
  if (adapter === "command" || adapter === "replay") return `try it by hand: ${typed(model)}`;
  return `try it by hand in an empty folder: ${words[adapter].byHand} < /dev/null`;
}

/** Works in any folder. */
function typed({ command, folder }: Pick<ModelConfig, "command" | "folder">): string {
  const [program = "", ...args] = command ?? [];
  return [program.includes("/") ? resolve(folder, program) : program, ...args].map(quoteWord).join(" ");
}

/** `reason`: of `findModel`. */
export function missingStep({ adapter }: Pick<ModelConfig, "adapter">, reason: string): string {
  const script = notExecutable(reason);
  if (script !== null) return script;
  if (adapter === "command") return "correct its `command` in task-phase.yaml, or install the program";
  return adapter === "replay" ? "correct its `recordings` in task-phase.yaml" : installStep(adapter);
}

/** What makes a file a program; null if the reason is another. */
export function notExecutable(reason: string): string | null {
  const file = /^(.*) exists but is not executable$/.exec(reason)?.[1];
  return file === undefined ? null : `\`chmod +x ${quoteWord(file)}\` makes it executable`;
}

export type StartTrouble = Readonly<NonNullable<ReturnType<typeof findStartTrouble>>>;

/** A missing or too old Node, judged by the standard error of a CLI that did nothing. Starts nothing. */
export function findStartTrouble(
  name: CliName,
  program: string,
  stderrTail: string,
  execPath: string = process.execPath,
) {
  if (/^(?:\S*env|\S*sh): .{0,40}\bnode\b.{0,10}: (?:No such file|command not found|not found)/im.test(stderrTail)) {
    const path = crontabLine([{ program: "node", path: execPath }]);
    const fix = `put ${dirname(execPath)} on PATH; if cron starts task-phase, write at the top of the crontab: ${path}`;
    return { need: `${name} needs node on PATH`, fix };
  }
  const { runNode } = triedVersions[name];
  const node = /^Node\.js v(\d+\.\d+\.\d+)/m.exec(stderrTail)?.[1];
  if (runNode === null || node === undefined || !isOlder(node, runNode)) return null;
  const fix = repairStep({ name, path: program, timedOut: false }, node);
  return { need: `${name} needs Node ${runNode} or newer, and ran under ${node}`, fix };
}
