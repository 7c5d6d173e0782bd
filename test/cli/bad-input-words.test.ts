import { mkdirSync, symlinkSync } from "node:fs";
import { openTexts } from "../texts.ts";
import { type BadInput, everywhere, only, testTable } from "./bad-input-table.ts";
import type { BadWorld, CallName } from "./bad-input-world.ts";

const expectText = openTexts("cli/bad-input-words");

const withTask = ["status", "check", "dry", "run", "evidence", "resume"] as const;
const withRoot = ["status root", "check root", "dry root", "run root"] as const;

/** The same as the task folder and as the tasks root. */
function target(name: string, at: string, spoil: (world: BadWorld) => void, init: string | null = null): BadInput[] {
  const found = (code: string) => `64 ${code} ${at}`;
  const named = (world: BadWorld) => world.path(at);
  return [
    {
      name: `--task-dir: ${name}`,
      spoil,
      taskDir: named,
      expect: { ...only(withTask, found("TP_TASK_DIR")), ...(init === null ? {} : { init }) },
    },
    { name: `--tasks-root: ${name}`, spoil, tasksRoot: named, expect: only(withRoot, found("TP_TASKS_ROOT")) },
  ];
}

const long = `${"x".repeat(300)}`;

testTable(expectText, "a target that is no folder", [
  ...target("a missing folder", "nowhere", () => {}),
  ...target("a file", "file", (world) => world.put("/file", "x"), "64 TP_INIT_NO_FOLDER file"),
  ...target("below a file", "file/below", (world) => world.put("/file", "x"), "64 TP_INIT_NO_FOLDER file"),
  ...target("a dangling link", "link", (world) => symlinkSync("gone", world.path("link")), "64 TP_INIT_NO_FOLDER link"),
  ...target("a ring of links", "ring", (world) => symlinkSync("ring", world.path("ring")), "64 TP_INIT_NO_FOLDER ring"),
  ...target("a name of 300 characters", long, () => {}, `1 TP_INIT_NO_FOLDER ${long}`),
  {
    name: "--task-dir: a folder that is no task gets no lock files beside it",
    spoil: (world) => void mkdirSync(world.path("repo/other/plain"), { recursive: true }),
    taskDir: (world) => world.path("repo/other/plain"),
    expect: only(withTask, "65 TP_TASK_FILE repo/other/plain/README.md"),
  },
  {
    name: "--tasks-root: a folder without tasks",
    spoil: (world) => void mkdirSync(world.path("plain")),
    tasksRoot: (world) => world.path("plain"),
    expect: only(withRoot, "0"),
  },
]);

const all = (code: string) => everywhere(`64 ${code}`);
const words = (name: string, more: readonly string[], names: readonly CallName[], code: string): BadInput => ({
  name: `${name}: ${more.join(" ")}`,
  more,
  expect: only(names, code),
});
const runs = ["run", "dry", "run root", "dry root"] as const;

testTable(expectText, "words that a command does not take", [
  {
    name: "an unknown flag",
    more: ["--timout", "5m"],
    expect: all("TP_USAGE_UNKNOWN_FLAG"),
  },
  {
    name: "a word too many",
    more: ["more", "yet"],
    expect: all("TP_USAGE_UNEXPECTED_ARGUMENT"),
  },
  {
    name: "a value for a switch",
    more: ["--quiet=yes"],
    expect: all("TP_USAGE_UNEXPECTED_VALUE"),
  },
  {
    name: "an empty value",
    more: ["--config="],
    expect: all("TP_USAGE_MISSING_VALUE"),
  },
  words("no duration", ["--timeout=junk"], runs, "64 TP_USAGE_BAD_VALUE"),
  words("an unknown model", ["--model", "mne"], runs, "64 TP_MODEL_UNKNOWN repo/tasks/task-phase.yaml"),
  words("models twice", ["--model", "mine", "--models", "mine"], runs, "64 TP_USAGE_TWO_MODELS"),
  words("a list without a model", ["--models", " , "], runs, "64 TP_USAGE_BAD_VALUE"),
  words("a repo that does not exist", ["--repo", "nowhere"], runs, "78 TP_REPO"),
  words(
    "two targets",
    ["--task-dir", "a", "--tasks-root", "b"],
    ["status", "check", "run", "dry"],
    "64 TP_USAGE_REPEATED_FLAG",
  ),
  words("a tasks root too", ["--tasks-root", "b"], ["status", "check", "run", "dry"], "64 TP_USAGE_TWO_TARGETS"),
  words("a second phase", ["--to", "done"], ["resume"], "64 TP_USAGE_REPEATED_FLAG"),
  words("a priority in words", ["--priority", "high"], ["init"], "64 TP_USAGE_BAD_VALUE"),
  words("an id with a slash", ["--id", "a/b"], ["init"], "64 TP_INIT_BAD_ID"),
  words("a validator without a command", ["--validator", "tests"], ["init"], "64 TP_INIT_BAD_VALIDATOR"),
  words("a validator for a shell", ["--validator", "tests=npm test | cat"], ["init"], "64 TP_INIT_BAD_VALIDATOR"),
  words("a repo that is no folder", ["--repo", "nowhere"], ["init"], "64 TP_INIT_NO_REPO nowhere"),
  {
    name: "inside a pass",
    env: () => ({ TASK_PHASE_PASS: "" }),
    expect: only(["run", "run root", "dry", "dry root", "evidence", "resume", "init"], "64 TP_USAGE_INSIDE_PASS"),
  },
  {
    name: "inside a pass, reading is free",
    env: () => ({ TASK_PHASE_PASS: "3" }),
    expect: only(["status", "check"], "0"),
  },
]);

const resume = (name: string, to: readonly string[], code: string): BadInput => ({
  name,
  resume: to,
  expect: { resume: code },
});

testTable(expectText, "words that resume does not take", [
  resume("done is the runner's", ["--to", "done", "--reason", "x"], "64 TP_USAGE_PHASE"),
  resume("a phase that does not exist", ["--to", "implment", "--reason", "x"], "64 TP_USAGE_PHASE"),
  resume("a phase of escapes", ["--to", "\u001b[31mx\ny", "--reason", "x"], "64 TP_USAGE_PHASE"),
  resume("an empty reason", ["--to", "shape", "--reason="], "64 TP_USAGE_MISSING_VALUE"),
  resume("a reason of spaces", ["--to", "shape", "--reason", "  "], "64 TP_USAGE_MISSING_FLAG"),
  resume("no reason", ["--to", "shape"], "64 TP_USAGE_MISSING_FLAG"),
  resume("no phase", ["--reason", "x"], "64 TP_USAGE_MISSING_FLAG"),
]);
