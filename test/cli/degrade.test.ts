import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import type { DegradedEvent, TaskEvent } from "../../lib/rules/events.ts";
import { verdictEvent } from "../rules/arrange.ts";
import { wish } from "./brief-file.ts";
import { eventsAt } from "./task-states.ts";
import { makeCases, makeTaskWorld, type Report, type TaskCase, validator } from "./task-world.ts";

const concurrency = 2;
const log = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`).join("");
const tiers = ", tiers: { cheap: { args: [--model, small] } }";

test("near the end of a budget passes are made cheaper", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);

  /** A task that spent so many dollars, and a model that works for 10 cents and notes its words. */
  async function makeTask(folder: string, spentUsd: number, contract: string, model: string): Promise<TaskCase> {
    const task = await world.makeTask(folder, {
      state: { phase: "implement" },
      contract: [contract, validator],
      files: { "log.txt": log },
      events: async (place) => [
        ...(await eventsAt("implement", place)),
        verdictEvent("implement", "implement", place, { cost_usd: spentUsd }),
      ],
    });
    const inWorld = (name: string) => path.join("cases", folder, name);
    const agent = world.write(
      inWorld("agent.sh"),
      [
        "cat > /dev/null",
        `echo "$@" >> '${world.path(inWorld("argv"))}'`,
        'echo "$TASK_PHASE_PASS" >> "$TASK_PHASE_REPO/work.txt"',
        `echo '{"cost_usd": 0.1}' > "$TASK_PHASE_USAGE_FILE"`,
        "echo did it",
        "",
      ].join("\n"),
    );
    world.write(
      inWorld("tasks/task-phase.yaml"),
      `models:\n  - { name: mine, adapter: command, command: [/bin/sh, ${JSON.stringify(agent)}], estimate_usd: 0.1, args: [--model, big]${model} }\n`,
    );
    return task;
  }
  const argvOf = (folder: string) =>
    world
      .read(path.join("cases", folder, "argv"))
      .trimEnd()
      .split("\n");
  const told = ({ findings }: Report) => findings.map(({ code, message }) => `${code} ${message}`);
  const shape = (prompt: string) => ({
    logLines: prompt.match(/^line \d+$/gm)?.length ?? 0,
    selfReview: prompt.includes("## Before you end, check once more"),
  });
  const eventsOf = <Type extends TaskEvent["type"]>(task: TaskCase, type: Type) =>
    task.events().filter((event) => event.type === type) as unknown as Extract<TaskEvent, { type: Type }>[];

  it("82 % of the money: the cheap tier, then a small context, then no self-review, one more each pass", async (folder) => {
    const task = await makeTask(folder, 16.4, "budget: { money_usd: 20 }", tiers);
    const reports: Report[] = [];
    for (let count = 0; count < 4; count += 1) reports.push(await task.pass());
    assert.deepEqual(
      reports.map(({ exit_code }) => exit_code),
      [0, 0, 0, 0],
    );
    const steps = [
      ["cheap_tier"],
      ["cheap_tier", "small_context"],
      ["cheap_tier", "small_context", "no_self_review"],
      ["cheap_tier", "small_context", "no_self_review"],
    ];
    assert.deepEqual(
      eventsOf(task, "degraded").map((event: DegradedEvent) => [event.steps, event.reason]),
      [82, 82, 83].map((percent, index) => [steps[index], `\`budget.money_usd\` of the task is ${percent} % used`]),
    );
    const starts = eventsOf(task, "pass_started");
    assert.deepEqual(
      starts.map(({ degrade, tier }) => [degrade, tier]),
      steps.map((each) => [each, "cheap"]),
    );
    const order = task.events().flatMap(({ type }) => (type === "degraded" || type === "pass_started" ? [type] : []));
    assert.deepEqual(order.slice(0, 4), ["degraded", "pass_started", "degraded", "pass_started"]);
    assert.deepEqual(argvOf(folder), Array(4).fill("--model small"));
    // The runner adds lines of its own to log.txt, so fewer of the prepared ones are left among the last.
    const [first, second, third] = ["0002", "0003", "0004"].map((pass) =>
      shape(task.read(`artifacts/passes/${pass}/prompt.md`)),
    );
    assert.deepEqual([first?.selfReview, second?.selfReview, third?.selfReview], [true, true, false]);
    assert.deepEqual([first?.logLines, (second?.logLines ?? 99) < 10, (third?.logLines ?? 99) < 10], [49, true, true]);
    assert.deepEqual(told(reports[1] as Report), [
      "TP_DEGRADED this pass is cheaper by cheap_tier, small_context: `budget.money_usd` of the task is 82 % used",
    ]);
    assert.match(task.read("log.txt"), /passes are cheaper by cheap_tier: `budget\.money_usd` of the task/);
  });

  it("a dry run shows the prompt that would be used, and writes nothing", async (folder) => {
    const task = await makeTask(folder, 9, "budget: { money_usd: 10 }", tiers);
    await task.pass();
    const before = [task.read("artifacts/journal.jsonl"), task.read("log.txt")];
    const report = (await task.pass("--dry-run")) as Report & { readonly prompt: string };
    assert.equal(shape(report.prompt).logLines < 10, true);
    assert.match(told(report)[0] ?? "", /^TP_DEGRADED .* by cheap_tier, small_context/);
    assert.deepEqual([task.read("artifacts/journal.jsonl"), task.read("log.txt")], before);
  });

  it("a shortened prompt never ends in half of a secret", async (folder) => {
    const task = await makeTask(folder, 9, "budget: { money_usd: 10 }", tiers);
    await task.pass();
    const token = `ghp_${"a1B2".repeat(9)}`;
    const text = `${"word ".repeat(594 - Math.ceil(wish.length / 5))}${token} ${"word ".repeat(50)}`;
    task.write("README.md", `${task.read("README.md")}${text}\n`);
    const { prompt } = (await task.pass("--dry-run")) as Report & { readonly prompt: string };
    assert.match(prompt, /The beginning of the brief\./);
    assert.match(prompt, /word \[red/);
    assert.doesNotMatch(prompt, /ghp_/);
  });

  await Promise.all(cases);
});
