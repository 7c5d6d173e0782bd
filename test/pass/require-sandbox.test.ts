import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { judgeBwrap, renderTooMany, requireSandbox, rulesOfPass } from "../../lib/pass/require-sandbox.ts";
import { mostMounts } from "../../lib/process/bwrap.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import type { SandboxRules } from "../../lib/task/guard/sandbox-rules.ts";
import { readTask } from "../../lib/task/open-task.ts";
import { TaskPhaseError } from "../../lib/text/errors.ts";
import { holdTask } from "./verdict/arrange.ts";

const command = "models: [{ name: mine, adapter: command, command: [cat] }]\n";

/** Why no sandbox can be made on a machine without bwrap, for a task with this task-phase.yaml; null if none is needed. */
async function problem(t: TestContext, config: string, phase: Phase = "implement") {
  const { session, task } = await holdTask(t, phase);
  task.write("../task-phase.yaml", config);
  task.write("../recordings/x", "");
  const contract = readTask(session.place, null, session.ports);
  const ports = { ...session.ports, env: { ...session.ports.env, PATH: "/nonexistent" } };
  const repo = `${task.folder}/repo`;
  assert.equal(rulesOfPass(session.place, contract, repo, ports) === null, contract.config.sandbox === "none");
  try {
    requireSandbox(session.place, contract, repo, { model: null, models: null, run: null }, ports);
    return null;
  } catch (error) {
    assert.ok(error instanceof TaskPhaseError);
    const [finding] = error.findings;
    return [error.exitName, finding?.code, finding?.message, finding?.fix];
  }
}

test("a task that asks for a sandbox does not run without one", async (t) => {
  assert.deepEqual(await problem(t, `${command}sandbox: bwrap\n`), [
    "config",
    "TP_SANDBOX",
    "`sandbox: bwrap` is set, but bwrap is not on PATH outside the folders that a pass can write to",
    "install bubblewrap, for example: apt-get install bubblewrap; `sandbox: none` runs models with all your rights",
  ]);
});

test("none is needed if the configuration asks for none, no pass may run, or the call only replays", async (t) => {
  assert.equal(await problem(t, command), null);
  for (const phase of ["done", "blocked", "needs_user_decision"] as const)
    assert.equal(await problem(t, `${command}sandbox: bwrap\n`, phase), null, phase);
  const replay = "models: [{ name: played, adapter: replay, recordings: recordings }]\nsandbox: bwrap\n";
  assert.equal(await problem(t, replay), null);
});

test("more paths than a sandbox can hold are refused with their number", () => {
  const rules = (count: number) =>
    ({ writable: ["/a"], readOnly: Array.from({ length: count - 1 }, (_, at) => `/${at}`) }) as unknown as SandboxRules;
  assert.equal(renderTooMany(rules(mostMounts)), null);
  assert.match(
    renderTooMany(rules(mostMounts + 1)) ?? "",
    new RegExp(`^${mostMounts + 1} paths .*; at most ${mostMounts} are possible$`),
  );
});

test("a bwrap in a folder that a pass can write to does not count", () => {
  assert.match(judgeBwrap("/usr/bin:/bin", ["/usr", "/bin"])?.message ?? "", /^bwrap is not on PATH outside/);
});
