import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { execaSync } from "execa";
import { readRow } from "../../lib/process/proc-table.ts";
import { type BranchTask, type BranchWorld, makeBranchWorld } from "../cli/branch-world.ts";
import { until } from "../crash/crash-world.ts";

/** TASK_PHASE_LANDINGS=10 are 30 tasks with 20 conflicts: `npm run test:fleet`. */
const groups = Array.from({ length: Number(process.env.TASK_PHASE_LANDINGS ?? 2) }, (_, at) => at + 1);
const idOf = (kind: string) => (at: number) => `${kind}-${String(at).padStart(2, "0")}`;
// In the order of their names, as they land.
const [renaming, editing, using] = [idOf("A"), idOf("B"), idOf("C")] as const;

/** No mark of a conflict, no line twice, and whatever is used has a name. */
const wholeCheck = `! grep -rq '<<<<<<<' lines || exit 1
for file in lines/*; do test -z "$(sort "$file" | uniq -d)" || exit 1; done
for use in $(cat uses/* 2> /dev/null); do test -e "names/$use" || exit 1; done
`;

/** What an agent does in implement, and in repair, where it has what the others did. */
function doing(implement: string, repair: string): string[] {
  const line = `cd $TASK_PHASE_REPO; case $TASK_PHASE_PHASE in implement) ${implement} ;; repair) ${repair} ;; esac`;
  return Array.from({ length: 12 }, () => line);
}

/**
 * In each group one task renames what another one uses, both green alone, and writes the line that a third one writes too.
 * The first ones are two chains; the others are alone, in pairs, and at joints of two.
 */
function makeTasks(): Record<string, BranchTask> {
  const check = "validators: [{ name: tests, command: [sh, check.sh] }]";
  const task = (needs: readonly string[], plan: readonly string[]): BranchTask => ({
    contract: [check, `depends_on: [${needs.join(", ")}]`],
    plan,
  });
  const tasks: Record<string, BranchTask> = {};
  for (const at of groups) {
    const lines = (...words: string[]) => `printf '${words.join("\\n")}\\n' > lines/${at}`;
    const uses = (name: string) => `mkdir -p uses; echo ${name} > uses/${at}`;
    const both = lines("one", "two");
    const before = at % 5 === 1 ? [] : [renaming(at - 1)];
    tasks[renaming(at)] = task(before, doing(`mv names/${at} names/new-${at}; ${lines("one")}`, both));
    const joint = [using(at), using(at - 1)].slice(0, at % 4 === 0 ? 2 : at % 2);
    tasks[editing(at)] = task(joint, doing(lines("two"), both));
    tasks[using(at)] = task(at % 4 === 3 ? [using(at - 1)] : [], doing(uses(`${at}`), uses(`new-${at}`)));
  }
  return tasks;
}

test(`of ${groups.length * 3} tasks in chains and fans all land, and the target is green at each of its commits`, async (t) => {
  const world = makeBranchWorld(t, makeTasks(), "workspace: branch\n");
  world.write("repo/check.sh", wholeCheck);
  for (const at of groups) {
    world.write(`repo/lines/${at}`, "none\n");
    world.write(`repo/names/${at}`, "a name\n");
  }
  world.git("repo", "add", "check.sh", "lines", "names");
  world.git("repo", "commit", "-qm", "what the tasks are about");
  const begin = world.git("repo", "rev-parse", "HEAD").trim();
  for (let round = 1; !(await haveLanded(world)); round += 1) {
    assert.ok(round <= 8, `not landed: ${world.branches().join(" ")}`);
    await world.run("task-phase", ["loop", "--jobs", "4"], { cwd: "repo" });
    const { code, stderr } = await world.run("task-phase", ["land", "--all"], { cwd: "repo" });
    assert.ok(code === 0 || code === 20, stderr);
  }
  const tickets = ticketsOf(world);
  assert.deepEqual(
    tickets.filter(({ paths }) => paths.length > 0).map(({ task }) => task),
    groups.map(editing),
  );
  assert.deepEqual(
    tickets.filter(({ paths }) => paths.length === 0).map(({ task }) => task),
    groups.map(using),
  );
  assert.deepEqual(redCommits(world, begin), []);
  assert.match((await world.ends(0, "check", "--history")).stdout, /nothing is wrong/);
  assert.deepEqual(world.branches(), ["main"]);
  assert.equal(world.git("repo", "for-each-ref", "refs/task-phase"), "");
  assert.equal(world.git("repo", "status", "--porcelain"), "?? tasks/task-phase.yaml\n");
  for (const at of groups) assert.equal(world.read(`repo/lines/${at}`), "one\ntwo\n");
  assert.deepEqual(leftIn(world), []);
});

test("what the checks of a landing started ends, if the landing is killed", async (t) => {
  const check = "validators: [{ name: tests, command: [sh, check.sh] }]";
  const world = makeBranchWorld(t, { "T-1": { contract: [check] } }, "workspace: branch\n");
  const kill = 'sleep 1000 & echo $! > "$LAND.left"; echo $$ >> "$LAND.left"; kill -9 $(cat "$LAND"); wait';
  world.write("repo/check.sh", `if [ -n "$LAND" ]; then ${kill}; fi\n`);
  world.git("repo", "add", "check.sh");
  world.git("repo", "commit", "-qm", "what kills");
  assert.equal((await world.run("task-phase", ["loop"], { cwd: "repo" })).code, 0);
  const end = await world.run("task-phase", ["land", "T-1"], {
    cwd: "repo",
    env: { LAND: world.path("land") },
    onStart: ({ pid }) => void world.write("land", String(pid)),
  });
  assert.equal(end.signal, "SIGKILL", end.stderr);
  const left = world.read("land.left").trim().split("\n").map(Number);
  assert.equal(left.length, 2);
  await until(() => left.every((pid) => readRow(pid)?.ended !== false), "they end");
});

test("what a command of fleet.prepare started ends, if the runner is killed", async (t) => {
  const kill = 'sleep 1000 & echo $! > "$LEFT.left"; echo $$ >> "$LEFT.left"; kill -9 $(cat "$LEFT"); wait';
  const config = `workspace: branch\nfleet: { prepare: [[sh, -c, ${JSON.stringify(kill)}]] }\n`;
  const world = makeBranchWorld(t, { "T-1": {} }, config);
  const end = await world.run("task-phase", ["run", "--task-dir", "tasks/T-1"], {
    cwd: "repo",
    env: { LEFT: world.path("runner") },
    onStart: ({ pid }) => void world.write("runner", String(pid)),
  });
  assert.equal(end.signal, "SIGKILL", end.stderr);
  const left = world.read("runner.left").trim().split("\n").map(Number);
  assert.equal(left.length, 2);
  await until(() => left.every((pid) => readRow(pid)?.ended !== false), "they end");
});

async function haveLanded(world: BranchWorld): Promise<boolean> {
  const { tasks } = (await world.call("task-phase", ["status", "--json"], { cwd: "repo" })).json() as {
    tasks: { phase: string }[];
  };
  return world.branches().length === 1 && tasks.every(({ phase }) => phase === "done");
}

interface SentBack {
  readonly task: string;
  readonly paths: readonly string[];
}

/** What landings sent back, in the order of the tasks. */
function ticketsOf(world: BranchWorld): SentBack[] {
  return readdirSync(world.path("repo/tasks"))
    .filter((name) => /^[ABC]-/.test(name))
    .sort()
    .flatMap((task) =>
      world
        .read(`repo/tasks/${task}/artifacts/journal.jsonl`)
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { type: string; paths?: string[] })
        .filter(({ type }) => type === "not_merged")
        .map(({ paths = [] }) => ({ task, paths })),
    );
}

/** The commits of the target, as a person who pulls it gets them one by one, that fail its check. */
function redCommits(world: BranchWorld, begin: string): string[] {
  world.git(".", "clone", "-q", "repo", "pulled");
  const commits = world.git("repo", "rev-list", "--first-parent", `${begin}..main`).trim().split("\n");
  assert.ok(commits.length >= 3 * groups.length, `${commits.length} commits`);
  return commits.filter((commit) => {
    world.git("pulled", "checkout", "-q", commit);
    return !passes(world);
  });
}

function passes(world: BranchWorld): boolean {
  return execaSync("sh", ["check.sh"], { cwd: world.path("pulled"), reject: false }).exitCode === 0;
}

/** Working trees, and what is kept about branches that are gone. */
function leftIn(world: BranchWorld): string[] {
  const cache = world.path("home/.cache/task-phase");
  return ["clones", "land", "views", "pairs", "lost", "seen", "taken"]
    .filter((name) => existsSync(join(cache, name)))
    .flatMap((name) => readdirSync(join(cache, name)).flatMap((key) => readdirSync(join(cache, name, key))));
}
