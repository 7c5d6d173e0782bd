import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { codesOf, type Fleet, type FleetOptions, makeFleet, validator } from "../fleet/fleet-world.ts";

interface Listed {
  readonly tasks: readonly {
    readonly task: string | null;
    readonly standing: string;
    readonly branch: { ref: string };
  }[];
  readonly findings: readonly { readonly severity: string; readonly code: string; readonly message: string }[];
}

/** `status --git` of the remote. */
async function status(fleet: Fleet, ...args: string[]): Promise<Listed> {
  const end = await fleet.call("task-phase", ["status", "--git", "remote.git", "--json", ...args]);
  return end.json() as unknown as Listed;
}

/** A commit of a person on a branch of the remote, which begins at main if it is new. */
function commitOn(fleet: Fleet, branch: string, files: Readonly<Record<string, string>>): void {
  if (!fleet.exists("person")) fleet.git(".", "clone", "-q", fleet.remote, "person");
  fleet.git("person", "switch", "-qC", branch, `origin/${branch === "stable" ? "main" : branch}`);
  for (const [name, content] of Object.entries(files)) fleet.write(`person/${name}`, content);
  fleet.git("person", "add", "-A");
  fleet.git("person", "commit", "-qm", "by hand");
  fleet.git("person", "push", "-q", "origin", branch);
}

const needing = (options: FleetOptions = {}): FleetOptions => ({ tasks: ["T-1", "T-2"], ...options });

function needsFirst(fleet: Fleet, branch = "main"): Record<string, string> {
  const brief = fleet.git(".", "--git-dir=remote.git", "show", `${branch}:tasks/T-2/README.md`);
  return { "tasks/T-2/README.md": brief.replace("id: T-2\n", "id: T-2\ndepends_on: [T-1]\n") };
}

describe("a claimed pass finds tasks where `status --git` finds them", { concurrency: 2 }, () => {
  test("the default branch names base and branches, also where a branch from before is of another opinion", async (t) => {
    const fleet = makeFleet(t);
    const one = fleet.machine("one");
    assert.equal((await one.pass("T-1")).verdict, "accepted");
    const yaml = fleet.inRemote("show", "main:tasks/task-phase.yaml");
    commitOn(fleet, "main", { "tasks/task-phase.yaml": `fleet: { ref: "agents/{id}" }\n${yaml}` });
    const report = await one.pass("T-1");
    assert.deepEqual([report.verdict, report.pass], ["accepted", 1], report.reason);
    assert.deepEqual(
      (await status(fleet)).tasks.map(({ task, branch }) => [task, branch.ref]),
      [["T-1", "refs/heads/agents/T-1"]],
    );
    assert.equal(fleet.inRemote("rev-list", "--count", "main..task-phase/T-1"), "2\n");
  });

  test("what it names no more is the base branch's to say", async (t) => {
    const fleet = makeFleet(t, needing({ config: "fleet: { base: stable, after: merged }\n" }));
    const yaml = fleet.inRemote("show", "main:tasks/task-phase.yaml");
    const other = yaml.replace("base: stable, after: merged", 'base: elsewhere, ref: "no/{id}", after: done');
    commitOn(fleet, "stable", { "tasks/task-phase.yaml": other, ...needsFirst(fleet) });
    const one = fleet.machine("one");
    for (let pass = 0; pass < 5; pass += 1) assert.equal((await one.pass("T-1")).verdict, "accepted");
    const { tasks } = await status(fleet);
    assert.deepEqual(
      tasks.map(({ task, standing, branch }) => [task, standing, branch.ref]),
      [
        ["T-1", "done", "refs/heads/task-phase/T-1"],
        ["T-2", "runnable", "refs/heads/stable"],
      ],
    );
    const goes = await one.pass("T-2");
    assert.deepEqual([goes.verdict, goes.pass], ["accepted", 1], goes.reason);
  });

  test("without `fleet` a task that is needed counts once it is done on its own branch", async (t) => {
    const fleet = makeFleet(t, needing());
    commitOn(fleet, "main", needsFirst(fleet));
    const one = fleet.machine("one");
    for (let pass = 0; pass < 4; pass += 1) assert.equal((await one.pass("T-1")).verdict, "accepted");
    assert.equal((await one.pass("T-2")).exit_code, 21);
    assert.equal((await status(fleet)).tasks[1]?.standing, "waits");
    assert.equal((await one.pass("T-1")).verdict, "accepted");
    assert.equal((await status(fleet)).tasks[1]?.standing, "runnable");
    const goes = await one.pass("T-2");
    assert.deepEqual([goes.verdict, goes.pass], ["accepted", 1], goes.reason);
  });

  test("task folders elsewhere are those of --tasks-root, and no others are looked at", async (t) => {
    const fleet = makeFleet(t);
    const files = ["README.md", "STATE.md"].map((name) => [name, fleet.inRemote("show", `main:tasks/T-1/${name}`)]);
    const moved = files.map(([name, content = ""]) => [
      `work/agents/T-7/${name}`,
      content.replace("id: T-1\n", "id: T-7\n").replace("repo: ../..\n", "repo: ../../..\n"),
    ]);
    const yaml = fleet.inRemote("show", "main:tasks/task-phase.yaml");
    commitOn(fleet, "main", {
      ...Object.fromEntries(moved),
      ...Object.fromEntries(files.map(([name, content = ""]) => [`fixtures/T-1/${name}`, content])),
      "work/task-phase.yaml": yaml,
    });
    const one = fleet.machine("one");
    assert.equal((await one.pass("T-1")).verdict, "accepted", "the other T-1 is a fixture");
    const unknown = await one.pass("T-7");
    assert.deepEqual([unknown.exit_code, codesOf(unknown)], [64, ["TP_USAGE_TASK_UNKNOWN"]]);
    const named = await one.pass("T-7", ["--tasks-root", "work/agents"]);
    assert.deepEqual([named.verdict, named.pass], ["accepted", 1], named.reason);
    const listed = await status(fleet, "T-7", "--tasks-root", "work/agents");
    assert.equal((listed as unknown as Listed["tasks"][number]).branch.ref, "refs/heads/task-phase/T-7");
    for (const root of ["/tasks", "../tasks"]) {
      const outside = await one.pass("T-1", ["--tasks-root", root]);
      assert.deepEqual([outside.exit_code, codesOf(outside)], [64, ["TP_GIT_ROOT"]], root);
    }
  });

  test("a task is named by its id, and not by the folder of another id", async (t) => {
    const fleet = makeFleet(t, { brief: ["id: other", validator] });
    const brief = fleet.inRemote("show", "main:tasks/T-1/README.md").replace("id: T-1\n", "");
    commitOn(fleet, "main", { "tasks/T-1/README.md": brief });
    const report = await fleet.machine("one").pass("T-1");
    assert.deepEqual([report.exit_code, codesOf(report)], [64, ["TP_USAGE_TASK_UNKNOWN"]], report.reason);
    assert.deepEqual(
      report.findings.map((each) => (each as { fix?: string }).fix),
      ["the task in the folder T-1 has the id other"],
    );
    assert.equal((await fleet.machine("one").pass("other")).verdict, "accepted");
  });
});

describe("ids that are one branch for some hosts", { concurrency: 2 }, () => {
  const words =
    "the ids T-1 and t-1 differ in case or accents alone, so some hosts and disks take their branches for one";

  test("are refused before anything is begun, as tasks and as branches, and the others go on", async (t) => {
    const fleet = makeFleet(t, { tasks: ["T-1", "T-2", "t-1"] });
    for (const id of ["T-1", "t-1"]) {
      const report = await fleet.machine("one").pass(id);
      assert.deepEqual([report.exit_code, codesOf(report)], [78, ["TP_TASK_REF"]], report.reason);
      assert.equal(report.findings[0]?.message, words);
    }
    assert.deepEqual([fleet.calls(), fleet.inRemote("for-each-ref", "refs/heads/task-phase")], [[], ""]);
    assert.equal((await fleet.machine("one").pass("T-2")).verdict, "accepted");
    const alone = makeFleet(t);
    alone.inRemote("branch", "task-phase/t-1", "main");
    const report = await alone.machine("one").pass("T-1");
    assert.deepEqual([report.exit_code, codesOf(report)], [78, ["TP_TASK_REF"]], report.reason);
  });

  test("are a warning of status and check, once for all of them", async (t) => {
    const fleet = makeFleet(t, { tasks: ["T-1", "T-2", "t-1"] });
    const { findings } = await status(fleet);
    assert.deepEqual(
      findings.map(({ severity, code, message }) => [severity, code, message]),
      [["warning", "TP_TASK_REF", words]],
    );
    const end = await fleet.call("task-phase", ["check", "--history", "--git", "remote.git", "--json"]);
    const report = end.json() as { ok: boolean; findings: { code: string }[] };
    assert.deepEqual([end.code, report.ok, codesOf(report as never)], [0, true, ["TP_TASK_REF"]]);
  });
});
