import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { assertUntouched, assertWhole, makeCheatWorld, writeBrief } from "../cli/cheat-world.ts";

const secret = "correct-horse-battery";
const tokens = /ghp_(Ab3){12}|sk-ant-api03-(Xy9_){24}|correct-horse-battery/;

// What a pass says, and does not make true. Each through the command line, two at a time.
describe("claims", { concurrency: 2 }, () => {
  test("honest work goes from intake to done, over a repair where the first candidate is wrong", async (t) => {
    const world = await makeCheatWorld(t);
    const moves = [];
    for (let to: string | null = null; to !== "done"; ) {
      const report = await world.pass("honest", { env: { AGENT_BROKEN: "1" } });
      assert.equal(report.exit_code, 0, report.reason);
      moves.push(`${report.from} → ${report.to}`);
      to = report.to;
    }
    assert.deepEqual(moves, [
      "intake → shape",
      "shape → implement",
      "implement → verify",
      "verify → repair",
      "repair → verify",
      "verify → review",
      "review → done",
    ]);
  });

  test("done claimed in verify is no legal move", async (t) => {
    const world = await makeCheatWorld(t, "verify");
    const before = world.state();
    const report = await world.pass("claims-done");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [20, "rejected", "verify"]);
    assert.match(report.reason, /verify → done/);
    await assertUntouched(world, before);
  });

  test("a claim without the work goes to repair, with what the validator said", async (t) => {
    const world = await makeCheatWorld(t, "implement");
    assert.equal((await world.pass("skips-the-work")).to, "verify");
    const report = await world.pass("skips-the-work");
    assert.deepEqual(
      [report.exit_code, report.verdict, report.proposed, report.to],
      [0, "redirected", "review", "repair"],
    );
    assert.deepEqual(
      report.tickets.map(({ source, name }) => `${source} ${name}`),
      ["validator tests"],
    );
    assert.match(world.state(), /^- Validator status: fail$/m);
    await assertWhole(world);
  });

  test("the runner's own fields are overwritten and listed", async (t) => {
    const world = await makeCheatWorld(t);
    const report = await world.pass("sets-validator-status");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [0, "accepted", "shape"], report.reason);
    assert.deepEqual([...report.overridden].sort(), [
      "Evidence link",
      "Last updated",
      "Repair applied",
      "Revalidation status",
      "Validator status",
    ]);
    for (const line of ["Validator status: pending", "Repair applied: no", "Revalidation status: pending"]) {
      assert(world.state().includes(`\n- ${line}\n`), line);
    }
    assert.doesNotMatch(world.state(), /proof\.invalid|2099/);
    await assertWhole(world);
  });

  for (const where of ["code", "quote", "comment"]) {
    test(`Phase: done in a ${where} is no field, and no progress`, async (t) => {
      const world = await makeCheatWorld(t);
      const before = world.state();
      const report = await world.pass("says-done-elsewhere", { env: { AGENT_WHERE: where } });
      assert.deepEqual(
        [report.exit_code, report.verdict, report.proposed],
        [23, "no_progress", "intake"],
        report.reason,
      );
      await assertUntouched(world, before);
    });
  }

  test("Phase: done in front matter moves nothing", async (t) => {
    const world = await makeCheatWorld(t);
    const before = world.state();
    const report = await world.pass("says-done-elsewhere", { env: { AGENT_WHERE: "front" } });
    assert.notEqual(report.exit_code, 0);
    assert.notEqual(report.proposed, "done");
    await assertUntouched(world, before);
  });

  for (const [title, agent, env] of [
    ["a second list with Phase", "says-done-elsewhere", { AGENT_WHERE: "list" }],
    ["a field that stands twice", "doubles-a-field", {}],
  ] as const) {
    test(`${title} makes the proposal unreadable, and the reason says where`, async (t) => {
      const world = await makeCheatWorld(t);
      const before = world.state();
      const report = await world.pass(agent, { env });
      assert.deepEqual([report.exit_code, report.verdict, report.proposed], [20, "rejected", null]);
      assert.match(report.reason, /Phase/);
      await assertUntouched(world, before);
    });
  }

  test("a promise that is only in the prompt is no promise of the model", async (t) => {
    const world = await makeCheatWorld(t, "review");
    const before = world.state();
    const report = await world.pass("echoes-the-prompt");
    assert.deepEqual([report.exit_code, report.verdict, report.proposed], [20, "rejected", "done"]);
    assert.match(report.reason, /promise/);
    await assertUntouched(world, before);
  });

  test("a code change in review goes to repair, naming the path", async (t) => {
    const world = await makeCheatWorld(t, "review");
    const report = await world.pass("changes-code-in-review");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [0, "redirected", "repair"], report.reason);
    assert.match(report.tickets.map(({ text }) => text).join("\n"), /src\/answer\.mjs/);
    await assertWhole(world);
  });

  test("a code change in review that git is configured to ignore is noticed", async (t) => {
    const world = await makeCheatWorld(t, "review");
    const report = await world.pass("hides-changes", { env: { AGENT_TRACKED: "src/kept.mjs" } });
    assert.deepEqual([report.exit_code, report.verdict, report.to], [0, "redirected", "repair"], report.reason);
    assert.match(report.tickets.map(({ text }) => text).join("\n"), /src\/kept\.mjs/);
    await assertWhole(world);
  });

  test("a new file in review that git ignores is noticed", async (t) => {
    const world = await makeCheatWorld(t, "review");
    const report = await world.pass("hides-a-file");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [0, "redirected", "repair"], report.reason);
    assert.match(report.tickets.map(({ text }) => text).join("\n"), /info\/exclude/);
    await assertWhole(world);
  });

  test("a token in the proposal is rejected, and no file of the runner's holds one", async (t) => {
    const world = await makeCheatWorld(t, "implement");
    const before = world.state();
    const end = await world.runPass("prints-tokens", { env: { AGENT_IN: "state", AGENT_SECRET: secret } });
    const report = end.json();
    assert.deepEqual([end.code, report.verdict], [20, "rejected"], end.stderr);
    assert.match(String(report.reason), /looks like a secret \(github/);
    assert.deepEqual([world.grepTask(tokens), tokens.test(end.stdout), tokens.test(end.stderr)], [[], false, false]);
    await assertUntouched(world, before);
  });

  test("tokens that an agent prints reach no file of the task, no JSON and no terminal", async (t) => {
    const world = await makeCheatWorld(t, "implement");
    const env = { AGENT_SECRET: secret, DEPLOY_PASSWORD: secret };
    const end = await world.runPass("prints-tokens", { env, args: ["--verbose"] });
    assert.deepEqual([end.code, end.json().to], [0, "verify"], end.stderr);
    assert.deepEqual([world.grepTask(tokens), tokens.test(end.stdout), tokens.test(end.stderr)], [[], false, false]);
    assert.match(world.read("tasks/T-1/artifacts/passes/0003/stdout.log"), /GITHUB_TOKEN=\[redacted:/);
    await assertWhole(world);
  });

  test("a contract without validators proves nothing: a person must decide, and the reason names the key", async (t) => {
    const world = await makeCheatWorld(t, "verify");
    world.write("tasks/T-1/README.md", writeBrief("T-1").replace(/validators:\n.*\n/, ""));
    const report = await world.pass("honest");
    assert.deepEqual(
      [report.exit_code, report.verdict, report.to],
      [22, "rejected", "needs_user_decision"],
      report.reason,
    );
    assert.match(report.reason, /`validators`/);
    assert.match(world.read("tasks/T-1/DECISIONS.md"), /`validators`/);
    await assertWhole(world);
  });

  test("honest work in a file with a byte-order mark, CRLF and odd tables keeps every byte that is not the runner's", async (t) => {
    const world = await makeCheatWorld(t);
    const report = await world.pass("keeps-line-ends");
    assert.deepEqual([report.exit_code, report.verdict, report.to], [0, "accepted", "shape"], report.reason);
    const read = (name: string) => readFileSync(world.path("tasks/T-1", name), "utf8");
    const [proposed, accepted] = [read("artifacts/passes/0001/STATE.proposed.md"), read("STATE.md")].map((text) =>
      // The runner's: the time, a Status that is no longer `new`, and the diagram, which marks the present phase.
      text
        .replace(/^- Status: (?:new|in progress)\r$/m, "")
        .replace(/^- Last updated:.*/m, "")
        .replace(/^```mermaid[\s\S]*?^```/m, ""),
    );
    assert.equal(accepted, proposed);
    assert(accepted?.startsWith("\uFEFF# T-1"));
    assert.doesNotMatch(read("STATE.md"), /[^\r]\n/);
    assert.equal((await world.pass("honest")).to, "implement");
    await assertWhole(world);
  });
});
