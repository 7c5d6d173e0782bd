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
