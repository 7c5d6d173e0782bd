import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { validator } from "../../cli/task-world.ts";
import { brokenLinks, renderLikeAHost } from "../../pages/render-like-a-host.ts";
import { makeCutTask } from "./cut-off.ts";

for (const [title, call] of [
  ["before anything is packed", /^open \S+\/passes\/\.tp-\*\.tmp$/],
  ["in the middle of it", /^(?:rm|unlink|rmdir) \S+\/passes\/0002\/\S+\.log$/],
  ["before the pages are written", /^open \S+\/T-1\/\.tp-\*\.tmp$/],
] as const) {
  test(`keep: proof that is cut off ${title} is finished by the next run`, async (t) => {
    const task = await makeCutTask(t, "verify", { contract: [validator, "proof: { without: off, fresh: 0 }"] });
    const config = join(task.folder, "tasks", "task-phase.yaml");
    writeFileSync(config, `${readFileSync(config, "utf8")}keep: proof\n`);
    const to = (phase: string): void =>
      task.propose({ task: { "STATE.md": task.state().replace(/^- Phase: \w+$/m, `- Phase: ${phase}`) } });
    to("review");
    assert.equal((await task.pass()).to, "review");
    to("done");
    let isPacking = false;
    await task.cutOff({
      test: (made) => {
        isPacking ||= /^open \S+\/passes\/\.tp-\*\.tmp$/.test(made);
        return isPacking && call.test(made);
      },
    });
    assert.equal((await task.run()).code, 0);
    assert.deepEqual(task.list("artifacts/passes"), ["packed.jsonl"]);
    assert.equal(task.exists("artifacts/checkpoint.json"), false);
    for (const name of ["EVIDENCE.md", "SUMMARY.md"])
      assert.deepEqual(brokenLinks(renderLikeAHost(task.read(name)), task.taskDir), [], name);
  });
}
