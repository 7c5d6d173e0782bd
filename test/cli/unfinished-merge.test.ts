import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openQuestion } from "./task-states.ts";
import { makeTaskWorld, type TaskCase, type TaskWorld } from "./task-world.ts";

const readers = ["status", "run", "check", "show", "evidence", "board"] as const;

/** What each reader prints, by its name. */
async function readAll(world: TaskWorld, task: TaskCase): Promise<Map<string, { code: number | null; text: string }>> {
  const ends = await Promise.all(
    readers.map(async (word) => {
      const root = path.dirname(task.taskDir);
      const end =
        word === "board" ? await world.call("task-phase", ["board", "--tasks-root", root]) : await task.command(word);
      return [word, { code: end.code, text: end.stdout + end.stderr }] as const;
    }),
  );
  return new Map(ends);
}

test("an unfinished merge is one message in every reader, with its line and what to do", async (t) => {
  const world = makeTaskWorld(t);
  const task = await world.taskAt("merge", "implement", {
    files: { "DECISIONS.md": openQuestion, "TASKS.md": "- [ ] one\n", "EVIDENCE.md": "# Evidence: T-1\n" },
  });
  const files = ["STATE.md", "README.md", "TASKS.md", "DECISIONS.md", "EVIDENCE.md", "artifacts/journal.jsonl"];
  for (const name of [...files, "../task-phase.yaml"]) {
    const file = path.join(task.taskDir, name);
    const good = readFileSync(file, "utf8");
    const [first = "", ...rest] = good.split("\n");
    const spoiled = [first, "<<<<<<< HEAD", ...rest.slice(0, 1), "=======", "other", ">>>>>>> side", ...rest].join(
      "\n",
    );
    writeFileSync(file, spoiled);
    for (const [word, { code, text }] of await readAll(world, task)) {
      const told = text.split("unfinished merge (line 2: <<<<<<<)").length - 1;
      assert.ok(told >= 1, `${word} says nothing of ${name}: ${text}`);
      assert.ok(text.match(/\berror: /g)?.length === 1 || word !== "run", `${word}, ${name}: ${text}`);
      assert.match(text, /git merge --abort/, `${word}, ${name}`);
      assert.notEqual(code, 1, `${word}, ${name}: ${text}`);
    }
    assert.equal(readFileSync(file, "utf8"), spoiled, name);
    writeFileSync(file, good);
  }
  task.write("README.md", `${task.read("README.md")}\n\`\`\`text\n<<<<<<< HEAD\n\`\`\`\n`);
  assert.equal((await task.pass("--dry-run")).exit_code, 22);
});
