import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { after, makeModelsWorld, noon, said, works } from "./models-world.ts";
import { stateFile } from "./task-states.ts";

const tooLong = `${JSON.stringify({
  type: "result",
  subtype: "success",
  is_error: true,
  api_error_status: 400,
  result: "Prompt is too long\n  for  this model",
})}\n`;
const words = "the CLI ended with an error: Prompt is too long for this model (400)";

const warning = (code: string, message: string, fix: string | null = null) => ({
  severity: "warning",
  code,
  message,
  file: null,
  line: null,
  column: null,
  fix,
});

describe("a bad end of the model is reported beside the verdict", () => {
  test("the error of a CLI, to people, in --json and in last_error.txt", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    world.act("claude", { says: tooLong, exit: 1 });
    const report = await world.pass();
    assert.match(report.reason, /no material progress/);
    assert.deepEqual(report.findings, [warning("TP_MODEL_ERROR", `claude: ${words}`)]);
    assert.equal(
      world
        .read("tasks/T-1/last_error.txt")
        .split("\n")
        .find((line) => line.startsWith("Model: ")),
      `Model: ${words}`,
    );
    const target = ["--task-dir", world.path("tasks/T-1")];
    const end = await world.call("task-phase-run", target, { env: { PATH: world.env.PATH ?? "" }, now: noon });
    assert.match(end.stderr, /TP_MODEL_ERROR.*Prompt is too long|Prompt is too long.*TP_MODEL_ERROR/);
  });

  test("the error of a pass that was taken, in the evidence and in log.txt too; none where the CLI ended well", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    world.act("claude", { says: tooLong, does: works, exit: 1 });
    const taken = await world.pass();
    assert.deepEqual([taken.verdict, taken.findings], ["accepted", [warning("TP_MODEL_ERROR", `claude: ${words}`)]]);
    const told = "the model ended with exit code 1: Prompt is too long for this model (400)";
    for (const file of ["log.txt", "EVIDENCE.md", "artifacts/evidence.html"])
      assert.ok(world.read(`tasks/T-1/${file}`).includes(told), file);
    world.act("claude", { says: said.claude.retry(1) + said.claude.done });
    const idle = await world.pass();
    assert.match(idle.reason, /no material progress/);
    assert.deepEqual(idle.findings, []);
  });

  test("how a command ended, with its last words", async (t) => {
    const world = await makeModelsWorld(t);
    const script = '{ name: mine, adapter: command, command: [sh, -c, "no-such-agent"] }';
    world.write("tasks/task-phase.yaml", `models:\n  - ${script}\n`);
    const { verdict, reason, findings } = await world.pass();
    assert.deepEqual(
      findings.map(({ code }) => code),
      ["TP_MODEL_ERROR"],
    );
    assert.match(
      findings[0]?.message ?? "",
      /^mine: it ended with exit code 127; its last output: .*no-such-agent.*not found$/,
    );
    assert.equal(verdict, "unavailable");
    assert.match(reason, /^the model ended with exit code 127 and changed nothing: .*no-such-agent.*not found$/);
  });

  test("a login that fails, with the step that probe names", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    world.act("claude", { says: said.claude.unauthorised, exit: 1 });
    const step = "`claude auth login`; or set ANTHROPIC_API_KEY and add `env: [ANTHROPIC_API_KEY]` to the model";
    assert.deepEqual((await world.pass()).findings, [
      warning(
        "TP_MODEL_LOGIN",
        "claude is not logged in or its key was refused",
        `${step}; \`task-phase probe --model claude\` checks whether it works`,
      ),
    ]);
  });

  test("a limit, with the time until which the model rests", async (t) => {
    const world = await makeModelsWorld(t);
    world.act("claude", { says: said.claude.planLimit(after(3_600)), exit: 1 });
    assert.deepEqual((await world.pass()).findings, [
      {
        ...warning(
          "TP_MODEL_LIMITED",
          "claude is cooling down until 2026-11-21T13:00:00.000Z (claude: You've hit your 5-hour limit · resets 12:40am (UTC) (429))",
        ),
        severity: "info",
      },
    ]);
  });

  test("a timeout, with what to raise", async (t) => {
    const world = await makeModelsWorld(t, { models: ["claude"] });
    world.act("claude", { says: "", does: `${works}exec sleep 30\n` });
    assert.deepEqual((await world.pass({}, "--timeout", "1s")).findings, [
      warning(
        "TP_MODEL_TIMEOUT",
        "claude did not end within 1 s",
        "raise --timeout or the model's `timeout`; `task-phase probe --model claude` checks whether it answers at all",
      ),
    ]);
  });
});

test("a program that does not exist is a matter for doctor", async (t) => {
  const world = await makeModelsWorld(t, { models: ["gemini", "claude"] });
  const fix = "`task-phase doctor` lists the installed programs and how to install the others";
  assert.deepEqual((await world.pass()).findings, [
    {
      ...warning("TP_MODEL_SKIPPED", "skipped: gemini cannot be called: gemini was not found on PATH", fix),
      severity: "info",
    },
  ]);
  world.write("tasks/T-1/STATE.md", stateFile({ phase: "intake" }));
  const none = await world.pass({}, "--model", "gemini");
  assert.equal(none.reason, `model gemini cannot be called: gemini was not found on PATH. ${fix}`);
});
