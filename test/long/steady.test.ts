import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { assertAccepted, type MatrixCase } from "../cli/matrix-world.ts";
import { assertSaid, flake, kindsOf, makeSteadyWorld, tap } from "../cli/steady-world.ts";
import { stateFile } from "../cli/task-states.ts";
import { makeCases } from "../cli/task-world.ts";

const seeds = Array.from({ length: Number(process.env.STEADY_PLAYS ?? 4) }, (_, seed) => seed);

const answers = ["answers", 'test "$(sh src/answer.sh)" = 42'] as const;
const wide = ["wide rows", 'test "$(sh src/wide.sh)" = "a b"'] as const;
const repo = { "test/check.sh": tap([answers, wide]), "src/answer.sh": "echo 0\n", "src/wide.sh": "echo a b\n" };
const right = { "src/answer.sh": "echo 42\n" };

function validators(checks: Readonly<Record<string, readonly string[]>>): string {
  const rows = Object.entries(checks).map(([name, command]) => `{ name: ${name}, command: [${command.join(", ")}] }`);
  return `validators: [${rows.join(", ")}]`;
}

/** The task is done without a repair, and its checks were told to fail side by side. */
function assertSideBySide(task: MatrixCase): void {
  assert.equal(task.last().to, "done", task.last().reason);
  const events = task.events();
  assert.ok(events.every((event) => event.type !== "verdict" || event.to !== "repair"));
  const isKnown = events.some((event) => event.type === "before" && event.beside === true);
  assert.ok(isKnown || kindsOf(task).some(([, kind]) => kind === "beside"), JSON.stringify(kindsOf(task)));
}

test("a check that does not always say the same", { concurrency: 2 }, async (t) => {
  const world = makeSteadyWorld(t);
  const { cases, it } = makeCases(t);

  for (const seed of seeds)
    it(`a suite that fails each third run, before and after: right work is done, and it is named (${seed})`, async (folder) => {
      const more = flake(`(n + ${seed}) % 3 == 0`);
      const task = await world.start(folder, {
        repo: { ...repo, "test/check.sh": tap([answers, wide], more) },
        contract: [],
      });
      await task.play(right);
      assert.equal(task.last().to, "done", task.last().reason);
      assert.ok(task.events().every((event) => event.type !== "verdict" || event.to !== "repair"));
      const shown = kindsOf(task);
      if (shown.length === 0) return;
      assert.deepEqual(shown, [["tests", "before"]]);
      const said = /tests fails \d of \d times on the same code; before this work, \d of \d times \(settles\)/;
      assertSaid(task, said);
      assert.match(task.last().reason, said);
      assert.match((await task.command("status")).stdout, said);
      await task.assertChecked();
    });

  for (const seed of seeds)
    it(`a new flake that a run showed is a ticket, whatever passes later (${seed})`, async (folder) => {
      const period = 2 + (seed % 2);
      const line = flake(`(n + ${seed}) % ${period} == 0`).replaceAll("bad=1", "exit 1");
      // In a test that passed before, and in the one that waited for the work.
      const inOld = seed % 4 < 2;
      const work = inOld ? { ...right, "src/wide.sh": `${line}echo a b\n` } : { "src/answer.sh": `${line}echo 42\n` };
      const task = await world.start(folder, { repo, contract: [] });
      await task.play(work);
      const last = task.last();
      const passed = "artifacts/passes/0002";
      const isShown = task.exists(`${passed}/validators-again`) || task.exists(`${passed}/proof/clean-again`);
      assert.ok(isShown || period === 3);
      if (!isShown) return;
      assert.deepEqual([last.verdict, last.to], ["redirected", "repair"], last.reason);
      assert.deepEqual(
        last.tickets.map(({ source }) => source),
        ["unsteady"],
      );
      const before = inOld ? "0 of 3 \\(wide rows\\)" : "3 of 3 \\(answers\\)";
      assert.match(
        last.reason,
        new RegExp(`^since this work, tests fails \\d of \\d times; before it, ${before}; see artifacts/`),
      );
      await task.assertChecked();
    });

  for (const seed of seeds)
    it(`two checks on one port run one after the other from then on (${seed})`, async (folder) => {
      const port = 'mkdir @COUNT/port || { echo "address in use"; exit 1; }\nsleep 0.5\nrmdir @COUNT/port\n';
      const checks = { "test/page.sh": `${port}${wide[1]}\n`, "test/feed.sh": `${port}${answers[1]}\n` };
      const names = seed % 2 === 0 ? ["page", "feed"] : ["feed", "page"];
      const task = await world.start(folder, {
        repo: { ...repo, ...checks, ...(seed % 4 < 2 ? {} : right) },
        contract: [validators(Object.fromEntries(names.map((name) => [name, ["sh", `test/${name}.sh`]])))],
      });
      await task.play(seed % 4 < 2 ? right : { "src/more.sh": "echo 1\n" });
      assertSideBySide(task);
      await task.assertChecked();
    });

  it("two checks that met once, and never before or again, run one after the other from then on", async (folder) => {
    const meets = `echo >> @COUNT/page; test $(($(wc -l < @COUNT/page))) -ne 2 || { touch @COUNT/busy; sleep 0.6; rm @COUNT/busy; }\n`;
    const task = await world.start(folder, {
      repo: {
        ...repo,
        "test/page.sh": `${meets}${wide[1]}\n`,
        "test/feed.sh": `sleep 0.3\ntest ! -e @COUNT/busy || { echo busy; exit 1; }\n${answers[1]}\n`,
      },
      contract: [validators({ page: ["sh", "test/page.sh"], feed: ["sh", "test/feed.sh"] })],
    });
    await task.play(right);
    assert.ok(task.exists("artifacts/passes/0002/validators-again"));
    assertSideBySide(task);
    await task.assertChecked();
  });

  for (const seed of seeds)
    it(`a build that empties what the tests read (${seed})`, async (folder) => {
      const task = await world.start(folder, {
        repo: {
          ...repo,
          ".gitignore": "build/\n",
          "test/build.sh": "rm -rf build && mkdir build && sleep 0.5 && cp src/*.sh build/\n",
          "test/check.sh": tap([answers, wide]).replaceAll("src/", "build/"),
          ...(seed % 4 < 2 ? {} : right),
        },
        contract: [validators({ build: ["sh", "test/build.sh"], tests: ["sh", "test/check.sh"] })],
      });
      if (seed % 2 === 0) for (const name of ["answer", "wide"]) world.write(`${task.repo}/build/${name}.sh`, "");
      await task.play(seed % 4 < 2 ? right : { "src/more.sh": "echo 1\n" });
      assertSideBySide(task);
      assert.equal(task.last().proof?.grade, seed % 4 < 2 ? "shown" : "kept", task.last().reason);
      await task.assertChecked();
    });

  const outside = { ...repo, "test/check.sh": tap([answers, ["service", "test -e @COUNT/up"]]) };
  const off = (folder: string) => rmSync(world.path("cases", folder, "count/up"), { force: true });
  const on = (folder: string) => world.write(`cases/${folder}/count/up`, "");

  it("a check that passed and then failed on the same code is named in reason, ticket and Blockers", async (folder) => {
    const task = await world.start(folder, {
      repo: outside,
      contract: ["proof: { fresh: 0 }", "retries_per_failure: 0"],
    });
    on(folder);
    for (const to of ["verify", "review"] as const) assertAccepted(await task.step(to, right), to);
    off(folder);
    const report = await task.step("done");
    const said = /the same code passed in pass 2 and failed in pass 3/;
    assert.match(report.reason, said);
    assert.match(report.tickets[0]?.text ?? "", said);
    assert.equal(report.to, "needs_user_decision");
    assert.match(task.state(), /Blockers: .*the same code passed in pass 2 and failed in pass 3/);
    await task.assertChecked();
  });

  it("a check that failed repeatedly in an earlier pass and passes now is named, and is no proof", async (folder) => {
    const task = await world.start(folder, { repo: outside, contract: [] });
    assertAccepted(await task.step("verify", right), "verify");
    assert.equal((await task.step("review")).to, "repair");
    on(folder);
    task.propose({
      task: { "STATE.md": stateFile({ phase: "verify", fields: { "Current result": "the service is up" } }) },
    });
    assert.equal((await task.pass()).to, "verify");
    assertAccepted(await task.step("review"), "review");
    assertAccepted(await task.step("done"), "done");
    const said = /tests: the same code failed in pass 2 and passed in pass 4/;
    assert.match(task.last().reason, said);
    assertSaid(task, said);
    assert.deepEqual(kindsOf(task), [["tests", "once"]]);
    assert.equal(task.last().proof?.grade, "unshown");
    await task.assertChecked();
  });

  it("with `parallel: false` no check runs beside another", async (folder) => {
    const lock = "mkdir @COUNT/port || exit 1\nsleep 0.5\nrmdir @COUNT/port\n";
    const task = await world.start(folder, {
      repo: { ...repo, "test/page.sh": lock, "test/feed.sh": `${lock}${answers[1]}\n` },
      contract: [validators({ page: ["sh", "test/page.sh"], feed: ["sh", "test/feed.sh"] }), "parallel: false"],
    });
    await task.play(right);
    assert.equal(task.last().to, "done", task.last().reason);
    assert.deepEqual([kindsOf(task), task.last().proof?.grade], [[], "shown"]);
    assert.equal(task.exists("artifacts/passes/0002/validators-again"), false);
    await task.assertChecked();
  });

  it("the report says that checks fail side by side, and the next pass runs them in turn at once", async (folder) => {
    const lock = "mkdir @COUNT/port || exit 1\nsleep 0.5\nrmdir @COUNT/port\n";
    const task = await world.start(folder, {
      repo: { ...repo, "test/page.sh": `${lock}${wide[1]}\n`, "test/feed.sh": `${lock}${answers[1]}\n` },
      contract: [
        validators({ page: ["sh", "test/page.sh"], feed: ["sh", "test/feed.sh"] }),
        "proof: { fresh: 0, wrong: off }",
      ],
    });
    const told: string[] = [];
    for (const to of ["verify", "review", "done"] as const) {
      const report = await task.step(to, right);
      assertAccepted(report, to);
      told.push(...report.findings.filter(({ code }) => code === "TP_SIDE_BY_SIDE").map(({ message }) => message));
    }
    assert.equal(told.length, 1);
    assert.match(told[0] ?? "", /fail.* (side by side|beside other checks); the checks now run one after the other/);
    assert.equal(task.exists("artifacts/passes/0003/validators-again"), false);
    await task.assertChecked();
  });
  await Promise.all(cases);
});
