import { mkdirSync, symlinkSync } from "node:fs";
import { openTexts } from "../texts.ts";
import { type BadInput, everywhere, only, testTable } from "./bad-input-table.ts";
import { type BadWorld, goodCheck } from "./bad-input-world.ts";
import { briefFile } from "./brief-file.ts";

const expectText = openTexts("cli/bad-input-surroundings");

const readme = "repo/tasks/T-1/README.md";
const runs = ["dry", "dry root", "run", "run root"] as const;
/** The good brief with these keys in the place of its repo; its check stays unless they bring one. */
const brief = (yaml: string) => (world: BadWorld) => {
  const check = yaml.includes("validators:") ? [] : [goodCheck];
  world.put("README.md", briefFile(["id: T-1", "title: One task", yaml, ...check], "One task"));
};
const otherTask = (world: BadWorld, id: string, yaml: string) => {
  world.put(`../${id}/README.md`, `---\nid: ${id}\ntitle: Other\n${yaml}\n---\n`);
  world.put(`../${id}/STATE.md`, world.read("STATE.md"));
};
/** What a run that refuses a task leaves, so that a reader from afar sees why. */
const notes = /T-1\/(log|last_error)\.txt$|^state\//;
const refuses = { run: notes, "run root": notes };
/** A task without a journal gets one with the event that adopts it, and a copy of its brief, and pages that show it; STATE.md stays. */
const adopts =
  /journal\.jsonl$|^state\/|artifacts\/passes(\/briefs(\/\w+\.md)?)?$|EVIDENCE\.md$|artifacts\/evidence\.html$/;

testTable(expectText, "a repo that cannot be worked on", [
  {
    name: "no git and no repo key",
    spoil: (world) => {
      world.clear("/repo/.git");
      brief("priority: 1")(world);
    },
    expect: only([...runs, "resume"], `78 TP_NO_REPO ${readme}`),
  },
  {
    name: "a repo that is missing",
    spoil: brief("repo: ../nowhere"),
    expect: only([...runs, "resume"], `78 TP_REPO ${readme}`),
  },
  {
    name: "a repo that is a file",
    spoil: brief("repo: README.md"),
    expect: only(runs, `78 TP_REPO ${readme}`),
  },
  {
    name: "a repo that is the task folder",
    spoil: brief("repo: ."),
    expect: only(runs, "78 TP_REPO repo/tasks/T-1"),
  },
  {
    name: "another loop is at work there",
    spoil: (world) => world.put("/repo/.claude/ralph-loop.local.md", "---\nactive: true\n---\n\nGo on.\n"),
    expect: only(runs, "75 TP_OTHER_LOOP repo/.claude/ralph-loop.local.md"),
  },
]);

testTable(expectText, "something that does not exist to be called", [
  {
    name: "the executable of a validator",
    spoil: brief("repo: ../..\nvalidators: [{ name: tests, command: [no-such-program] }]"),
    expect: only(runs, `78 TP_CHECK_MISSING ${readme}`),
    writes: refuses,
  },
  {
    name: "the executable of a scenario, by a path",
    spoil: brief("repo: ../..\nscenarios: [{ name: trip, command: [./no/such] }]"),
    expect: only(runs, `78 TP_CHECK_MISSING ${readme}`),
    writes: refuses,
  },
  {
    name: "no model",
    spoil: (world) => world.put("/repo/tasks/task-phase.yaml", "models: []\n"),
    expect: only(runs, "24"),
    writes: { run: adopts, "run root": adopts },
  },
  {
    name: "the program of the model",
    spoil: (world) =>
      world.put("/repo/tasks/task-phase.yaml", "models: [{ name: a, adapter: command, command: [./gone.sh] }]\n"),
    expect: only(runs, "24"),
    writes: { run: adopts, "run root": adopts },
  },
  {
    name: "the recordings of the model",
    spoil: (world) =>
      world.put("/repo/tasks/task-phase.yaml", "models: [{ name: a, adapter: replay, recordings: gone }]\n"),
    expect: only(runs, "24"),
    writes: { run: adopts, "run root": adopts },
  },
]);

testTable(expectText, "tasks that need each other", [
  {
    name: "an unknown one",
    spoil: (world) => {
      brief("repo: ../..\ndepends_on: [T-21]")(world);
      otherTask(world, "T-2", "");
    },
    expect: everywhere(`78 TP_DEPENDENCY_UNKNOWN ${readme}`, {
      evidence: null,
      resume: null,
      init: null,
      "dry root": null,
      "run root": null,
    }),
    writes: refuses,
  },
  {
    name: "a circle",
    spoil: (world) => {
      brief("repo: ../..\ndepends_on: [T-2]")(world);
      otherTask(world, "T-2", "depends_on: [T-1]");
    },
    expect: everywhere(`78 TP_DEPENDENCY_CYCLE ${readme}`, { evidence: null, resume: null, init: null }),
    writes: refuses,
  },
  {
    name: "twenty steps of two that share what they need take no time",
    spoil: (world) => {
      const step = (n: number) => `depends_on: [L-${n + 1}, R-${n + 1}]`;
      brief(`repo: ../..\n${step(0)}`)(world);
      for (let n = 1; n <= 20; n += 1)
        for (const side of ["L", "R"]) otherTask(world, `${side}-${n}`, n === 20 ? "" : step(n));
    },
    expect: { dry: "21" },
  },
]);

const state = (
  name: string,
  home: (world: BadWorld) => string,
  spoil: (world: BadWorld) => void,
  expect: BadInput["expect"],
): BadInput => ({
  name,
  env: (world) => ({ XDG_STATE_HOME: home(world) }),
  spoil,
  expect,
});

testTable(expectText, "a state folder that cannot be used", [
  state(
    "inside the repo",
    (world) => world.path("repo", "state"),
    () => {},
    only([...runs, "resume"], "78 TP_STATE_HOME"),
  ),
  state(
    "inside the tasks root",
    (world) => world.path("repo", "tasks", "state"),
    () => {},
    only(["run", "evidence", "resume"], "78 TP_STATE_HOME"),
  ),
  state(
    "a file",
    (world) => world.path("file"),
    (world) => world.put("/file", "x"),
    only(["run", "evidence", "resume"], "1 TP_DISK"),
  ),
  state(
    "below what no folder can be made in",
    () => "/proc/none",
    () => {},
    only(["run", "evidence", "resume"], "1 TP_DISK"),
  ),
  state(
    "a link into the repo",
    (world) => world.path("linked"),
    (world) => {
      mkdirSync(world.path("repo", "inside"));
      symlinkSync(world.path("repo", "inside"), world.path("linked"));
    },
    only(["dry", "run", "resume"], "78 TP_STATE_HOME"),
  ),
]);
