import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTaskWorld, validator } from "./task-world.ts";
import { arrange, propose } from "./transition-case.ts";

const contract = ["user_facing: true", validator];
const files = { "EVIDENCE.md": "# Evidence\n" };

function checklist(...rows: readonly string[]): string {
  return `## Visible features\n\n| Feature | Label | Proof |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

test("the feature checklist is read from EVIDENCE.md if STATE.md has none, by gates, page and journal", async (t) => {
  const task = await arrange(makeTaskWorld(t), "one", "shape", { contract, files });
  const offer = (evidence: string) =>
    task.propose({ task: { ...propose("shape", "implement").task, "EVIDENCE.md": evidence } });
  offer(`${task.read("EVIDENCE.md")}\n${checklist("| Export | works | |")}`);
  const odd = (await task.run("--json")).json();
  assert.match(String(odd.reason), /illegal labels: "Export" is labelled "works"/);

  offer(task.read("EVIDENCE.md").replace("| works |", "| blocked_hidden |"));
  assert.equal((await task.run("--json")).json().verdict, "accepted");
  const event = task.events().findLast((each) => each.type === "verdict");
  assert.deepEqual(event?.type === "verdict" && event.features, ["Export"]);
  assert.match(task.read("artifacts/evidence.html"), /Export<\/th>.*blocked hidden/);
});

test("STATE.md's own checklist comes first", async (t) => {
  const task = await arrange(makeTaskWorld(t), "one", "shape", { contract, files });
  const own = propose("shape", "implement", { features: [["Import", "blocked_hidden", ""]] }).task;
  task.propose({
    task: { ...own, "EVIDENCE.md": `${task.read("EVIDENCE.md")}\n${checklist("| Export | works | |")}` },
  });
  assert.equal((await task.run("--json")).json().verdict, "accepted");
  const event = task.events().findLast((each) => each.type === "verdict");
  assert.deepEqual(event?.type === "verdict" && event.features, ["Import"]);
});

test("a row may not vanish from EVIDENCE.md by a pass either", async (t) => {
  const task = await arrange(makeTaskWorld(t), "one", "verify", {
    contract,
    files,
    before: { features: [["Export", "blocked_hidden", ""]] },
  });
  const evidence = task.read("EVIDENCE.md");
  task.propose({
    task: {
      ...propose("verify", "verify").task,
      "EVIDENCE.md": `${evidence}\n${checklist("| Export | blocked_hidden | |")}`,
    },
  });
  assert.equal((await task.run("--json")).json().verdict, "accepted");
  const kept = task.read("EVIDENCE.md").replace(checklist("| Export | blocked_hidden | |"), "");
  task.propose({ task: { ...propose("verify", "review").task, "EVIDENCE.md": kept } });
  assert.match(String((await task.run("--json")).json().reason), /visible features vanished: Export/);
});
