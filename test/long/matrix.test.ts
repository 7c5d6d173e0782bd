import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, statSync, watch } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { World } from "../cli/arrange.ts";
import { assertAccepted, kept, type MatrixCase, makeMatrixWorld, origin, solved } from "../cli/matrix-world.ts";
import { stateFile } from "../cli/task-states.ts";
import { findLiving } from "../process/find-living.ts";

const concurrency = 2;

const headlines: readonly (readonly [
  what: string,
  spec: { readonly contract?: readonly string[]; readonly repo?: typeof origin },
  work: Readonly<Record<string, string>>,
  grade: string,
  headline: string,
])[] = [
  ["a check fails without the work", {}, solved, "shown", "Done. The check passes; without this work it fails"],
  [
    "every check passes without the work too",
    { repo: kept },
    { "docs.md": "more\n" },
    "kept",
    "Done. Nothing broke, but no check fails without this work",
  ],
];

test("the proof, from a work to its grade", { concurrency }, async (t) => {
  const world = makeMatrixWorld(t);
  const tests: Promise<void>[] = [];
  const it = (name: string, body: (folder: string) => Promise<void>) => {
    const folder = `case-${tests.length}`;
    tests.push(t.test(name, () => body(folder)));
  };
  const answer = (task: MatrixCase, text: string) =>
    task.write("DECISIONS.md", task.read("DECISIONS.md").replace(/- Answer:\s*$/, `- Answer: ${text}\n`));
  /** A check whose files the agent does not see, in a folder beside the repo. */
  const hide = (folder: string, text: string): string[] => {
    world.write(`cases/${folder}/hidden/look.sh`, text);
    return ["scenarios: [{ name: hidden, command: [sh, held-out/look.sh], held_out: ../../hidden }]"];
  };

  for (const [what, spec, work, grade, headline] of headlines) {
    it(`done is ${grade} if ${what}, in every report`, async (folder) => {
      const task = await world.begin(folder, spec);
      const report = await task.finish(work);
      assertAccepted(report, "done");
      assert.equal(task.last().proof?.grade, grade);
      for (const file of ["EVIDENCE.md", "SUMMARY.md"]) {
        const text = task.read(file).replaceAll("&#96;", "`");
        assert(text.includes(headline), `${file} has ${text.slice(0, 400)}`);
      }
      for (const file of ["EVIDENCE.md", "SUMMARY.md", "STATE.md"])
        if (grade !== "shown") assert.doesNotMatch(task.read(file), /\bproven\b/i);
      await task.assertChecked();
    });
  }

  it("a weakened test asks with the log of `old_checks`, and `accept` holds for exactly that change", async (folder) => {
    const task = await world.begin(folder);
    const half = { "src/answer.sh": "echo 41\n", "test/check.sh": "true\n" };
    assertAccepted(await task.step("verify", half), "verify");
    const asked = await task.step("review");
    assert.deepEqual([asked.to, asked.exit_code], ["needs_user_decision", 22], asked.reason);
    const log = "artifacts/passes/0002/proof/old_checks/tests.log";
    assert(task.read("DECISIONS.md").includes(log), task.read("DECISIONS.md"));
    assert(task.exists(log));
    answer(task, "accept");
    // Not what was accepted.
    const other = await task.step("review", { "test/check.sh": "exit 0\n" });
    assert.deepEqual([other.to, other.exit_code], ["needs_user_decision", 22], other.reason);
    answer(task, "accept");
    assertAccepted(await task.step("review"), "review");
    assert.deepEqual(
      task.last().watched?.map(({ name, answer }) => [name, answer]),
      [["test/check.sh", "accepted"]],
    );
    await task.assertChecked();
  });

  it("a work that no clone has goes to repair with the ticket `proof`", async (folder) => {
    const task = await world.begin(folder);
    const ignored = { "src/answer.sh": "sh local/answer.sh\n", "local/answer.sh": "echo 42\n" };
    assertAccepted(await task.step("verify", ignored), "verify");
    const report = await task.step("review");
    assert.deepEqual([report.verdict, report.to], ["redirected", "repair"], report.reason);
    assert.deepEqual(
      report.tickets.map(({ source }) => source),
      ["proof"],
      report.reason,
    );
    assert.match(report.tickets[0]?.text ?? "", /fresh copy.*proof\/clean\/tests\.log/);
    await task.assertChecked();
  });

  it("a held-out check that passes counts, and neither its text nor its files are kept", async (folder) => {
    const secret = "the-hidden-words-7351";
    const look = `echo ${secret}\ntest "$(sh src/answer.sh)" = 42\n`;
    const task = await world.begin(folder, { contract: hide(folder, look) });
    assertAccepted(await task.finish(solved), "done");
    assert.equal(task.last().proof?.grade, "shown");
    assert.equal(task.last().proof?.passed, 2);
    for (const root of [`cases/${folder}/tasks`, "state"]) {
      const found = filesWith(world.path(root), [secret, "echo the-hid"]);
      assert.deepEqual(found, []);
    }
    await task.assertChecked();
  });

  it("held-out files that are not those of pass 1 prove nothing", async (folder) => {
    const task = await world.begin(folder, { contract: hide(folder, "exit 1\n") });
    assertAccepted(await task.step("verify", solved), "verify");
    world.write(`cases/${folder}/hidden/look.sh`, "exit 0\n");
    const report = await task.step("review");
    assert.deepEqual([report.verdict, report.to], ["redirected", "repair"], report.reason);
    assert.match(report.reason, /held-out check hidden .* the held-out files of hidden are not those of pass 1/);
  });

  it("a check that writes from a copy into the repo by an absolute path cannot, or is found out", async (folder) => {
    const repo = world.path("cases", folder, "repo");
    const check = `set -e\n${origin["test/check.sh"]}case $PWD in ${repo}) ;; *) mkdir -p ${repo}/src; echo planted > ${repo}/src/planted.sh ;; esac\n`;
    const task = await world.begin(folder, { repo: { ...origin, "test/check.sh": check } });
    assertAccepted(await task.step("verify", solved), "verify");
    const report = await task.step("review");
    if (task.last().matrix?.unseparated === null) {
      assertAccepted(report, "review");
      assert(!world.exists(`${task.repo}/src/planted.sh`));
    } else {
      assert.notEqual(report.verdict, "accepted");
      assert.match(report.reason, /the repo changed/);
    }
    await task.assertChecked();
  });

  it("files that an agent puts into the place of the copies take part in no cell", async (folder) => {
    const repo = world.path("cases", folder, "repo");
    const check = [
      "set -e",
      `case $PWD in ${repo}/*) exit 1 ;; esac`,
      'test ! -e planted && test ! -e "$HOME/planted"',
      origin["test/check.sh"],
    ].join("\n");
    const task = await world.begin(folder, { repo: { ...origin, "test/check.sh": check } });
    assertAccepted(await task.step("verify", solved), "verify");
    task.agentFirst(`
      for anchor in ${world.path("state/task-phase/tasks")}/*/; do
        grep -qF ${repo} "$anchor/current.json" 2>/dev/null || continue
        rm -rf "$anchor/proof"; ln -s ${repo} "$anchor/proof"
      done
      mkdir -p ${repo}/clean/tree/work "$(dirname "$TASK_PHASE_USAGE_FILE")/tmp-clean/home"
      touch ${repo}/clean/tree/work/planted "$(dirname "$TASK_PHASE_USAGE_FILE")/tmp-clean/home/planted"
      touch ${world.path("cases", folder, "planted")}`);
    const report = await task.step("review");
    assert(world.exists(`cases/${folder}/planted`), "the agent planted nothing");
    assertAccepted(report, "review");
    assert(world.exists(`${task.repo}/clean/tree/work/planted`), "a cell removed something of the repo");
  });

  it("a runner killed in a cell leaves nothing in the repo, and the next one removes the copy", async (folder) => {
    const [stall, ready] = [world.path("cases", folder, "stall"), world.path("cases", folder, "ready")];
    const repo = world.path("cases", folder, "repo");
    const stalls = `test -e ${stall} && case $PWD in ${repo}) ;; *) touch half-done ${ready}; sleep 60 ;; esac\n`;
    const check = `${stalls}${origin["test/check.sh"]}`;
    const task = await world.begin(folder, { repo: { ...origin, "test/check.sh": check } });
    assertAccepted(await task.step("verify", solved), "verify");
    world.write(`cases/${folder}/stall`, "");
    task.propose({ task: { "STATE.md": stateFile({ phase: "review" }) } });
    const before = world.git(task.repo, "status", "--porcelain", "--ignored");
    const copies = () => listCopies(world, "half-done");
    const watcher = watch(world.path("cases", folder));
    const end = await world.run("task-phase-run", ["--task-dir", task.taskDir], {
      onStart: (child) => {
        watcher.on("change", () => {
          if (world.exists(`cases/${folder}/ready`)) child.kill("SIGKILL");
        });
      },
    });
    watcher.close();
    assert.equal(end.signal, "SIGKILL", end.stderr);
    assert.equal(world.git(task.repo, "status", "--porcelain", "--ignored"), before);
    assert.equal(copies().length, 1);
    rmSync(stall);
    assertAccepted(await task.pass(), "review");
    assert.equal(task.last().matrix?.clean?.results[0]?.status, "pass");
    assert.deepEqual(copies(), []);
    assert.deepEqual(findLiving(repo), []);
    assert.equal(world.git(task.repo, "status", "--porcelain", "--ignored"), before);
    await task.assertChecked();
  });
  await Promise.all(tests);
});

/** The files below a folder that hold one of these texts. */
function filesWith(folder: string, texts: readonly string[]): string[] {
  const names = readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name)));
  return names.filter((name) => {
    if (!statSync(name).isFile()) return false;
    const text = readFileSync(name, "utf8");
    return texts.some((one) => text.includes(one));
  });
}

/** Copies that a cell works in, by a file that its check leaves in them. */
function listCopies(world: World, file: string): string[] {
  const tasks = world.path("state/task-phase/tasks");
  return readdirSync(tasks, { recursive: true })
    .map(String)
    .filter((name) => name.includes("/proof/") && name.endsWith(`/${file}`));
}
