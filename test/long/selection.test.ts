import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { describe, test } from "node:test";
import { makeModelsWorld, said, works } from "../cli/models-world.ts";

const lastModel = (name: string) => `${JSON.stringify({ version: 1, last_model: name }, null, 2)}\n`;

describe("without a word about the selection", () => {
  test("models take turns, over processes that start anew and over the tasks of a root", async (t) => {
    const world = await makeModelsWorld(t, { tasks: ["T-1", "T-2"] });
    const first = await world.pass({ apart: true });
    assert.deepEqual([first.verdict, first.model, first.findings], ["accepted", "claude", []]);
    assert.equal(world.runtime("state.json"), lastModel("claude"));
    assert.deepEqual(await world.models(1, { apart: true, task: "T-2" }), ["codex"]);
    assert.deepEqual(await world.models(3), ["claude", "codex", "claude"]);
  });

  test("a turn counts as soon as a pass starts, whatever becomes of it", async (t) => {
    const world = await makeModelsWorld(t);
    world.act("claude", { says: said.claude.unauthorised });
    const report = await world.pass();
    assert.deepEqual([report.verdict, report.model, report.next_eligible_at], ["unavailable", "claude", null]);
    assert.deepEqual(await world.models(2), ["codex", "claude"]);
  });

  test("the journal says whose turn it was where state.json is gone or damaged", async (t) => {
    const world = await makeModelsWorld(t);
    for (const damage of ["", "{", '{"version":1,"last_model":7}', null]) {
      assert.deepEqual(await world.models(1), ["claude"]);
      if (damage === null) rmSync(world.path("tasks/.task-phase/state.json"));
      else world.write("tasks/.task-phase/state.json", damage);
      assert.deepEqual(await world.models(1), ["codex"]);
    }
  });

  test("a dry run names the model of the next pass, and moves nothing", async (t) => {
    const world = await makeModelsWorld(t);
    for (let count = 0; count < 2; count += 1) {
      const report = await world.pass({}, "--dry-run");
      assert.deepEqual([report.model, report.exit_code], ["claude", 0]);
    }
    assert.equal(world.exists("tasks/.task-phase"), false);
    assert.equal(world.exists("state"), false);
  });

  test("a model that does not exist is passed over, and said so", async (t) => {
    const world = await makeModelsWorld(t, { models: ["gemini", "claude"] });
    const report = await world.pass();
    assert.deepEqual([report.verdict, report.model], ["accepted", "claude"]);
    assert.deepEqual(
      report.findings.map(({ code, severity, message }) => [code, severity, message]),
      [["TP_MODEL_SKIPPED", "info", "skipped: gemini cannot be called: gemini was not found on PATH"]],
    );
  });

  test("no model that is there ends with 24, names each, and waits for no time", async (t) => {
    const world = await makeModelsWorld(t, { models: ["gemini", "opencode"] });
    const report = await world.pass();
    assert.deepEqual([report.exit_code, report.verdict, report.next_eligible_at], [24, null, null]);
    assert.match(
      report.reason,
      /gemini cannot be called: .*; opencode cannot be called: .*\. `task-phase doctor` lists /,
    );
  });
});

describe("model_selection: priority", () => {
  test("keeps to the first of the file as long as that can be called", async (t) => {
    const world = await makeModelsWorld(t, { selection: "priority" });
    assert.deepEqual(await world.models(2), ["claude", "claude"]);
    rmSync(world.path("bin/claude"));
    assert.deepEqual(await world.models(1), ["codex"]);
    world.act("claude", { says: said.claude.done, does: works });
    assert.deepEqual(await world.models(1), ["claude"]);
  });
});

describe("--model and --models", () => {
  const models = ["claude", "codex", "third: claude"];

  test("--models takes only those, in that order, each once", async (t) => {
    const world = await makeModelsWorld(t, { models });
    const list = ["--models", " third , claude,third,"];
    assert.deepEqual(await world.models(3, {}, ...list), ["third", "claude", "third"]);
    assert.deepEqual(await world.models(2), ["claude", "codex"]);
  });

  test("--models gives the order of priority too", async (t) => {
    const world = await makeModelsWorld(t, { models, selection: "priority" });
    assert.deepEqual(await world.models(2, {}, "--models", "codex,claude"), ["codex", "codex"]);
  });

  test("--model takes that one, and the turn goes on behind it", async (t) => {
    const world = await makeModelsWorld(t, { models });
    assert.deepEqual(await world.models(2, {}, "--model", "codex"), ["codex", "codex"]);
    assert.deepEqual(await world.models(1), ["third"]);
  });

  test("an unknown name is a usage error with the nearest one, in either flag", async (t) => {
    const world = await makeModelsWorld(t, { models });
    for (const words of [
      ["--model", "claud"],
      ["--models", "codex,claud"],
    ]) {
      const report = await world.pass({}, ...words);
      assert.equal(report.exit_code, 64);
      assert.deepEqual(
        report.findings.map((finding) => [finding.code, finding.message, "fix" in finding && finding.fix]),
        [["TP_MODEL_UNKNOWN", "no model is named claud", "did you mean claude? the models are: claude, codex, third"]],
      );
    }
    assert.equal(world.calls("claude") + world.calls("codex"), 0);
  });

  test("both flags, or a list without a name, are usage errors", async (t) => {
    const world = await makeModelsWorld(t, { models });
    const codes = async (...words: readonly string[]) => {
      const { exit_code, findings } = await world.pass({}, ...words);
      return [exit_code, ...findings.map(({ code }) => code)];
    };
    assert.deepEqual(await codes("--model", "claude", "--models", "codex"), [64, "TP_USAGE_TWO_MODELS"]);
    assert.deepEqual(await codes("--models", " , "), [64, "TP_USAGE_BAD_VALUE"]);
    assert.equal(world.exists("tasks/.task-phase"), false);
  });
});
