import { adapters } from "../agents/adapters/adapters.ts";
import { installStep, loginStep, missingStep, repairStep } from "../agents/inspect/next-steps.ts";
import { isOlder, triedVersions } from "../agents/inspect/versions.ts";
import { mergingGit } from "../git/git-answer.ts";
import { compact } from "../text/compact.ts";
import { type Finding, infoFinding, warningFinding } from "../text/finding.ts";
import { type AgentFacts, type DoctorReport, oldestNode } from "./doctor-report.ts";

/** Present and future obstacles of a pass; none of them prevents the report. */
export function findTroubles(report: DoctorReport, env: Readonly<NodeJS.ProcessEnv>): Finding[] {
  return [
    ...report.config.problems,
    ...judgeModels(report),
    ...report.agents.flatMap((agent) => judgeAgent(agent, env)),
    ...judgeTools(report),
    ...(report.signing?.problems ?? []).map((problem) => warningFinding(problem.code, problem.message, problem)),
    ...judgeSurroundings(report),
  ];
}

function judgeModels({ agents, models, config }: DoctorReport): Finding[] {
  if (config.loaded !== null && models.length === 0 && agents.every((agent) => agent.path === null)) {
    const fix = `install one, such as: npm install -g ${adapters.claude.npmPackage}; any other program is a model with \`adapter: command\``;
    return [warningFinding("TP_DOCTOR_NO_MODEL", "no model is configured, and no agent CLI is on PATH", { fix })];
  }
  return models.flatMap(({ name, adapter, presence }) =>
    presence.kind === "there"
      ? []
      : [
          warningFinding("TP_DOCTOR_MODEL_MISSING", `model ${name} cannot be called: ${presence.reason}`, {
            file: config.path,
            fix: missingStep({ adapter }, presence.reason),
          }),
        ],
  );
}

function judgeAgent(agent: AgentFacts, env: Readonly<NodeJS.ProcessEnv>): Finding[] {
  const { name, path: file, version } = agent;
  if (agent.callable === false) {
    const fix = repairStep({ ...agent, path: file ?? name });
    return [
      warningFinding("TP_DOCTOR_NOT_CALLABLE", `${name} is installed but cannot be called: ${agent.problem}`, {
        file,
        fix,
      }),
    ];
  }
  const tried = triedVersions[name].version;
  return compact([
    version !== null &&
      isOlder(version, tried) &&
      warningFinding(
        "TP_DOCTOR_OLD_VERSION",
        `${name} ${version} is older than ${tried}, the newest version that its adapter was tested with`,
        { file, fix: installStep(name) },
      ),
    agent.login === "no" &&
      warningFinding("TP_DOCTOR_NO_LOGIN", `${name} reports that nobody is logged in`, {
        fix: loginStep(name, agent.passed, env),
      }),
  ]);
}

function judgeTools({ node, git, bwrap, config }: DoctorReport): Finding[] {
  const wantsSandbox = config.loaded?.sandbox === "bwrap" && bwrap.usable !== true;
  return compact([
    !node.ok &&
      warningFinding("TP_DOCTOR_NODE", `Node ${node.version} is older than ${oldestNode}`, {
        file: node.path,
        fix: `install Node ${oldestNode} or newer`,
      }),
    git.usable !== true &&
      warningFinding("TP_DOCTOR_GIT", `git cannot be called: ${git.problem ?? "it is not on PATH"}`, {
        file: git.path,
        fix: "install git; without it, task-phase can only work on a folder that is not a git repo",
      }),
    git.version !== null &&
      isOlder(git.version, mergingGit) &&
      warningFinding(
        "TP_DOCTOR_OLD_GIT",
        `git ${git.version} is older than ${mergingGit}, which \`task-phase land\` needs`,
        {
          file: git.path,
          fix: `install git ${mergingGit} or newer to work with branches`,
        },
      ),
    wantsSandbox &&
      warningFinding(
        "TP_DOCTOR_SANDBOX",
        `\`sandbox: bwrap\` is set, but bwrap cannot be used: ${bwrap.problem ?? "it is not on PATH"}`,
        { file: config.path, fix: "install bubblewrap and let users create namespaces, or write sandbox: none" },
      ),
  ]);
}

function judgeSurroundings({ stateFolder, homeIsSet, cron }: DoctorReport): Finding[] {
  const names = cron.missing.map(({ program }) => program).join(", ");
  return compact([
    !stateFolder.writable &&
      warningFinding("TP_DOCTOR_STATE_FOLDER", "the state folder cannot be created or written to", {
        file: stateFolder.path,
        fix: "give this user write permission, or set XDG_STATE_HOME to another folder",
      }),
    !homeIsSet &&
      warningFinding("TP_DOCTOR_NO_HOME", "HOME is not set, but agent CLIs keep their logins there", {
        fix: "set HOME where task-phase is started",
      }),
    cron.line !== null &&
      infoFinding("TP_DOCTOR_CRON_PATH", `cron has a short PATH, which lacks these: ${names}`, {
        fix: `if cron starts task-phase, write at the top of the crontab: ${cron.line}`,
      }),
  ]);
}
