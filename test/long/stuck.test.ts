import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, stateFile } from "../cli/task-states.ts";
import { makeCases, makeTaskWorld, type TaskCase } from "../cli/task-world.ts";

const concurrency = 2;
/** Fails with what why.txt says. */
const failing = "validators: [{ name: tests, command: [sh, -c, 'cat why.txt; exit 1'] }]";

type Told = readonly [exit: number, verdict: string | null, to: string | null];

async function told(task: TaskCase): Promise<Told> {
  const report = await task.pass();
  return [report.exit_code, report.verdict, report.to];
}

/** How the next prompt begins: what went wrong, and the part about the retry. */
async function retryPart(task: TaskCase): Promise<string> {
  const { prompt } = (await task.pass("--dry-run")) as unknown as { prompt: string };
  return prompt.startsWith("# ") ? "" : prompt.slice(0, prompt.indexOf("\n# "));
}

function causeOf(task: TaskCase): string | undefined {
  return task.events().findLast((event) => event.type === "verdict")?.escalation?.cause;
}

test("a failure that repeats", { concurrency }, async (t) => {
  const world = makeTaskWorld(t);
  const { cases, it } = makeCases(t);
  const { taskAt } = world;

  /** From verify: each of these is what the validator says once, with an accepted repair between two of them. */
  async function failWith(folder: string, whys: readonly string[]) {
    const task = await taskAt(folder, "verify", { contract: [failing], repo: { "why.txt": whys[0] ?? "" } });
    const ends: Told[] = [];
    for (const [index, why] of whys.slice(1).concat("").entries()) {
      task.propose({ task: { "STATE.md": stateFile({ phase: "review" }) } });
      ends.push(await told(task));
      if (index === whys.length - 1 || ends.at(-1)?.[2] !== "repair") break;
      const next = stateFile({ phase: "verify", fields: { "Next step": `mended ${index}` } });
      task.propose({ task: { "STATE.md": next }, repo: { "why.txt": why } });
      assert.deepEqual(await told(task), [0, "accepted", "verify"]);
    }
    return { task, ends };
  }
  const again: Told = [0, "redirected", "repair"];

  it("redirected: the third is stuck, and Blockers are the summary of what a person must do", async (folder) => {
    const { task, ends } = await failWith(folder, [
      "\u001b[31mnot ok 1 - header\u001b[0m\nnot ok 2 - footer\n# 12.5 ms, port 3456, /tmp/a8f\n",
      "not ok 7 - footer\nnot ok 9 - header\n# 1.2 s, port 50123, /var/x/y\n",
      "not ok 7 - footer\nnot ok 9 - header\n# 1m 2s, port 1, /tmp/0b1c2d3e4f\n",
    ]);
    assert.deepEqual(ends, [again, again, [23, "redirected", "blocked"]]);
    assert.match(
      fieldOf(task.state(), "Blockers") ?? "",
      /^Stopped by task-phase: 3 passes ended the same way \(validator tests failed: it ended with 1.*\): passes 1, 3 and 5, and each retry was told to try less and to change one thing\. What a person can do: read the newest pass and last_error\.txt, change the brief or the code, then `task-phase resume T-1 --to verify --reason TEXT`\.$/,
    );
    assert.deepEqual([causeOf(task), task.exists("DEFERRED.md")], ["stuck", false]);
    assert.match(task.read("last_error.txt"), /, the same 3 times\n/);
    const calls = task.calls();
    assert.deepEqual([(await task.pass()).exit_code, task.calls()], [21, calls]);
    assert.equal((await task.command("check")).code, 0);
  });

  it("no progress: the third is stuck, and what makes progress begins the row anew", async (folder) => {
    const task = await taskAt(folder, "implement");
    const idle = { output: "I thought about it\n" };
    task.propose(idle);
    const idles: Told = [23, "no_progress", "implement"];
    assert.deepEqual([await told(task), await told(task)], [idles, idles]);
    assert.match(await retryPart(task), /It changed no file\. Its answer began:\n\n```text\nI thought about it\n```/);
    task.propose({ task: { "STATE.md": stateFile({ phase: "implement", fields: { "Next step": "one" } }) } });
    assert.deepEqual(await told(task), [0, "accepted", "implement"]);
    task.propose(idle);
    assert.deepEqual([await told(task), await told(task)], [idles, idles]);
    assert.deepEqual(await told(task), [23, "no_progress", "blocked"]);
    assert.equal(causeOf(task), "no_progress");
    assert.match(fieldOf(task.state(), "Blockers") ?? "", /passes 4, 5 and 6.*ask for a smaller next step/);
  });

  await Promise.all(cases);
});
