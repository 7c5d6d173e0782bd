import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CommittedMove, claimMessage, commitMessage } from "../../../lib/pass/checkpoint/commit-message.ts";

const event: CommittedMove = { from: "implement", to: "review", pass: 7, verdict: "accepted" };
const runner = { worker: "w1", host: "host-a", attempt: "a1", task_phase: "0.1.0", node: "20.19.0" };

describe("the message of a commit", () => {
  it("is one line for people, and trailers; control characters are written out, and long ids cut", () => {
    assert.equal(
      commitMessage("T-1", event),
      "task-phase: T-1 implement → review (accepted, pass 7)\n\nTask-Phase-Task: T-1\nTask-Phase-Pass: 7\nTask-Phase-Verdict: accepted\n",
    );
    assert.match(
      commitMessage("T-1", event, { reviews: ["security (claude): 2 minor"] }),
      /\nTask-Phase-Review: security \(claude\): 2 minor\n$/,
    );
    assert.equal(
      commitMessage("T-1", { ...event, open_questions: ["Q1", "Q2"] }),
      "task-phase: T-1 implement → review (accepted, asks Q1, Q2, pass 7)\n\nTask-Phase-Task: T-1\nTask-Phase-Pass: 7\nTask-Phase-Verdict: accepted\nTask-Phase-Asks: Q1, Q2\n",
    );
    const lines = commitMessage(`x\n\u001b[31m${"y".repeat(300)}`, event).split("\n");
    assert.deepEqual([lines.length, lines[0]?.startsWith("task-phase: x\\n\\x1b[31myyy")], [6, true]);
    assert.ok(lines.every((line) => line.length < 230));
  });

  it("may have a subject of its own, and names the runner among several machines", () => {
    const message = commitMessage(" T-1 ", { ...event, verdict: "stopped" }, { subject: "Export the answer", runner });
    assert.equal(
      message,
      "Export the answer\n\nTask-Phase-Task: T-1\nTask-Phase-Pass: 7\nTask-Phase-Verdict: stopped\nTask-Phase-Worker: w1\nTask-Phase-Attempt: a1\n",
    );
  });

  it("of a claim has no verdict, and says whether checks or reviewers come first", () => {
    const claim = { pass: 3, phase: "shape", model: "mine", isAhead: true };
    assert.equal(
      claimMessage("T-1", claim, runner),
      "task-phase: T-1 pass 3 is claimed (shape, mine)\n\nTask-Phase-Task: T-1\nTask-Phase-Claim: 3\nTask-Phase-Worker: w1\nTask-Phase-Attempt: a1\n",
    );
    const begins = claimMessage("T-1", { ...claim, model: null, isAhead: false }, runner);
    assert.match(begins, /^task-phase: T-1 pass 3 begins \(shape, no model\)\n/);
  });
});
