import type { ExitName } from "../report/exit-codes.ts";
import type { CommandSpec, FlagSpec, RunCommand } from "./command.ts";

export const sharedFlags = [
  { name: "config", type: "text", label: "FILE", help: "read this task-phase.yaml instead of searching for one" },
  { name: "json", type: "switch", help: "print one JSON object on stdout, on success and on failure" },
  { name: "quiet", type: "switch", help: "print errors only, and nothing where the exit code is 0 or 75" },
  { name: "verbose", type: "switch", help: "say more, and show the stack of an unexpected error" },
  { name: "no-color", type: "switch", help: "no colour; NO_COLOR, FORCE_COLOR and TERM=dumb are kept too" },
  { name: "help", short: "h", type: "switch", help: "show this help" },
  { name: "version", short: "V", type: "switch", help: "show the version" },
] as const satisfies readonly FlagSpec[];

const taskDir = {
  name: "task-dir",
  type: "text",
  label: "FOLDER",
  help: "the task folder; without it, the present folder where that holds STATE.md",
} as const;
const tasksRoot = {
  name: "tasks-root",
  type: "text",
  label: "FOLDER",
  help: "the folder that holds the task folders",
} as const;

/** What `run` and `loop` share. */
const passFlags = [
  { name: "repo", type: "text", label: "FOLDER", help: "the working tree; wins over the brief's repo" },
  { name: "model", type: "text", label: "NAME", help: "the model of task-phase.yaml to use" },
  { name: "models", type: "text", label: "LIST", help: "names, comma separated: only these, in this order" },
  {
    name: "timeout",
    type: "duration",
    label: "DURATION",
    help: "the model's time, as 90s, 20m or 1h; default: the model's own, 30m",
  },
  { name: "dry-run", type: "switch", help: "do everything up to the model, write nothing, print the prompt" },
] as const;

const fileExits: readonly ExitName[] = ["ok", "failure", "usage", "data", "config"];
const runExits: readonly ExitName[] = [
  "ok",
  "failure",
  "budget",
  "iterations",
  "rejected",
  "blocked",
  "needs_user_decision",
  "no_progress",
  "unavailable",
  "paused",
  "usage",
  "data",
  "locked",
  "config",
  "sighup",
  "sigint",
  "sigterm",
];

/** Every command of this version, in the order of the help. */
export const commandTable = [
  {
    name: "init",
    summary: "makes a task folder from the templates; a file that is there is never changed",
    usage: "--task-dir FOLDER [flags]",
    examples: [
      "--task-dir tasks/T-123-stream-csv --title 'Stream the CSV export'",
      "--task-dir tasks/T-124 --repo ../app --validator 'tests=npm test'",
    ],
    flags: [
      { name: "task-dir", type: "text", label: "FOLDER", help: "the task folder to make" },
      {
        name: "title",
        type: "text",
        label: "TEXT",
        help: "what the task is about; default: made from the folder's name",
      },
      { name: "id", type: "text", label: "ID", help: "the task's id; default: taken from the folder's name" },
      {
        name: "repo",
        type: "text",
        label: "FOLDER",
        help: "the working tree; default: the git top level around the task folder",
      },
      { name: "priority", type: "integer", label: "NUMBER", help: "higher is selected first; default: 0" },
      {
        name: "depends-on",
        type: "text",
        label: "ID",
        help: "a task that must be done before this one",
        repeatable: true,
      },
      {
        name: "validator",
        type: "text",
        label: "'NAME=COMMAND'",
        help: "a command that must exit 0; split as a shell splits words, run without a shell",
        repeatable: true,
      },
      { name: "user-facing", type: "switch", help: "the visible feature checklist is required" },
      { name: "with-tasks", type: "switch", help: "make TASKS.md too" },
      ...sharedFlags,
    ],
    okMeaning: "the task folder is there; what was there before was kept",
    exits: fileExits,
    refusedInsidePass: true,
    showsPhases: false,
  },
  {
    name: "run",
    summary: "does one pass: a model proposes, the runner checks and decides",
    usage: "[--task-dir FOLDER | --tasks-root FOLDER] [flags]",
    examples: [
      "--task-dir tasks/T-123-stream-csv",
      "--tasks-root tasks --model claude --timeout 20m",
      "--task-dir tasks/T-123-stream-csv --dry-run",
    ],
    flags: [
      taskDir,
      { ...tasksRoot, help: "take the next runnable task of this folder" },
      ...passFlags,
      ...sharedFlags,
    ],
    okMeaning: "the pass was accepted or redirected, or there is nothing left to do",
    exits: runExits,
    refusedInsidePass: true,
    showsPhases: true,
  },
  {
    name: "loop",
    summary: "repeats passes until something stops it, and says what; made for cron",
    usage: "[--task-dir FOLDER | --tasks-root FOLDER] [flags]",
    examples: [
      "--task-dir tasks/T-123-stream-csv",
      "--tasks-root tasks --max-passes 20 --max-seconds 3600",
      "--tasks-root tasks --branch work/overnight --models claude,codex",
    ],
    flags: [
      taskDir,
      { ...tasksRoot, help: "work on every task of this folder, the next runnable one at a time" },
      ...passFlags,
      { name: "max-passes", type: "integer", label: "NUMBER", help: "passes of this call; then exit 3" },
      { name: "max-iterations", type: "integer", label: "NUMBER", help: "the same as --max-passes" },
      {
        name: "max-seconds",
        type: "integer",
        label: "NUMBER",
        help: "no pass begins later than this after the start; then exit 2",
      },
      {
        name: "branch",
        type: "text",
        label: "NAME",
        help: "switch the repo to this branch first, or make it; refused on uncommitted changes",
      },
      ...sharedFlags,
    ],
    okMeaning: "the task, or every task, is done",
    exits: runExits,
    refusedInsidePass: true,
    showsPhases: true,
  },
  {
    name: "status",
    summary: "says where each task stands, what it has spent, and why nothing runs",
    usage: "[--task-dir FOLDER | --tasks-root FOLDER] [flags]",
    examples: ["--task-dir tasks/T-123-stream-csv", "--tasks-root tasks --json"],
    flags: [taskDir, tasksRoot, ...sharedFlags],
    okMeaning: "every task could be read",
    exits: fileExits,
    refusedInsidePass: false,
    showsPhases: false,
  },
  {
    name: "check",
    summary: "judges task files and journal, decides every verdict again, changes nothing",
    usage: "[--task-dir FOLDER | --tasks-root FOLDER] [flags]",
    examples: ["--task-dir tasks/T-123-stream-csv", "--tasks-root tasks"],
    flags: [
      taskDir,
      tasksRoot,
      { name: "repo", type: "text", label: "FOLDER", help: "the working tree; wins over the brief's repo" },
      ...sharedFlags,
    ],
    okMeaning: "nothing is wrong",
    exits: ["ok", "failure", "rejected", "usage", "data", "config"],
    refusedInsidePass: false,
    showsPhases: false,
  },
  {
    name: "evidence",
    summary: "rebuilds evidence.html, the runner's parts of EVIDENCE.md and the links",
    usage: "[--task-dir FOLDER] [flags]",
    examples: ["--task-dir tasks/T-123-stream-csv"],
    flags: [taskDir, ...sharedFlags],
    okMeaning: "the evidence is up to date",
    exits: [...fileExits.slice(0, -1), "locked", "config"],
    refusedInsidePass: true,
    showsPhases: false,
  },
  {
    name: "resume",
    summary: "reopens a task that is done, blocked or waits for a decision",
    usage: "--task-dir FOLDER --to PHASE --reason TEXT [flags]",
    examples: ["--task-dir tasks/T-123 --to implement --reason 'the key is there'"],
    flags: [
      taskDir,
      { name: "repo", type: "text", label: "FOLDER", help: "the working tree; wins over the brief's repo" },
      { name: "to", type: "text", label: "PHASE", help: "the working phase to go on in; from done only intake" },
      { name: "reason", type: "text", label: "TEXT", help: "why; it stands in the journal" },
      ...sharedFlags,
    ],
    okMeaning: "the task is open again",
    exits: ["ok", "failure", "rejected", "usage", "data", "locked", "config"],
    refusedInsidePass: true,
    showsPhases: true,
  },
  {
    name: "cancel",
    summary: "stops the runner of a task: writes ABORT, waits, then ends its processes",
    usage: "[--task-dir FOLDER] [flags]",
    examples: ["--task-dir tasks/T-123-stream-csv", "--task-dir tasks/T-123 --timeout 5s"],
    flags: [
      taskDir,
      {
        name: "timeout",
        type: "duration",
        label: "DURATION",
        help: "how long the runner may take to obey ABORT; default: control.poll and 15s",
      },
      ...sharedFlags,
    ],
    okMeaning: "nothing runs on the task any more",
    exits: ["ok", "failure", "usage", "locked"],
    refusedInsidePass: true,
    showsPhases: false,
  },
  {
    name: "doctor",
    summary: "finds the agent CLIs and what else a pass needs; nothing is charged",
    usage: "[flags]",
    examples: ["--json", "--config tasks/task-phase.yaml"],
    flags: [...sharedFlags],
    okMeaning: "the report could be made; what is wrong stands in it as warnings",
    exits: ["ok", "failure", "usage", "config", "sighup", "sigint", "sigterm"],
    refusedInsidePass: false,
    showsPhases: false,
  },
  {
    name: "probe",
    summary: "asks each model for one word: answers, hangs, wants a login, is limited?",
    usage: "[--model NAME] [flags]",
    examples: ["--model claude", "--timeout 2m --json"],
    flags: [
      {
        name: "model",
        type: "text",
        label: "NAME",
        help: "only this model of task-phase.yaml, or this agent CLI; default: every model, else every agent CLI on PATH",
      },
      { name: "timeout", type: "duration", label: "DURATION", help: "the time of each model; default: 60s" },
      ...sharedFlags,
    ],
    okMeaning: "every model that was asked answered",
    exits: ["ok", "failure", "unavailable", "usage", "config", "sighup", "sigint", "sigterm"],
    refusedInsidePass: true,
    showsPhases: false,
  },
  {
    name: "import",
    summary: "makes task folders from a prd.json, a PROMPT.md or the file of a Ralph loop",
    usage: "--from FILE --tasks-root FOLDER [flags]",
    examples: [
      "--from prd.json --tasks-root tasks --validator 'tests=npm test'",
      "--from .claude/ralph-loop.local.md --tasks-root tasks",
      "--from PROMPT.md --tasks-root tasks --id T-7 --title 'Stream the CSV export'",
    ],
    flags: [
      { name: "from", type: "text", label: "FILE", help: "the file to read; a .json is read as a prd.json" },
      { ...tasksRoot, help: "the folder that is to hold the task folders; made where it is missing" },
      { name: "id", type: "text", label: "ID", help: "for a prompt: the task's id; default: made from its title" },
      {
        name: "title",
        type: "text",
        label: "TEXT",
        help: "for a prompt: the title; default: its first heading or words",
      },
      {
        name: "repo",
        type: "text",
        label: "FOLDER",
        help: "the working tree; default: the git top level around the task folder",
      },
      {
        name: "validator",
        type: "text",
        label: "'NAME=COMMAND'",
        help: "a command that must exit 0, for each task; default: the prd.json's verificationCommands",
        repeatable: true,
      },
      { name: "dry-run", type: "switch", help: "judge everything, say what would be made, write nothing" },
      ...sharedFlags,
    ],
    okMeaning: "each story or prompt has its task folder; one that was there was kept as it was",
    exits: ["ok", "failure", "usage", "data", "locked", "config"],
    refusedInsidePass: true,
    showsPhases: false,
  },
  {
    name: "export",
    summary: "writes a prd.json in which passes is true only for what is proven to be done",
    usage: "--tasks-root FOLDER --to FILE [flags]",
    examples: ["--tasks-root tasks --to prd.json", "--tasks-root tasks --from prd.json --to out/prd.json"],
    flags: [
      tasksRoot,
      {
        name: "to",
        type: "text",
        label: "FILE",
        help: "the prd.json to write; one that is there keeps all but passes and notes",
      },
      { name: "from", type: "text", label: "FILE", help: "start from this prd.json instead of from the one at --to" },
      ...sharedFlags,
    ],
    okMeaning: "the file says what the journals say",
    exits: ["ok", "failure", "usage", "data", "config"],
    refusedInsidePass: false,
    showsPhases: false,
  },
] as const satisfies readonly CommandSpec[];

export type CommandName = (typeof commandTable)[number]["name"];
export type FlagName = (typeof commandTable)[number]["flags"][number]["name"];

/** The bodies, imported when they are called: imports are most of a short command's cost. */
export const commandBodies: Readonly<Record<CommandName, () => Promise<RunCommand>>> = {
  init: async () => (await import("./init.ts")).runCommand,
  run: async () => (await import("./run.ts")).runCommand,
  loop: async () => (await import("./loop.ts")).runCommand,
  status: async () => (await import("./status.ts")).runCommand,
  check: async () => (await import("./check.ts")).runCommand,
  evidence: async () => (await import("./evidence.ts")).runCommand,
  resume: async () => (await import("./resume.ts")).runCommand,
  cancel: async () => (await import("./cancel.ts")).runCommand,
  doctor: async () => (await import("./doctor.ts")).runCommand,
  probe: async () => (await import("./probe.ts")).runCommand,
  import: async () => (await import("./import.ts")).runCommand,
  export: async () => (await import("./export.ts")).runCommand,
};

export function findCommand(name: string): (CommandSpec & { readonly name: CommandName }) | null {
  return commandTable.find((command) => command.name === name) ?? null;
}
