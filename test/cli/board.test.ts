import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brokenLinks, renderLikeAHost } from "../pages/render-like-a-host.ts";
import { makeWorld, type World } from "./arrange.ts";
import { decisionsFile, stateFile } from "./task-states.ts";
import { adoptedJournal } from "./task-world.ts";

const noon = new Date("2026-11-20T12:00:00.000Z");
const later = (hours: number) => new Date(noon.getTime() + hours * 3_600_000);

const board = (world: World, now: Date = noon, ...args: string[]) =>
  world.call("task-phase", ["board", "--tasks-root", "tasks", "--json", ...args], { now });

const codesOf = (json: Record<string, unknown>) =>
  (json.findings as readonly { code: string; file: string | null }[]).map(({ code }) => code);

/** A task without a pass, taken over in this phase. */
function addTask(
  world: World,
  id: string,
  phase: Parameters<typeof stateFile>[0]["phase"] = "intake",
  lines = "",
  blockers = "no key",
): void {
  const readme = `---\nid: ${id}\ntitle: Work of ${id}\nrepo: ../..\n${lines}---\n\n# ${id}\n`;
  const state = stateFile({ phase, ...(phase === "blocked" ? { fields: { Blockers: blockers } } : {}) });
  world.write(`tasks/${id}/README.md`, readme);
  world.write(`tasks/${id}/STATE.md`, state);
  if (phase !== "intake") world.write(`tasks/${id}/artifacts/journal.jsonl`, adoptedJournal(state, readme));
  world.write(`tasks/${id}/EVIDENCE.md`, "# Evidence\n");
}

test("writes both files, says where they are, and its links lead somewhere", async (t) => {
  const world = makeWorld(t);
  addTask(world, "T-1", "blocked");
  addTask(world, "T-2", "implement", "depends_on: [T-1]\n");
  addTask(world, "T-3", "shape");
  world.write("tasks/T-3/DECISIONS.md", decisionsFile(""));
  const end = await board(world);
  assert.equal(end.code, 0, end.stderr);
  assert.deepEqual(end.json(), {
    command: "board",
    exit_code: 0,
    exit_name: "ok",
    board: { markdown: world.path("tasks/BOARD.md"), page: world.path("tasks/index.html") },
    tasks: 3,
    by_standing: { asks: 1, blocked: 1, waits: 1 },
    by_phase: { shape: 1, implement: 1, blocked: 1 },
    changed: true,
    findings: [],
  });
  const page = renderLikeAHost(world.read("tasks/BOARD.md"));
  assert.deepEqual(brokenLinks(page, world.path("tasks")), []);
  assert.deepEqual(
    page.links.filter(({ href }) => href.endsWith("STATE.md")).map(({ text }) => text),
    ["T-3: Work of T-3", "T-1: Work of T-1", "T-2: Work of T-2"],
  );
  assert.ok(page.html.includes("no key"));
  assert.match(world.read("tasks/index.html"), /Q1<\/a>: Which encoding\?<.*<code>task-phase answer T-3 Q1 TEXT</);
  assert.equal(world.read("tasks/index.html").includes(world.folder), false, "no folder of this machine");
  const people = await world.call("task-phase", ["board", "--tasks-root", "tasks"], { now: noon });
  assert.deepEqual(people.stdout.split("\n"), [world.path("tasks/BOARD.md"), world.path("tasks/index.html"), ""]);
  assert.match(people.stderr, /nothing has changed; the board is up to date: 3 tasks: 1 asks, 1 blocked, 1 waits/);
});

test("only the two files ever appear: what is not whole yet stands in .task-phase, where runs have made that", async (t) => {
  const world = makeWorld(t);
  addTask(world, "T-1");
  assert.equal((await board(world)).code, 0);
  assert.deepEqual(readdirSync(world.path("tasks")).sort(), ["BOARD.md", "T-1", "index.html"]);
  mkdirSync(world.path("tasks/.task-phase"));
  const seen = new Set<string | null>();
  const watcher = watch(world.path("tasks"), (_, name) => seen.add(name));
  t.after(() => watcher.close());
  world.write("tasks/T-1/STATE.md", stateFile({ phase: "shape" }));
  assert.equal((await board(world, later(30))).json().changed, true);
  while (!seen.has("index.html")) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([...seen].filter((name) => name !== ".task-phase").sort(), ["BOARD.md", "index.html"]);
  assert.deepEqual(readdirSync(world.path("tasks/.task-phase")), []);
});

test("a task that cannot be read is on the board, and the exit code is that of status", async (t) => {
  const world = makeWorld(t);
  addTask(world, "T-1", "implement", "depends_on: [T-9]\n");
  addTask(world, "T-2", "done");
  assert.deepEqual([(await board(world)).code, codesOf((await board(world)).json())], [78, ["TP_DEPENDENCY_UNKNOWN"]]);
  assert.match(world.read("tasks/BOARD.md"), / · cannot continue, implement\n.*T-1 depends on T-9/);
  world.write("tasks/T-2/artifacts/journal.jsonl", "{}\n");
  const end = await board(world, later(1));
  assert.equal(end.code, 65);
  assert.match(world.read("tasks/BOARD.md"), / · cannot be read$/m);
  assert.equal((await world.call("task-phase", ["status", "--tasks-root", "tasks"])).code, 65);
});

test("the command line is held: a root that is there, named, and never from inside a pass", async (t) => {
  const world = makeWorld(t);
  const call = async (args: string[], env: Record<string, string> = {}) => {
    const end = await world.call("task-phase", ["board", "--json", ...args], { env });
    return [end.code, codesOf(end.json())];
  };
  assert.deepEqual(await call([]), [64, ["TP_USAGE_NO_TARGET"]]);
  addTask(world, "T-1");
  assert.deepEqual(await call(["--tasks-root", "nowhere"]), [64, ["TP_TASKS_ROOT"]]);
  assert.deepEqual(await call(["--tasks-root", "tasks"], { TASK_PHASE_PASS: "1" }), [64, ["TP_USAGE_INSIDE_PASS"]]);
  assert.equal(existsSync(world.path("tasks/BOARD.md")), false);
});

test("evidence that the remote does not have yet is labelled so, and a commit of the board alone changes nothing", async (t) => {
  const world = makeWorld(t);
  addTask(world, "T-1");
  world.write("tasks/T-1/artifacts/evidence.html", "<p>evidence</p>\n");
  world.initRepo({}, ".");
  world.git(".", "remote", "add", "origin", "git@github.com:owner/name.git");
  assert.equal((await board(world)).code, 0);
  assert.match(
    world.read("tasks/BOARD.md"),
    /\[online\]\(https:\/\/github\.com\/owner\/name\/blob\/main\/tasks\/T-1\/EVIDENCE\.md\) \(not pushed yet\)/,
  );
  const pushed = () => world.git(".", "update-ref", "refs/remotes/origin/main", "HEAD");
  pushed();
  assert.equal((await board(world, later(1))).json().changed, true);
  assert.match(
    world.read("tasks/BOARD.md"),
    /\[online\]\(https:\/\/github\.com\/owner\/name\/blob\/[0-9a-f]{40}\/tasks\/T-1\/EVIDENCE\.md\)$/m,
  );
  world.git(".", "add", "--", "tasks");
  world.git(".", "commit", "--quiet", "--message=board");
  pushed();
  assert.equal((await board(world, later(2))).json().changed, false);
  assert.ok(existsSync(join(world.folder, "tasks/BOARD.md")));
});
