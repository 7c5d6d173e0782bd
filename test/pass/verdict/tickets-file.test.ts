import assert from "node:assert/strict";
import { test } from "node:test";
import { leadsToRepair, renderTickets, writeTickets } from "../../../lib/pass/verdict/tickets-file.ts";
import type { Decision, Ticket } from "../../../lib/rules/decision.ts";
import type { Phase } from "../../../lib/rules/phases.ts";
import { gatherSyncs } from "../../../lib/store/folder.ts";
import { holdTask } from "./arrange.ts";

test("a verdict leads to repair if it redirects, or if it accepts a move there", () => {
  const leads = (verdict: Decision["verdict"], from: Phase, to: Phase) =>
    leadsToRepair({ verdict, from, to } as Decision);
  assert.deepEqual(
    [
      ...[leads("redirected", "verify", "repair"), leads("accepted", "verify", "repair")],
      ...[
        leads("accepted", "repair", "repair"),
        leads("accepted", "verify", "review"),
        leads("rejected", "verify", "repair"),
      ],
    ],
    [true, true, false, false, false],
  );
});

test("a ticket is a section of its own, whose text cannot end its fence", () => {
  const ticket: Ticket = { id: "validator:a", source: "validator", name: "a *b*", text: "one\n```\n# two" };
  const text = renderTickets([ticket]);
  assert.match(text, /^# Tickets\n\n## validator:a\n\n- Source: validator\n- Name: a &#42;b&#42;\n\n````/);
  assert.ok(text.includes("````text\none\n```\n# two\n````"));
});

test("a verdict with tickets has them as a file of its pass, without secrets, and one without has no file", async (t) => {
  const { session, task } = await holdTask(t, "implement");
  const ticket = { id: "t", source: "validator", name: "n", text: `ghp_${"a1B2".repeat(9)}` } as const;
  const write = (pass: number, tickets: readonly Ticket[]) =>
    writeTickets({ session, pass }, { tickets } as Decision, gatherSyncs());
  write(2, []);
  assert.ok(!task.exists("artifacts/passes/0002"));
  write(3, [ticket]);
  assert.match(task.read("artifacts/passes/0003/tickets.md"), /\[redacted:github\]/);
});
