import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { waitsForRecovery } from "../../lib/anchor/anchor.ts";
import { readHead } from "../../lib/anchor/records.ts";
import { readNotes } from "../../lib/rotation/waiting-notes.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { type CutTask, makeCutTask } from "./cut-off.ts";

/**
 * Makes the anchor what versions before accepted.json left in it: the head of the journal in head.txt, the step in
 * current.json, which held no event, and the note about the model in a file of its own.
 */
function makeOlder({ anchor, read }: CutTask): void {
  const at = (name: string) => join(anchor.folder, name);
  const rewrite = (name: string, change: (record: Record<string, unknown>) => Record<string, unknown>): void => {
    if (existsSync(at(name)))
      writeFileSync(at(name), JSON.stringify(change(JSON.parse(readFileSync(at(name), "utf8")))));
  };
  const marks = readdirSync(anchor.folder).filter((name) => name.startsWith("checkpoint-"));
  for (const name of [...marks, "accepted.json"]) rmSync(at(name), { force: true });
  rewrite("current.json", ({ started: _, ...current }) => ({
    ...current,
    step: marks.length > 0 ? "checkpoint" : current.step,
  }));
  rewrite("commit.json", ({ ends: _, note, ...commit }) => {
    if (note !== undefined) writeFileSync(at("model-notes.json"), `[${String(note)}]`);
    return commit;
  });
  const lines = read("artifacts/journal.jsonl").split("\n");
  writeFileSync(at("head.txt"), sha256(lines.at(-2) ?? ""));
}

for (const { title, call, nth = 1, last, found } of [
  { title: "before its last comparison", call: /^rename .*checkpoint-/, last: "interrupted", found: 1 },
  { title: "while it wrote of its verdict", call: /^rename .*EVIDENCE\.md$/, last: "interrupted", found: 1 },
  { title: "once its verdict was accepted", call: /^write .*log\.txt$/, last: "accepted", found: 0 },
  { title: "before its verdict was let go", call: /^rename .*accepted\.json$/, nth: 2, last: "accepted", found: 0 },
] as const) {
  test(`a pass of an earlier version that was cut off ${title} is recovered, and the next one goes on`, async (t) => {
    const task = await makeCutTask(t, "shape");
    task.propose({ task: { "STATE.md": task.state().replace("go on", "go on and on") } });
    await task.cutOff(call, nth);
    makeOlder(task);
    assert.equal(waitsForRecovery(task.place, task.ports), true);
    const findings = await task.recover();
    assert.equal(findings.length, found, JSON.stringify(findings));
    for (const { message } of findings) assert.doesNotMatch(message, /restored/);
    const verdict = task.events().at(-1);
    assert.deepEqual([verdict?.type, verdict?.type === "verdict" && verdict.verdict], ["verdict", last]);
    const journal = task.read("artifacts/journal.jsonl").trimEnd().split("\n");
    assert.equal(readHead(task.anchor.folder), sha256(journal.at(-1) ?? ""));
    assert.equal(existsSync(join(task.anchor.folder, "head.txt")), false, "there is one head");
    assert.equal(waitsForRecovery(task.place, task.ports), false);
    assert.equal((await task.pass()).exit_code, last === "accepted" ? 23 : 0);
    assert.deepEqual(readNotes(task.anchor), []);
  });
}
