import { dirname, join } from "node:path";
import { adapters } from "../agents/adapters/adapters.ts";
import { type Asking, runAll } from "../agents/inspect/ask-program.ts";
import { type CalledProgram, findProgram, isOnCronPath, setVariables } from "../agents/inspect/discover.ts";
import { inspectBwrap, inspectCli, inspectTool, type ToolFacts } from "../agents/inspect/inspect-cli.ts";
import { isOlder } from "../agents/inspect/versions.ts";
import { findModel } from "../agents/run/run-model.ts";
import { type CliName, cliNames } from "../documents/config/adapter-names.ts";
import { type ConfigRequest, findConfig } from "../documents/config/find-config.ts";
import { type LoadedConfig, loadConfig } from "../documents/config/load-config.ts";
import { findGitTop } from "../git/place.ts";
import { findSigner } from "../pass/checkpoint/signing-key.ts";
import { strongestContainment } from "../process/survivors.ts";
import { isWritable } from "../store/folder.ts";
import { stateHome } from "../store/state-home.ts";
import { TaskPhaseError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import type { CommandContext } from "./command.ts";
import { inspectCache } from "./doctor-cache.ts";
import { inspectCron } from "./doctor-cron.ts";
import { findTaskAround, findTasksRoot } from "./find-root.ts";

/** As package.json asks for. */
export const oldestNode = "20.19";
/** The slowest of the CLIs takes 3 s for its version on an idle machine. */
const cliTimeoutMs = 15_000;

type ConfigFacts = ReturnType<typeof readConfig>;
export type AgentFacts = Awaited<ReturnType<typeof inspectAgent>>;
export type DoctorReport = Readonly<Awaited<ReturnType<typeof makeReport>>>;

/** Everything that doctor finds out. Starts each program there is, all at the same time, and charges nothing. */
export async function makeReport(context: CommandContext, asking: Asking) {
  const { env, home } = context;
  const config = readConfig(context);
  const models = config.loaded?.models ?? [];
  const finding = cliNames.map((name) => inspectAgent(name, models, env, asking));
  const gitFinding = inspectTool("git", asking, env);
  const bwrapFinding = inspectBwrap(asking, env);
  await runAll<unknown>([...finding, gitFinding, bwrapFinding]);
  const [agents, git, bwrap] = [await runAll(finding), await gitFinding, await bwrapFinding];
  const stateFolder = stateHome(env, home);
  const { node } = process.versions;
  return {
    node: { path: process.execPath, version: node, ok: !isOlder(node, oldestNode) },
    git,
    bwrap,
    config,
    agents,
    models: models.map((model) => ({ name: model.name, adapter: model.adapter, presence: findModel(model, env) })),
    /** Null if nothing is to be signed. */
    signing: config.loaded?.sign === "ssh" ? await inspectSigning(context, config) : null,
    containment: strongestContainment(),
    stateFolder: { path: stateFolder, writable: isWritable(stateFolder) },
    cache: inspectCache(env, home),
    homeIsSet: (env.HOME ?? "") !== "",
    cron: inspectCron(
      { env, tasksRoot: findTasksRoot(context.cwd), config: config.loaded },
      calledPrograms(agents, git, env),
    ),
  };
}

/** Signs a few bytes, as a pass does before it calls a model. */
async function inspectSigning({ cwd, env, home }: CommandContext, { path }: ConfigFacts) {
  const tasksRoot = path === null ? [] : [dirname(path)];
  const repo = findGitTop(cwd);
  try {
    const { key } = await findSigner(repo === null ? tasksRoot : [...tasksRoot, repo], { env, home });
    return { key, problems: [] };
  } catch (error) {
    return { key: null, problems: configProblems(error) };
  }
}

/** Throws any other error. */
function configProblems(error: unknown): readonly Finding[] {
  if (error instanceof TaskPhaseError && error.exitName === "config") return error.findings;
  throw error;
}

async function inspectAgent(name: CliName, models: LoadedConfig["models"], env: NodeJS.ProcessEnv, asking: Asking) {
  const own = models.filter((model) => model.adapter === name);
  const variables = setVariables(name, env);
  const passed = own.length === 0 ? variables : [...new Set(own.flatMap((model) => model.env))];
  const facts = await inspectCli(name, asking, { env, variables: passed, timeoutMs: cliTimeoutMs });
  const { program } = adapters[name];
  return {
    ...facts,
    /** Names of the models of task-phase.yaml that call it. */
    configuredAs: own.map((model) => model.name),
    /** Names of the variables it knows that are set now. */
    variables,
    /** Names of those that its models pass on, or would. */
    passed,
    /** Null if it is not there. */
    onCronPath: facts.path === null ? null : isOnCronPath({ program, path: facts.path }),
  };
}

/** A wrong one is reported with everything else, and `loaded` is null. */
function readConfig(context: CommandContext) {
  const request = presentConfig(context);
  const path = findConfig(request)?.path ?? null;
  try {
    return { path, loaded: loadConfig(request), problems: [] };
  } catch (error) {
    return { path, loaded: null, problems: configProblems(error) };
  }
}

function calledPrograms(agents: readonly AgentFacts[], git: ToolFacts, env: NodeJS.ProcessEnv): CalledProgram[] {
  // As its command line calls it, and as the agents that are Node programs do.
  const node = findProgram("node", env.PATH ?? "") ?? process.execPath;
  return [
    { program: "node", path: node },
    ...(git.path === null ? [] : [{ program: "git", path: git.path }]),
    ...agents.flatMap(({ name, path }) => (path === null ? [] : [{ program: adapters[name].program, path }])),
  ];
}

type Given = Pick<CommandContext, "flags" | "env" | "home" | "cwd">;

/** The configuration of the task around the current folder, or of the tasks root that is found from there. */
export function presentConfig({ flags, env, home, cwd }: Given): ConfigRequest {
  const taskDir = findTaskAround(cwd) ?? join(findTasksRoot(cwd) ?? cwd, "task");
  return { configFlag: flags.text("config"), env, home, taskDir, cwd };
}
