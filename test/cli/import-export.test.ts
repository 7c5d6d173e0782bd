import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { readBrief } from "../../lib/documents/brief.ts";
import { readState } from "../../lib/documents/state.ts";
import { readSteps } from "../../lib/documents/steps.ts";
import { tryLock } from "../../lib/store/lock.ts";
import { findStrangeTasks } from "../../lib/task/guard/new-tasks.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { loopFile, needsPrd, plainPrd } from "../scaffold/interchange/samples.ts";
import { makeWorld, type RunEnd, type World } from "./arrange.ts";
import { fieldOf } from "./task-states.ts";

const importPrd = (world: World, ...args: readonly string[]) =>
  world.call("task-phase", ["import", "--from", "prd.json", "--tasks-root", "tasks", ...args]);
const exportPrd = (world: World, ...args: readonly string[]) =>
  world.call("task-phase", ["export", "--tasks-root", "tasks", "--to", "prd.json", ...args]);

const taskFiles = ["EVIDENCE.md", "README.md", "STATE.md", "artifacts", "last_error.txt", "log.txt", "progress.txt"];
const withSteps = [...taskFiles.slice(0, 3), "TASKS.md", ...taskFiles.slice(3)];
const first = "tasks/US-001-store-the-month-with-each-booking";
const second = "tasks/US-002-show-sums-by-month";

/** A world with this file, and a task-phase.yaml so that none is made. */
function makePrdWorld(t: TestContext, prd: string, file = "prd.json"): World {
  const world = makeWorld(t);
  world.write(file, prd);
  world.write("tasks/task-phase.yaml", "models: []\n");
  return world;
}

describe("the tasks root of import and export", () => {
  test("without --tasks-root it is the nearest one, as for other commands", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    mkdirSync(world.path("src"));
    const made = await world.call("task-phase", ["import", "--from", "../prd.json", "--json"], { cwd: "src" });
    assert.equal(made.json().tasks_root, world.path("tasks"));
    const end = await world.call("task-phase", ["export", "--to", "../new.json"], { cwd: "src" });
    assert.equal(end.code, 0, end.stderr);
    assert.match(world.read("new.json"), /"US-001"/);
  });

  test("import makes the first one where init does: tasks at the top of the repo, else here", async (t) => {
    const world = makeWorld(t);
    world.initRepo({ "prd.json": plainPrd, "src/a.js": "" });
    world.write("bare/prd.json", plainPrd);
    for (const [cwd, file, root] of [
      ["repo/src", "../prd.json", "repo/tasks"],
      ["bare", "prd.json", "bare/tasks"],
    ] as const) {
      const end = await world.call("task-phase", ["import", "--from", file, "--json"], { cwd });
      assert.equal(end.json().tasks_root, world.path(root));
    }
  });

  test("import finds the repo's test command from where the person stands, in git and outside of it", async (t) => {
    const world = makeWorld(t);
    const script = JSON.stringify({ scripts: { test: "node --test" } });
    world.initRepo({ "package.json": '{"workspaces":["packages/*"]}', "packages/a/package.json": script });
    world.write("repo/PROMPT.md", "Do it. At the end print <promise>ALL DONE</promise>.\n");
    world.write("plain/package.json", script);
    world.write("plain/prd.json", plainPrd);
    const inPackage = ["import", "--from", "../../PROMPT.md", "--id", "T-1", "--title", "x"];
    const end = await world.call("task-phase", inPackage, { cwd: "repo/packages/a" });
    assert.match(
      end.stderr,
      /^tests: npm test --workspace packages\/a \(in packages\/a, package\.json has a test script\)$/m,
    );
    assert.doesNotMatch(end.stderr, /TP_NO_CHECK|TP_CHECK_TROUBLE/);
    const brief = world.read("repo/tasks/T-1-x/README.md");
    assert.match(brief, /- \{ name: tests, command: \[npm, test, "--workspace", "?packages\/a"?\] \}\n/);
    assert.match(brief, /^completion_promise: "?ALL DONE"?$/m);
    const plain = await world.call("task-phase", ["import", "--from", "prd.json"], { cwd: "plain" });
    assert.doesNotMatch(plain.stderr, /TP_NO_CHECK/);
    assert.match(world.read(`plain/${first}/README.md`), /^repo: "\.\.\/\.\."/m);
  });

  test("export removes what an export left that was killed a day ago, beside its file", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    await importPrd(world);
    const [old, fresh] = [".tp-0123456789abcdef.tmp", ".tp-fedcba9876543210.tmp"].map((name) => world.write(name, "{"));
    utimesSync(old ?? "", 0, 0);
    assert.equal((await exportPrd(world)).code, 0);
    assert.deepEqual([existsSync(old ?? ""), existsSync(fresh ?? "")], [false, true]);
  });

  test("export finds none where there is none", async (t) => {
    const world = makeWorld(t);
    const end = await world.call("task-phase", ["export", "--to", "new.json"]);
    assert.deepEqual([end.code, world.exists("new.json")], [64, false]);
    assert.match(end.stderr, /there is no tasks root here or above/);
  });
});

/** No validator was named, so the first run would refuse. */
const noCheck = ["warning", "TP_NO_CHECK"];

describe("import of a prd.json", () => {
  test("makes a task folder a story, with what the story says", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    const end = await importPrd(world, "--validator", "tests=npm test", "--json");
    assert.deepEqual(end.json(), {
      command: "import",
      exit_code: 0,
      exit_name: "ok",
      findings: [],
      from: world.path("prd.json"),
      form: "prd.json",
      tasks_root: world.path("tasks"),
      dry_run: false,
      tasks: [
        { id: "US-001", folder: world.path(first), made: true },
        { id: "US-002", folder: world.path(second), made: true },
      ],
      config: { path: world.path("tasks/task-phase.yaml"), made: false },
    });
    assert.deepEqual(readdirSync(world.path(first)).sort(), withSteps);
    // A pass of another task that is under way takes none of them for a task that its model made.
    const ports = { env: world.env, home: world.path("home") };
    assert.deepEqual(findStrangeTasks(placeOf(world.path("tasks/T-9")), new Set(), ports), []);
    assert.deepEqual(contractOf(world, first), ["US-001", "Store the month with each booking", -1, [], ["tests"]]);
    assert.deepEqual(contractOf(world, second), ["US-002", "Show sums by month", -2, [], ["tests"]]);
    assert.deepEqual(stepsOf(world, first), [
      { text: "Add month column to bookings: 'YYYY-MM' | null (default null)", done: false },
      { text: "Run npm run migrate on a copy of the data", done: false },
      { text: "Typecheck passes", done: false },
    ]);
    const state = world.read(`${first}/STATE.md`);
    assert.deepEqual(
      ["Phase", "Objective", "Done gate"].map((label) => fieldOf(state, label)),
      [
        "intake",
        "Store the month with each booking",
        "Add month column to bookings: 'YYYY-MM' | null (default null); Run `npm run migrate` on a copy of the data; Typecheck passes",
      ],
    );
    const body = world.read(`${second}/README.md`).split("\n---\n")[1] ?? "";
    assert.equal(
      body,
      [
        "",
        "# Show sums by month",
        "",
        "<!-- task-phase:imported -->",
        "",
        "## What I want",
        "",
        "As a bookkeeper, I want to see sums by month.",
        "",
        "## How I will know that it is done",
        "",
        "Every item of [TASKS.md](TASKS.md) is met: they are the acceptance criteria.",
        "",
        "## What to know",
        "",
        "- This is story US-002 of prd.json.",
        "- Project: Ledger: Monthly report - Sums by month and account",
        "- Branch: ralph/monthly-report",
        "- Notes: Mind the time zone: überall UTC",
        "",
      ].join("\n"),
    );
  });

  test("dependencies are kept, and a claim of passes is no proof", async (t) => {
    const world = makePrdWorld(t, needsPrd);
    const end = await importPrd(world, "--json");
    assert.deepEqual(codes(end), [["warning", "TP_IMPORT_CLAIMED"], noCheck]);
    const folder = "tasks/RM-1-render-the-report-as-html";
    assert.deepEqual(contractOf(world, folder), ["RM-1", "Render the report as HTML", -1, [], []]);
    assert.equal(fieldOf(world.read(`${folder}/STATE.md`), "Phase"), "intake");
    assert.match(world.read(`${folder}/README.md`), /^- The file says `passes: true`\. That has not been proven here/m);
    const other = "tasks/RM-2-send-it-on-the-first-of-the-month";
    assert.deepEqual(contractOf(world, other).slice(2), [-1, ["RM-1"], []]);
    assert.match(world.read(`${other}/README.md`), /## What I want\n\nSend it on the first of the month\n/);
  });

  test("a second import keeps what is there and changes nothing", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    await importPrd(world);
    world.write(`${first}/README.md`, world.read(`${first}/README.md`).replace("sums are quick", "sums are right"));
    const before = snapshot(world.path("tasks"));
    const end = await importPrd(world, "--json", "--dry-run");
    assert.deepEqual(codes(end), [["info", "TP_IMPORT_DIFFERS"]]);
    const again = await importPrd(world);
    assert.deepEqual([again.code, again.stdout], [0, ""]);
    assert.deepEqual(again.stderr.split("\n").slice(2, 4), [`kept ${first}  US-001`, `kept ${second}  US-002`]);
    assert.deepEqual(snapshot(world.path("tasks")), before);
  });

  test("a story that was added later is made beside those that are kept, also where titles have changed", async (t) => {
    const world = makePrdWorld(t, needsPrd);
    await importPrd(world);
    const added =
      '{ "id": "RM-3", "title": "Log it", "passes": false, "dependsOn": ["RM-2"] },\n    {\n      "id": "RM-1"';
    world.write("prd.json", needsPrd.replace('{\n      "id": "RM-1"', added).replace("as HTML", "as a page"));
    const end = await importPrd(world, "--json");
    assert.deepEqual(
      [end.code, codes(end), (end.json().tasks as { made: boolean }[]).map(({ made }) => made)],
      [0, [noCheck], [true, false, false]],
    );
    assert.deepEqual(contractOf(world, "tasks/RM-3-log-it"), ["RM-3", "Log it", -2, ["RM-2"], []]);
  });

  test("--dry-run judges everything and writes nothing", async (t) => {
    const world = makeWorld(t);
    world.write("prd.json", plainPrd);
    const end = await importPrd(world, "--dry-run");
    assert.deepEqual([end.code, end.stdout], [0, ""]);
    assert.equal(end.stderr, `would make ${first}  US-001\nwould make ${second}  US-002\n`);
    assert.deepEqual([world.exists("tasks"), world.exists("state")], [false, false]);
  });

  test("where there is no task-phase.yaml, one is made as init makes it", async (t) => {
    const world = makeWorld(t);
    world.write("prd.json", plainPrd);
    const end = await world.call("task-phase", ["import", "--from", "prd.json", "--tasks-root", "new/tasks"], {
      env: { PATH: world.path("nowhere") },
    });
    assert.equal(end.stdout, `${world.path("new", first)}\n${world.path("new", second)}\n`);
    assert.match(
      end.stderr,
      /made new\/tasks\/task-phase\.yaml\nnext: read the briefs, say in them which command checks each, name a model in new\/tasks\/task-phase\.yaml, then: task-phase run --tasks-root new\/tasks\n$/,
    );
    assert.match(world.read("new/tasks/task-phase.yaml"), /^# ?models|^models/m);
  });

  test("command lines of the file become validators where none are given, and one that needs a shell is said", async (t) => {
    const commands =
      '"verificationCommands": { "tests": "npm test", "all": "npm run a && npm run b", "a=b": "x" },\n  "userStories"';
    const world = makePrdWorld(t, plainPrd.replace('"userStories"', commands));
    const end = await importPrd(world, "--json");
    assert.deepEqual(codes(end), [
      ["warning", "TP_IMPORT_CHECK_LEFT_OUT"],
      ["warning", "TP_IMPORT_CHECK_LEFT_OUT"],
    ]);
    assert.deepEqual(contractOf(world, first).at(-1), ["tests"]);
  });

  test("imported tasks are accepted by check and by run --dry-run", async (t) => {
    const world = makePrdWorld(t, needsPrd);
    world.initRepo({ "good.txt": "good\n" });
    world.write("tasks/task-phase.yaml", "models: [{ name: mine, adapter: command, command: [cat] }]\n");
    await importPrd(world, "--repo", "repo", "--validator", "tests=test -f good.txt");
    const check = await world.call("task-phase", ["check", "--tasks-root", "tasks"]);
    assert.deepEqual([check.code, check.stderr], [0, ""]);
    const run = await world.call("task-phase", ["run", "--tasks-root", "tasks", "--dry-run", "--json"]);
    assert.deepEqual([run.code, run.json().task, run.json().from], [0, "RM-1", "implement"]);
  });

  test("it is refused inside a pass, and while another import is at work", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    const args = ["import", "--from", "prd.json", "--tasks-root", "tasks", "--json"];
    const inside = await world.call("task-phase", args, { env: { TASK_PHASE_PASS: "1" } });
    assert.deepEqual([inside.code, codes(inside)], [64, [["error", "TP_USAGE_INSIDE_PASS"]]]);
    mkdirSync(world.path("tasks/.task-phase/locks"), { recursive: true });
    const lock = tryLock(world.path("tasks/.task-phase/locks/.import.lock"));
    t.after(() => lock?.release());
    const beside = await world.call("task-phase", args);
    assert.deepEqual([beside.code, codes(beside)], [75, [["error", "TP_LOCKED"]]]);
    assert.deepEqual(readdirSync(world.path("tasks")).sort(), [".task-phase", "task-phase.yaml"]);
  });

  test("an id that belongs to a task of somebody's own, and a folder that is no task, stop everything", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    await world.call("task-phase", ["init", "--task-dir", "tasks/US-002-mine", "--title", "Mine"]);
    world.write(`${first}/notes.txt`, "mine\n");
    const before = snapshot(world.path("tasks"));
    const end = await importPrd(world, "--json");
    assert.deepEqual(
      [end.code, codes(end)],
      [
        78,
        [
          ["error", "TP_IMPORT_IN_THE_WAY"],
          ["error", "TP_IMPORT_ID_TAKEN"],
        ],
      ],
    );
    assert.deepEqual(snapshot(world.path("tasks")), before);
  });
});

describe("import of a prompt", () => {
  test("the file of a loop brings its prompt, its cap and its promise, and is said to be active", async (t) => {
    const world = makePrdWorld(t, loopFile, ".claude/ralph-loop.local.md");
    const args = ["import", "--from", ".claude/ralph-loop.local.md", "--tasks-root", "tasks", "--json"];
    const end = await world.call("task-phase", args);
    const folder = "tasks/stream-the-csv-export";
    assert.deepEqual(
      [end.code, end.json().form, codes(end)],
      [0, "ralph-loop", [["warning", "TP_LOOP_ACTIVE"], noCheck]],
    );
    const brief = readBrief(readFileSync(world.path(folder, "README.md")), "README.md");
    assert(brief.kind === "brief");
    assert.deepEqual(
      [
        brief.contract.id,
        brief.contract.title,
        brief.contract.budget.passes,
        brief.contract.completionPromise,
        brief.body,
      ],
      [
        "stream-the-csv-export",
        "Stream the CSV export",
        20,
        "ALL GREEN",
        "<!-- task-phase:imported -->\n\n# Stream the CSV export\n\nWrite rows as they come. Stop when `npm test` passes.",
      ],
    );
    assert.deepEqual(readdirSync(world.path(folder)).sort(), taskFiles);
    const again = await world.call("task-phase", args);
    assert.deepEqual([again.code, (again.json().tasks as { made: boolean }[])[0]?.made], [0, false]);
  });

  test("--id and --title are refused for a prd.json, and an id that no task can have for a prompt", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    world.write("PROMPT.md", "Fix it.\n");
    assert.deepEqual(codes(await importPrd(world, "--id", "T-1", "--json")), [["error", "TP_IMPORT_FLAGS"]]);
    const args = ["import", "--from", "PROMPT.md", "--tasks-root", "tasks", "--id", "a/b", "--json"];
    const end = await world.call("task-phase", args);
    assert.deepEqual([end.code, codes(end)], [64, [["error", "TP_INIT_BAD_ID"]]]);
  });
});

describe("import of what it cannot read", () => {
  const circle = '{ "userStories": [{ "id": "A", "title": "a", "passes": false, "dependsOn": ["A"] }] }';
  for (const [name, text, code, finding, place] of [
    ["a mistake in the JSON", '{\n  "userStories": [,]\n}', 65, "TP_SOURCE_JSON", "2:19"],
    ["a circle", circle, 78, "TP_DEPENDENCY_CYCLE", "1:76"],
  ] as const) {
    test(`${name}: exit ${code} and ${finding}, and nothing is written`, async (t) => {
      const world = makeWorld(t);
      world.write("prd.json", text);
      const end = await importPrd(world, "--json");
      const found = findingsOf(end);
      assert.deepEqual(
        [end.code, found.map((one) => [one.code, `${one.line}:${one.column}`, one.fix !== null])],
        [code, [[finding, place, true]]],
      );
      assert.equal(world.exists("tasks"), false);
    });
  }

  test("a file that does not exist, a folder, and a tasks root that is a file are usage errors or said", async (t) => {
    const world = makeWorld(t);
    world.write("prd.json", plainPrd);
    const call = async (...args: string[]) =>
      codes(await world.call("task-phase", ["import", ...args, "--json"])).flat();
    assert.deepEqual(await call("--from", "none.json", "--tasks-root", "tasks"), ["error", "TP_SOURCE_MISSING"]);
    assert.deepEqual(await call("--from", "home", "--tasks-root", "tasks"), ["error", "TP_SOURCE_UNREADABLE"]);
    assert.deepEqual(await call("--from", "prd.json", "--tasks-root", "prd.json"), ["error", "TP_TASKS_ROOT"]);
    assert.deepEqual(await call("--from", "prd.json", "--tasks-root", "prd.json/tasks"), ["error", "TP_TASKS_ROOT"]);
    assert.deepEqual(await call("--tasks-root", "tasks"), ["error", "TP_USAGE_NO_TARGET"]);
    const repo = await call("--from", "prd.json", "--tasks-root", "tasks", "--repo", "none");
    assert.deepEqual(repo, ["error", "TP_INIT_NO_REPO"]);
  });
});

describe("export of a prd.json", () => {
  for (const [name, prd] of [
    ["the plain form", plainPrd],
    [
      "the form with CRLF, a byte-order mark and tabs",
      `\uFEFF${plainPrd.replaceAll("  ", "\t").replaceAll("\n", "\r\n")}`,
    ],
  ] as const) {
    test(`${name} comes back byte for byte where no pass has run`, async (t) => {
      const world = makePrdWorld(t, prd);
      await importPrd(world);
      const end = await exportPrd(world, "--json");
      assert.deepEqual(
        [end.code, end.json().changed, end.json().base, codes(end)],
        [0, false, world.path("prd.json"), []],
      );
      await world.call("task-phase", ["export", "--tasks-root", "tasks", "--from", "prd.json", "--to", "new.json"]);
      assert.equal(world.read("new.json"), prd);
      assert.equal(world.read("prd.json"), prd);
    });
  }

  test("a story without a task does not pass, and tasks without a story are named", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    await importPrd(world);
    world.write("prd.json", needsPrd);
    const end = await exportPrd(world, "--json");
    assert.deepEqual(
      [end.code, codes(end), end.json().stories],
      [
        0,
        [
          ["warning", "TP_EXPORT_NOT_PROVEN"],
          ["warning", "TP_EXPORT_NO_TASK"],
          ["info", "TP_EXPORT_NO_STORY"],
        ],
        [
          { id: "RM-1", passes: false, claimed: true, task: false },
          { id: "RM-2", passes: false, claimed: false, task: false },
        ],
      ],
    );
    assert.match(world.read("prd.json"), /"notes": "\[task-phase\] no task folder has this id, so nothing proves it"/);
    const { findings } = end.json() as { findings: { code: string; fix: string | null }[] };
    assert.equal(
      findings.find(({ code }) => code === "TP_EXPORT_NO_TASK")?.fix,
      "task-phase import --from prd.json --tasks-root tasks makes their task folders",
    );
  });

  test("a file that is no prd.json is never written over, a link stays a link, and doubled ids are refused", async (t) => {
    const world = makePrdWorld(t, needsPrd);
    await importPrd(world);
    world.write("package.json", '{ "name": "x" }\n');
    const into = (file: string) =>
      world.call("task-phase", ["export", "--tasks-root", "tasks", "--from", "prd.json", "--to", file, "--json"]);
    const other = await into("package.json");
    assert.deepEqual([other.code, codes(other)], [65, [["error", "TP_PRD_SHAPE"]]]);
    assert.equal(world.read("package.json"), '{ "name": "x" }\n');
    world.write("real.json", needsPrd);
    symlinkSync("real.json", world.path("link.json"));
    await world.call("task-phase", ["export", "--tasks-root", "tasks", "--to", "link.json"]);
    assert.match(world.read("real.json"), /"passes": false,\n {6}"notes"/);
    await world.call("task-phase", ["init", "--task-dir", "tasks/other", "--id", "RM-9"]);
    world.write("tasks/other/README.md", world.read("tasks/other/README.md").replace("id: RM-9", "id: RM-1"));
    const doubled = await exportPrd(world, "--json");
    assert.deepEqual([doubled.code, codes(doubled)], [78, [["error", "TP_EXPORT_DOUBLE_ID"]]]);
    const missing = await world.call("task-phase", ["export", "--tasks-root", "none", "--to", "x.json", "--json"]);
    assert.deepEqual([missing.code, codes(missing)], [64, [["error", "TP_TASKS_ROOT"]]]);
  });

  test("passes becomes true for a task that real passes brought to done, and false again once STATE.md is edited", async (t) => {
    const world = makePrdWorld(t, plainPrd);
    world.initRepo({ "good.txt": "good\n" });
    const command = JSON.stringify([process.execPath, agentPath("ticks-its-list.mjs")]);
    world.write("tasks/task-phase.yaml", `models: [{ name: honest, adapter: command, command: ${command} }]\n`);
    await importPrd(world, "--repo", "repo", "--validator", "tests=test -f src/answer.mjs");
    for (let pass = 1; pass <= 5; pass += 1) {
      const run = await world.call("task-phase-run", ["--task-dir", first]);
      assert.equal(run.code, 0, run.stderr);
    }
    await exportPrd(world);
    const note = `[task-phase] done; pass 3 accepted: Done, but the checks only need the new code to be there: none of 2 wrong versions of it is noticed; evidence: ${first}/EVIDENCE.md`;
    const expected = plainPrd.replace(
      '"passes": false,\n      "notes": ""',
      `"passes": true,\n      "notes": "${note}"`,
    );
    assert.equal(world.read("prd.json"), expected);
    assert.equal((await exportPrd(world, "--json")).json().changed, false);

    world.write(`${first}/STATE.md`, `${world.read(`${first}/STATE.md`)}\nedited\n`);
    world.write(`${second}/README.md`, "no brief\n");
    const end = await exportPrd(world, "--json");
    assert.deepEqual(
      [end.code, codes(end)],
      [
        0,
        [
          ["warning", "TP_BRIEF_NO_CONTRACT"],
          ["warning", "TP_EXPORT_NOT_PROVEN"],
          ["warning", "TP_EXPORT_NO_TASK"],
        ],
      ],
    );
    const taken = expected.replace("true", "false").replace("done;", "done, but STATE.md was edited since;");
    assert.equal(world.read("prd.json"), taken);
  });
});

interface Found {
  readonly severity: string;
  readonly code: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly fix: string | null;
}

function findingsOf(end: RunEnd): Found[] {
  return end.json().findings as Found[];
}

function codes(end: RunEnd): [string, string][] {
  return findingsOf(end).map(({ severity, code }) => [severity, code]);
}

function contractOf(world: World, folder: string): unknown[] {
  const brief = readBrief(readFileSync(world.path(folder, "README.md")), "README.md");
  assert(brief.kind === "brief", JSON.stringify(brief));
  const { id, title, priority, dependsOn, validators } = brief.contract;
  assert.equal(readState(readFileSync(world.path(folder, "STATE.md")), "STATE.md").kind, "state");
  return [id, title, priority, dependsOn, validators.map(({ name }) => name)];
}

function stepsOf(world: World, folder: string): unknown {
  const read = readSteps(readFileSync(world.path(folder, "TASKS.md")), "TASKS.md");
  return read.kind === "steps" ? read.items : read;
}

/** Every file under a folder with its text and the time of its last change. */
function snapshot(folder: string): unknown[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => path.join(folder, name))
    .map((file) => (statSync(file).isFile() ? [file, statSync(file).mtimeMs, readFileSync(file, "utf8")] : [file]));
}
