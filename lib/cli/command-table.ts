import { type ExitName, exitCodes } from "../text/exit-codes.ts";
import type { CommandSpec, FlagSpec } from "./command-spec.ts";

type More = Pick<FlagSpec, "short" | "repeatable" | "hidden">;

// Each gives the flag's own name and type, which the types of a command's flags are made of.
const toggle = <const Name extends string>(name: Name, help: string, more: More = {}) =>
  ({ name, type: "switch", help, ...more }) as const;

const takes =
  <const Type extends Exclude<FlagSpec["type"], "switch">>(type: Type) =>
  <const Name extends string, const Own extends More = object>(name: Name, label: string, help: string, more?: Own) =>
    ({ name, type, label, help, ...(more as Own) }) as const;

const text = takes("text");
const number = takes("integer");
const duration = takes("duration");

export const sharedFlags = [
  text("config", "FILE", "use this task-phase.yaml instead of searching for one"),
  toggle("json", "print one JSON object on stdout, on success and on failure"),
  toggle("quiet", "print errors only, and nothing if the exit code is 0 or 75", { short: "q" }),
  toggle("verbose", "print more detail, and the stack of an unexpected error", { short: "v" }),
  toggle("no-color", "no colour; NO_COLOR, FORCE_COLOR and TERM=dumb are honoured too"),
  toggle("help", "show this help", { short: "h" }),
  toggle("version", "show the version", { short: "V" }),
] as const satisfies readonly FlagSpec[];

const taskDir = text("task-dir", "TASK", "the task: its id, folder or path; `--task-dir` itself may be left out");
const tasksRoot = text(
  "tasks-root",
  "FOLDER",
  "the folder that contains the task folders; default: the nearest one here or above, or the `tasks` folder in it",
);

const git = text(
  "git",
  "REPO",
  "read the tasks from the branches of this repository, bare or not, instead of from a folder",
);

const remote = text("remote", "URL", "with --claim: the repository that holds the tasks and their branches");

const withTool = text("with", "TOOL", "gh or glab; default: by the host's name, or gh if it has a login there");

const fleetRemote = "a repository whose tasks the fleet works on";

/** Flags that `run` and `loop` share. */
const passFlags = [
  text("repo", "FOLDER", "the working tree; overrides `repo` of the brief"),
  text("model", "NAME", "the model to use, by its name in task-phase.yaml"),
  text("models", "LIST", "model names, comma separated: use only these, in this order"),
  duration(
    "timeout",
    "DURATION",
    "the model's time limit, for example 90s, 20m or 1h; default: the model's own, else 30m",
  ),
  toggle("dry-run", "do everything up to the model, write nothing, print the prompt", { short: "n" }),
] as const;

const ended = ["sighup", "sigint", "sigterm"] as const;
const fileExits: readonly ExitName[] = ["ok", "failure", "usage", "data", "config"];
const runExits = Object.keys(exitCodes) as ExitName[];

/** Every command of this version, in the order of the help. */
export const commandTable = [
  {
    name: "init",
    summary: "makes a task folder; never changes an existing file",
    usage: "[TITLE | FOLDER] [flags]",
    words: ["title"],
    examples: [
      "'Round half up'",
      "'Stream the CSV export' --brief wish.md --validator 'tests=npm test'",
      "--task-dir tasks/T-124-rounding --title 'Round half up'",
      "--issue 42",
    ],
    flags: [
      text(
        "title",
        "TEXT",
        "the task's title; default: the brief's first heading, or made from the folder's name; `--title` itself may be left out",
      ),
      text(
        "brief",
        "FILE",
        "the text of the brief, `-` for stdin; default: what is piped in, else a template to fill in",
      ),
      text("issue", "N|URL", "the brief from an issue of the remote, or at an address, through gh or glab"),
      withTool,
      toggle("edit", "open the new brief in $VISUAL or $EDITOR", { short: "e" }),
      text(
        "task-dir",
        "FOLDER",
        "the task folder to make; default: the next free id and the title, in the tasks root or `tasks`",
      ),
      text("id", "ID", "the task's id; default: taken from the folder's name, or the next free one"),
      text("repo", "FOLDER", "the working tree; default: the git top level around the task folder"),
      number("priority", "NUMBER", "higher is selected first; default: 0"),
      text("depends-on", "ID", "a task that must be done before this one, by its id or its folder's name", {
        repeatable: true,
      }),
      text(
        "validator",
        "'NAME=COMMAND'",
        "a command that must exit 0; split as a shell splits words, run without a shell; default: the repo's test command",
        { repeatable: true },
      ),
      toggle("all-checks", "require the repo's lint and type commands too"),
      toggle("no-validator", "do not look for the repo's commands"),
      toggle("user-facing", "require the visible feature checklist"),
      toggle("shape", "leave Objective, Done gate and the rest of the frame to a model"),
      toggle("with-tasks", "make TASKS.md too"),
      toggle("skill", "make .claude/skills/task-phase/SKILL.md for your own agent, and no task"),
      text("hook", "claude|codex", "ask, and add `prove --hook` to that CLI's settings of this repo, and no task"),
      ...sharedFlags,
    ],
    okMeaning: "the task folder exists; files that were already there are unchanged",
    exits: ["ok", "failure", "usage", "data", "locked", "config"],
    refusedInsidePass: true,
  },
  {
    name: "run",
    summary: "does one pass: a model proposes, the runner checks and decides",
    usage: "[TASK | --tasks-root FOLDER | --claim --remote URL --task ID] [flags]",
    words: ["task-dir"],
    examples: [
      "T-123 --model claude --timeout 20m",
      "tasks/T-123-stream-csv --dry-run",
      "--claim --remote git@host:team/repo.git --task T-123",
    ],
    flags: [
      taskDir,
      { ...tasksRoot, help: "run the next runnable task of this folder; with --claim: of --remote" },
      ...passFlags,
      toggle("claim", "run the pass in a clone of --remote, unless another machine has claimed it"),
      remote,
      text("task", "ID", "with --claim: the task; its branch is task-phase/ID"),
      text("attempt", "NAME", "with --claim: a name for this call; default: random"),
      toggle("takeover", "with --claim: continue at once, even if another run still holds the pass"),
      ...sharedFlags,
    ],
    okMeaning: "the pass was accepted or redirected, or there is nothing left to do",
    exits: runExits,
    onBranch: "list",
    refusedInsidePass: true,
  },
  {
    name: "loop",
    summary: "repeats passes until something stops it, and reports why it stopped; made for cron",
    usage: "[TASK | --tasks-root FOLDER] [flags]",
    words: ["task-dir"],
    examples: [
      "T-123",
      "--tasks-root tasks --max-passes 20 --max-seconds 3600",
      "--tasks-root tasks --branch work/overnight --models claude,codex",
    ],
    flags: [
      taskDir,
      { ...tasksRoot, help: "work on every task of this folder, the next runnable ones first" },
      ...passFlags,
      number("max-passes", "NUMBER", "stop with exit code 3 after this many passes"),
      number("max-iterations", "NUMBER", "the same as --max-passes", { hidden: true }),
      number("max-seconds", "NUMBER", "start no pass after this many seconds; exit code 2"),
      number("jobs", "NUMBER", "so many passes at once, each in a clone on task-phase/ID; your tree stays as it is", {
        short: "j",
      }),
      duration(
        "max-wait",
        "DURATION",
        "sleep no longer than this until the deadline of a question (default 1h; exit code 22) or, if it is given, until a model is back (exit code 24)",
      ),
      text("branch", "NAME", "switch the repo to this branch, or make it; refused with uncommitted changes"),
      ...sharedFlags,
    ],
    okMeaning: "the task, or every task, is done",
    exits: runExits,
    refusedInsidePass: true,
  },
  {
    name: "status",
    summary: "shows the state of each task, what it has spent, and why nothing runs",
    usage: "[TASK | --tasks-root FOLDER] [flags]",
    words: ["task-dir"],
    examples: ["", "T-123", "--tasks-root tasks --json", "--git /srv/git/app.git"],
    flags: [taskDir, tasksRoot, git, ...sharedFlags],
    okMeaning: "every task could be read",
    exits: fileExits,
    onBranch: "read",
    refusedInsidePass: false,
  },
  {
    name: "check",
    summary: "checks task files and the journal, decides every verdict again, changes nothing",
    usage: "[TASK | --tasks-root FOLDER] [flags]",
    words: ["task-dir"],
    examples: [
      "T-123",
      "--tasks-root tasks",
      "--tasks-root tasks --history --annotations github",
      "--history --git /srv/git/app.git",
    ],
    flags: [
      taskDir,
      tasksRoot,
      toggle("proposal", "judge STATE.md as a pass's proposal, without running checks; for use inside a pass"),
      toggle("history", "check commits too; exit 78 without full git history"),
      { ...git, help: "with --history: check the branches of this repository" },
      text("since", "REV", "with --history: check only commits after REV"),
      toggle("attestation", "check the signed statement of a task that is done"),
      text("allowed-signers", "FILE", "for --history and --attestation: keys that may sign"),
      text("annotations", "FORMAT", "print findings for github or gitlab; not with --json"),
      text("repo", "FOLDER", "the working tree; overrides `repo` of the brief"),
      ...sharedFlags,
    ],
    okMeaning: "nothing is wrong",
    exits: ["ok", "failure", "rejected", "usage", "data", "config"],
    onBranch: "read",
    refusedInsidePass: false,
  },
  {
    name: "evidence",
    summary: "rebuilds evidence.html, the runner's parts of EVIDENCE.md, SUMMARY.md and links",
    usage: "[TASK] [flags]",
    words: ["task-dir"],
    examples: ["T-123"],
    flags: [taskDir, ...sharedFlags],
    okMeaning: "the evidence is up to date",
    exits: [...fileExits.slice(0, -1), "locked", "config"],
    onBranch: "read",
    refusedInsidePass: true,
  },
  {
    name: "board",
    summary: "writes BOARD.md and index.html of a tasks root: the state of every task",
    usage: "[--tasks-root FOLDER] [flags]",
    examples: ["", "--tasks-root tasks --json", "--git /srv/git/app.git --out public"],
    flags: [tasksRoot, git, text("out", "FOLDER", "with --git: the folder to write both files to"), ...sharedFlags],
    okMeaning: "both files are up to date",
    exits: ["ok", "failure", "usage", "data", "locked", "config"],
    onBranch: "list",
    refusedInsidePass: true,
  },
  {
    name: "show",
    summary: "shows one task: standing, last verdict, open question, newest log lines, links",
    usage: "[TASK] [flags]",
    words: ["task-dir"],
    examples: ["T-123", "T-123 --open", "T-123 --pr | gh pr create --title 'Stream the CSV export' --body-file -"],
    flags: [
      taskDir,
      toggle("pr", "print the text of a pull request instead, as Markdown"),
      toggle("open", "open evidence.html in the browser, or print its path if there is no display"),
      ...sharedFlags,
    ],
    okMeaning: "the task could be read",
    exits: fileExits,
    onBranch: "read",
    refusedInsidePass: false,
  },
  {
    name: "pr",
    summary: "pushes a task's branch, and makes or updates its pull request through gh or glab",
    usage: "[TASK] [flags]",
    words: ["task-dir"],
    examples: ["T-123", "T-123 --dry-run", "T-123 --base release --draft"],
    flags: [
      taskDir,
      text("base", "BRANCH", "the branch that it goes to; default: the remote's default branch"),
      toggle("draft", "make a new one a draft; one of a task that is not done always is"),
      withTool,
      text("repo", "FOLDER", "the working tree; overrides `repo` of the brief"),
      toggle("dry-run", "ask the host and judge everything, print what would be done and the text", { short: "n" }),
      ...sharedFlags,
    ],
    okMeaning: "the pull request is there and says how the task stands, or the branch was merged",
    exits: ["ok", "failure", "needs_user_decision", "usage", "data", "config", "sighup", "sigint", "sigterm"],
    onBranch: "read",
    refusedInsidePass: true,
  },
  {
    name: "answer",
    summary: "writes a person's answer to an open question into DECISIONS.md",
    usage: "[TASK] QUESTION TEXT [flags]",
    words: ["task-dir", "question", "text"],
    examples: ["T-123 Q1 yes", "Q1 'UTF-8, without a byte-order mark'"],
    flags: [
      taskDir,
      text("question", "ID", "the question, for example Q1"),
      text("text", "TEXT", "the answer, in one line"),
      ...sharedFlags,
    ],
    okMeaning: "the answer is written",
    exits: ["ok", "failure", "rejected", "usage", "data", "locked", "config"],
    onBranch: "change",
    refusedInsidePass: true,
  },
  {
    name: "resume",
    summary: "reopens a task that is done, blocked or waiting for a decision",
    usage: "[TASK] --to PHASE --reason TEXT [flags]",
    words: ["task-dir"],
    examples: ["T-123 --to implement --reason 'the key is there'"],
    flags: [
      taskDir,
      text("repo", "FOLDER", "the working tree; overrides `repo` of the brief"),
      text("to", "PHASE", "the working phase to continue in; from done, only intake"),
      text("reason", "TEXT", "why; recorded in the journal"),
      ...sharedFlags,
    ],
    okMeaning: "the task is open again",
    exits: ["ok", "failure", "rejected", "usage", "data", "locked", "config"],
    onBranch: "change",
    refusedInsidePass: true,
  },
  {
    name: "cancel",
    summary: "stops the runner of a task: writes ABORT, waits, then kills its processes",
    usage: "[TASK] [flags]",
    words: ["task-dir"],
    examples: ["T-123", "T-123 --timeout 5s"],
    flags: [
      taskDir,
      duration("timeout", "DURATION", "how long the runner may take to obey ABORT; default: control.poll plus 15s"),
      ...sharedFlags,
    ],
    okMeaning: "nothing is running on the task",
    exits: ["ok", "failure", "usage", "locked"],
    onBranch: "change",
    refusedInsidePass: true,
  },
  {
    name: "land",
    summary: "merges tasks that are done on their branch, each proven on the merge result first",
    usage: "[TASK ... | --all] [flags]",
    words: ["task"],
    examples: ["T-1", "--all", "T-1 T-2 --into release"],
    flags: [
      text("task", "TASK", "the task, by its id or its folder; `--task` itself may be left out", {
        repeatable: true,
      }),
      toggle("all", "every task that is done and has not landed, in the order of their dependencies"),
      text("into", "BRANCH", "the branch to merge into; default: `fleet.base`, else the one that is checked out"),
      toggle("keep", "keep the branches that have landed"),
      toggle("dry-run", "merge and run the checks in a copy, and change nothing", { short: "n" }),
      tasksRoot,
      ...sharedFlags,
    ],
    okMeaning: "all that was asked for has landed",
    exits: ["ok", "failure", "usage", "rejected", "locked", "config", "sighup", "sigint", "sigterm"],
    refusedInsidePass: true,
  },
  {
    name: "prove",
    summary: "shows whether checks notice your change of a repo, and would if it were wrong",
    usage: "[flags]",
    examples: ["", "--check 'npm test' --base main", "--base HEAD~1 --require shown --json"],
    flags: [
      text("base", "REV", "compare with where the work left this revision; default: the default branch"),
      text(
        "check",
        "'COMMAND'",
        "a command that must exit 0; default: task-phase.yaml's, else the repo's test command",
        { repeatable: true },
      ),
      toggle("accept-tests", "the changes of tests and checks are meant: exit 0, not 22, if nothing else is wrong"),
      text("require", "shown", "exit 23 unless a check fails without the change and notices wrong versions of it"),
      duration("timeout", "DURATION", "judge by what ran until then, and name what did not; default: no limit"),
      text("out", "FILE", "write the result as a page too"),
      toggle("hook", "answer a Stop hook of Claude Code or Codex, whose JSON is on stdin; exit 0"),
      ...sharedFlags,
    ],
    okMeaning: "every check passes, and no changed test needs a person's look",
    exits: ["ok", "failure", "usage", "rejected", "needs_user_decision", "no_progress", "locked", "config", ...ended],
    refusedInsidePass: false,
  },
  {
    name: "demo",
    summary: "plays an example from intake to done in a temporary folder; no agent, no network",
    usage: "[flags]",
    examples: [""],
    flags: [...sharedFlags],
    okMeaning: "the example reached done",
    exits: ["ok", "failure", "usage", "sighup", "sigint", "sigterm"],
    refusedInsidePass: true,
  },
  {
    name: "trust",
    summary: "lets the commands of a tasks root run on this machine",
    usage: "[TASKS_ROOT | --remote URL] [--revoke] [flags]",
    examples: ["tasks", "--revoke tasks", "--remote git@host:team/repo.git"],
    flags: [
      tasksRoot,
      { ...remote, help: "the repository whose tasks `run --claim` works on, instead of a folder" },
      toggle("revoke", "withdraw the trust: the folder's commands no longer run here"),
      ...sharedFlags,
    ],
    words: ["tasks-root"],
    okMeaning: "the folder is trusted, or with --revoke no longer trusted, for this and later calls",
    exits: ["ok", "failure", "usage"],
    refusedInsidePass: true,
  },
  {
    name: "doctor",
    summary: "finds the agent CLIs and everything else a pass needs; costs nothing",
    usage: "[flags]",
    examples: ["--json", "--config tasks/task-phase.yaml"],
    flags: [...sharedFlags],
    okMeaning: "the report was made; problems are warnings in it",
    exits: ["ok", "failure", "usage", "config", "sighup", "sigint", "sigterm"],
    refusedInsidePass: false,
  },
  {
    name: "probe",
    summary: "asks each model for one word: does it answer, hang, need a login, hit a limit?",
    usage: "[--model NAME] [flags]",
    examples: ["--model claude", "--timeout 2m --json"],
    flags: [
      text(
        "model",
        "NAME",
        "only this model of task-phase.yaml, or this agent CLI; default: every model, else every agent CLI on PATH",
      ),
      duration("timeout", "DURATION", "the time limit for each model; default: 60s"),
      ...sharedFlags,
    ],
    okMeaning: "every model that was asked has answered",
    exits: ["ok", "failure", "unavailable", "usage", "config", "sighup", "sigint", "sigterm"],
    refusedInsidePass: true,
  },
  {
    name: "dispatch",
    summary: "queues each runnable task of the remotes as a job for a fleet's workers",
    usage: "--remote URL... [--every 1m | --once] [flags]",
    examples: ["--remote git@host:team/repo.git", "--remote git@host:team/repo.git --once"],
    flags: [
      { ...remote, help: fleetRemote, repeatable: true },
      duration("every", "DURATION", "how often to look for runnable tasks; default: 1m"),
      toggle("once", "look once, then exit; for cron"),
      ...sharedFlags,
    ],
    okMeaning: "with --once: every remote was read, and its runnable tasks are queued as far as there is room",
    exits: ["ok", "failure", "usage", "data", "locked", "config", "sighup", "sigint", "sigterm"],
    refusedInsidePass: true,
  },
  {
    name: "worker",
    summary: "runs the passes that a dispatcher has queued, until it is told to stop",
    usage: "[--slots NUMBER] [--remote URL...] [--once] [flags]",
    examples: ["--slots 2", "--remote git@host:team/repo.git --once"],
    flags: [
      number("slots", "NUMBER", "how many passes to run at a time; default: 1"),
      {
        ...remote,
        help: "use the engine that the task-phase.yaml of this repository names; default: that of the task-phase.yaml here, else $TASK_PHASE_ENGINE_URL",
        repeatable: true,
      },
      toggle("once", "exit as soon as no job is due"),
      ...sharedFlags,
    ],
    okMeaning: "with --once: no more jobs were due",
    exits: ["ok", "failure", "usage", "data", "locked", "config", "sighup", "sigint", "sigterm"],
    refusedInsidePass: true,
  },
  {
    name: "fleet",
    summary: "compares git with the engine of a fleet, or sets up the engine",
    usage: "status | setup [--rebuild] --remote URL... [flags]",
    words: ["act"],
    examples: [
      "status --remote git@host:team/repo.git",
      "setup --remote git@host:team/repo.git",
      "setup --rebuild --remote git@host:team/repo.git --remote git@host:team/other.git",
    ],
    flags: [
      text("act", "WORD", "status or setup; `--act` itself may be left out"),
      { ...remote, help: fleetRemote, repeatable: true },
      toggle("rebuild", "with setup: count again what is spent and held, from the journals of every remote given"),
      ...sharedFlags,
    ],
    okMeaning: "every remote could be read; with setup: the engine is ready",
    exits: ["ok", "failure", "usage", "data", "locked", "config", "sighup", "sigint", "sigterm"],
    refusedInsidePass: true,
  },
  {
    name: "import",
    summary: "makes task folders from a prd.json, a PROMPT.md or the file of a Ralph loop",
    usage: "--from FILE [--tasks-root FOLDER] [flags]",
    examples: [
      "--from prd.json --validator 'tests=npm test'",
      "--from .claude/ralph-loop.local.md --tasks-root tasks",
      "--from PROMPT.md --id T-7 --title 'Stream the CSV export'",
    ],
    flags: [
      text("from", "FILE", "the file to read; a .json file is read as a prd.json"),
      {
        ...tasksRoot,
        help: "the folder to put the task folders in, created if it is missing; default: the nearest one here or above, else `tasks` at the top of the repo, else in this folder",
      },
      text("id", "ID", "for a prompt: the task's id; default: made from its title"),
      text("title", "TEXT", "for a prompt: the title; default: its first heading or words"),
      text("repo", "FOLDER", "the working tree; default: the git top level around the task folder"),
      text(
        "validator",
        "'NAME=COMMAND'",
        "a command that must exit 0, for each task; default: the prd.json's verificationCommands",
        { repeatable: true },
      ),
      toggle("dry-run", "check everything, print what would be made, write nothing", { short: "n" }),
      ...sharedFlags,
    ],
    okMeaning: "each story or prompt has its task folder; existing ones are unchanged",
    exits: ["ok", "failure", "usage", "data", "locked", "config"],
    refusedInsidePass: true,
  },
  {
    name: "export",
    summary: "writes a prd.json in which `passes` is true only for tasks with proof",
    usage: "[--tasks-root FOLDER] --to FILE [flags]",
    examples: ["--to prd.json", "--tasks-root tasks --from prd.json --to out/prd.json"],
    flags: [
      tasksRoot,
      text("to", "FILE", "the prd.json to write; in an existing one only `passes` and `notes` change"),
      text("from", "FILE", "start from this prd.json instead of the one at --to"),
      ...sharedFlags,
    ],
    okMeaning: "the file agrees with the journals",
    exits: ["ok", "failure", "usage", "data", "config"],
    onBranch: "list",
    refusedInsidePass: false,
  },
  {
    name: "completion",
    summary: "prints a shell script that completes commands, flags and task ids",
    usage: "SHELL",
    examples: ["bash >> ~/.bashrc", "fish > ~/.config/fish/completions/task-phase.fish"],
    words: ["shell"],
    flags: [
      text("shell", "SHELL", "bash, zsh or fish; `tasks` lists the task names that they complete"),
      ...sharedFlags,
    ],
    okMeaning: "the script is on stdout",
    exits: ["ok", "failure", "usage"],
    refusedInsidePass: false,
  },
] as const satisfies readonly CommandSpec[];

export type CommandName = (typeof commandTable)[number]["name"];
export type FlagName = (typeof commandTable)[number]["flags"][number]["name"];

export function findCommand(name: string): (CommandSpec & { readonly name: CommandName }) | null {
  return commandTable.find((command) => command.name === name) ?? null;
}
