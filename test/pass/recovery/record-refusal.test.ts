import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { RefusedError } from "../../../lib/notify/events/refused-error.ts";
import { notingEarlyRefusal, notingRefusal } from "../../../lib/pass/recovery/record-refusal.ts";
import { lockTask } from "../../../lib/task/locks.ts";
import type { PassPorts } from "../../../lib/task/records/ports.ts";
import { configError, dataError, TaskPhaseError, usageError } from "../../../lib/text/errors.ts";
import { fieldOf } from "../../cli/task-states.ts";
import type { TaskSpec } from "../../cli/task-world.ts";
import { holdTask, noon } from "../verdict/arrange.ts";

const wrong = (file: string | null = null) =>
  configError("TP_NO_CHECK", "there is\nno check", { file, line: 3, column: 1, fix: "write one" });

async function caught(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return assert.fail("it does not throw");
}

async function make(t: TestContext, spec: Partial<TaskSpec> = {}) {
  const { session, task } = await holdTask(t, "implement", spec);
  const refuse = (error: Error = wrong(session.place.readme), ports: PassPorts = session.ports) =>
    caught(() =>
      notingRefusal(ports === session.ports ? session : { ...session, ports }, null, () => {
        throw error;
      }),
    );
  const early = (error: Error, request: { repo?: string; config?: string } = {}) =>
    caught(() =>
      notingEarlyRefusal(session.place, { repo: null, config: null, ...request }, session.ports, () => {
        throw error;
      }),
    );
  return { session, task, refuse, early };
}

test("a config error is written to last_error.txt, log.txt and Status, with its place in the tasks root", async (t) => {
  const { session, task, refuse } = await make(t);
  const error = await refuse();
  assert.ok(error instanceof RefusedError && error.isNews);
  const said =
    "refused before pass 1, exit 78\n\nReasons:\n- TP_NO_CHECK T-1/README.md:3:1: there is no check; write one\n";
  assert.equal(task.read("last_error.txt"), `${noon} ${said}`);
  assert.equal(task.read("log.txt"), `${noon} refused before pass 1: TP_NO_CHECK there is no check\n`);
  assert.equal(fieldOf(task.state(), "Status"), "refused: there is no check");
  assert.deepEqual(session.journal.events.at(-1)?.type, "held");
});

test("the same refusal again is no news, and is not logged again; another one is", async (t) => {
  const { task, refuse } = await make(t);
  await refuse();
  const again = await refuse();
  assert.ok(again instanceof RefusedError && !again.isNews);
  assert.equal(task.read("log.txt").split("\n").length, 2);
  const other = await refuse(configError("TP_REPO", "there is no repo", {}));
  assert.ok(other instanceof RefusedError && other.isNews);
  assert.match(task.read("last_error.txt"), /- TP_REPO: there is no repo\n$/);
});

test("in a clone that is gone after the call, the state folder remembers what was said", async (t) => {
  const { session, task, refuse } = await make(t);
  const ports = { ...session.ports, fence: {} as NonNullable<PassPorts["fence"]> };
  const { seq } = session.journal;
  const first = await refuse(wrong(), ports);
  assert.ok(first instanceof RefusedError && first.isNews);
  assert.equal(session.journal.seq, seq, "the branch must not fall behind this machine");
  task.write("last_error.txt", "an older one\n");
  const again = await refuse(wrong(), ports);
  assert.ok(again instanceof RefusedError && !again.isNews);
});

test("any other error, and a state folder in the wrong place, is thrown as it is and written nowhere", async (t) => {
  const { task, refuse, early } = await make(t);
  for (const error of [
    new Error("a defect"),
    dataError("TP_X", "x", {}),
    usageError("TP_Y", "y", {}),
    configError("TP_STATE_HOME", "z", {}),
  ]) {
    assert.equal(await refuse(error), error);
    assert.equal(await early(error), error);
  }
  assert.deepEqual([task.exists("last_error.txt"), task.exists("log.txt")], [false, false]);
});

test("a secret in the words of an error is not written", async (t) => {
  const { task, refuse } = await make(t);
  await refuse(configError("TP_X", `no ghp_${"a1B2".repeat(9)}`, {}));
  assert.match(task.read("last_error.txt"), /no \[redacted:github\]/);
});

test("a refusal that cannot be written is still given, with the file that is in the way", async (t) => {
  const { task, refuse } = await make(t);
  task.write("last_error.txt/in/the.way", "");
  const error = await refuse();
  assert(error instanceof TaskPhaseError && !(error instanceof RefusedError));
  assert.equal(error.exitName, "config");
  assert.deepEqual(
    error.findings.map(({ severity, code }) => `${severity} ${code}`),
    ["error TP_NO_CHECK", "warning TP_DISK"],
  );
});

test("what comes before the lock is written under it, and not while another runner holds the task", async (t) => {
  const { session, task, early } = await make(t);
  const locks = lockTask(session.place, session.ports);
  const held = wrong();
  assert.equal(await early(held), held);
  assert.ok(!task.exists("last_error.txt"));
  locks.release();
  assert.ok((await early(wrong())) instanceof RefusedError);
  assert.match(task.read("last_error.txt"), /TP_NO_CHECK/);
  assert.equal(task.events().at(-1)?.type, "held");
});

test("a flag of the call that is wrong is not the task's fault", async (t) => {
  const { session, task, early } = await make(t);
  const repo = configError("TP_REPO", "no such repo", {});
  assert.equal(await early(repo, { repo: "x" }), repo);
  const named = configError("TP_CONFIG_VALUE", "wrong", { file: `${session.ports.cwd}/c.yaml` });
  assert.equal(await early(named, { config: "c.yaml" }), named);
  assert.ok(!task.exists("last_error.txt"));
  assert.ok((await early(repo)) instanceof RefusedError);
  assert.ok(
    (await early(configError("TP_CONFIG_VALUE", "wrong", { file: "/d.yaml" }), { config: "c.yaml" })) instanceof
      RefusedError,
  );
});

test("a task that never ran is refused in its own files alone", async (t) => {
  const { session, task, early } = await make(t, {
    events: null,
    state: { phase: "intake", fields: { Status: "new" } },
  });
  rmSync(session.anchor.folder, { recursive: true });
  assert.ok((await early(wrong())) instanceof RefusedError);
  assert.deepEqual(readdirSync(session.anchor.folder), ["task.lock"]);
  assert.equal(fieldOf(task.state(), "Status"), "refused: there is no check");
  assert.ok(!task.exists("artifacts/journal.jsonl"));
  assert.equal(session.journal.seq, 0);
});
