import assert from "node:assert/strict";
import { test } from "node:test";
import { listPasses } from "../../lib/evidence/model/passes.ts";
import { drawPhases } from "../../lib/evidence/page/svg-phases.ts";
import { drawSpend } from "../../lib/evidence/page/svg-spend.ts";
import { drawTimeline } from "../../lib/evidence/page/svg-timeline.ts";
import { phaseNames, phases } from "../../lib/machine/phases.ts";
import { events, verdict } from "./sample-task.ts";

const sample = listPasses(events);
const transitions = phaseNames.flatMap((from) => phases[from].next.map((to) => `${from} ${to}`));

test("the diagram has a box for each phase and a line for each transition of the table", () => {
  const drawing = drawPhases(null, []);
  assert.deepEqual(
    drawing.boxes.map(({ label, mark }) => `${label} ${mark}`),
    phaseNames.map((name) => `${name.replaceAll("_", " ")} ahead`),
  );
  assert.equal(drawing.lines.length, transitions.length);
  assert.equal(new Set(drawing.lines.map(({ path }) => path)).size, transitions.length);
  assert.equal(drawing.dots.length, transitions.filter((move) => / (blocked|needs_user_decision)$/.test(move)).length);
  assert.equal(drawing.summary, "No phase yet.");
  for (const { x, y, width, height } of drawing.boxes) {
    assert.ok(x >= 0 && y >= 0 && x + width <= drawing.width && y + height <= drawing.height);
  }
});

test("the present phase, those that were reached and the transitions that were accepted are marked, in words too", () => {
  const drawing = drawPhases("done", sample);
  assert.deepEqual(
    drawing.boxes.map(({ label }) => label),
    [
      ...["✓ intake", "✓ shape", "✓ implement", "✓ verify", "✓ review", "✓ repair", "done (now)", "blocked"],
      "needs user decision",
    ],
  );
  // intake → shape, implement → verify, verify → repair, repair → verify, review → done.
  assert.equal(drawing.lines.filter(({ taken }) => taken).length, 5);
  assert.equal(
    drawing.summary,
    "The task is in done. It has been in intake, shape, implement, verify, review, repair.",
  );
  assert.deepEqual(
    [drawing.words[3], drawing.words[6], drawing.words[7]].map((line) => line?.text),
    [
      "reached, 1 pass; leads to review, repair, blocked, needs user decision",
      "here now; no pass continues from here",
      "not reached; no pass continues from here",
    ],
  );
});

test("each pass stands in the lane of its phase with its verdict, its duration and its model", () => {
  const timeline = drawTimeline(sample, "done");
  assert.deepEqual(
    timeline.lanes.map(({ name }) => name),
    ["intake", "shape", "implement", "verify", "repair", "review", "done"],
  );
  assert.deepEqual(
    timeline.passes.map(({ verdict: name, y }) => `${name} ${timeline.lanes.find(({ middle }) => middle === y)?.name}`),
    [
      ...["accepted intake", "rejected shape", "accepted implement", "redirected verify", "accepted repair"],
      "accepted review",
    ],
  );
  assert.equal(timeline.passes[3]?.label, "Pass 4: verify to repair, redirected, 1m1s, model mine");
  assert.deepEqual([timeline.end?.label, timeline.earlier], ["done", 0]);
  assert.deepEqual(
    timeline.legend.map(({ name }) => name),
    ["accepted", "redirected", "rejected"],
  );
});

test("what is not known of a pass is said so, and of 300 passes the newest are drawn", () => {
  const recovered = { type: "recovered", at: "2026-11-21T11:00:00Z", pass: 300, restored: [], ended: 0 } as const;
  const long = Array.from({ length: 299 }, (_, index) =>
    verdict(index + 1, { model: "a-long-name", duration_ms: 650_000 }),
  );
  const timeline = drawTimeline(listPasses([...long, recovered]), "implement");
  assert.deepEqual([timeline.passes.length, timeline.earlier, timeline.end], [60, 240, null]);
  const last = timeline.passes.at(-1);
  assert.deepEqual(
    [last?.duration, last?.bar, last?.model, last?.verdict, last?.label],
    ["?", null, "?", "interrupted", "Pass 300: not judged, interrupted, duration not known, model not known"],
  );
  assert.deepEqual([timeline.passes[0]?.duration, timeline.passes[0]?.model], ["11m", "a-long…"]);
  assert.deepEqual(drawTimeline([], null).passes, []);
});

test("cost and tokens are bars, 0 is 0, and what nobody reported is an outline with the word", () => {
  const rows = listPasses([
    verdict(1, { cost_usd: 0, tokens: { input: 500, output: null } }),
    verdict(2, { cost_usd: null, tokens: { input: null, output: null } }),
    verdict(3, { cost_usd: 1250, tokens: { input: 150_000, output: 1_000 } }),
    verdict(4, { cost_usd: 0.004, tokens: { input: 2e9, output: 3e6 } }),
  ]);
  const chart = drawSpend(rows);
  const bars = chart.charts.map(({ bars: each }) =>
    each.map(({ text, unknown, height }) => ({ text, unknown, height })),
  );
  assert.deepEqual(bars, [
    [
      { text: "$0.00", unknown: false, height: 0 },
      { text: "not known", unknown: true, height: 70 },
      { text: "$1.3k", unknown: false, height: 70 },
      { text: "$0.0040", unknown: false, height: 1.5 },
    ],
    [
      { text: "500+", unknown: false, height: 1.5 },
      { text: "not known", unknown: true, height: 70 },
      { text: "151k", unknown: false, height: 1.5 },
      { text: "2.0G", unknown: false, height: 70 },
    ],
  ]);
  assert.equal(chart.summary, "4 passes cost $1250.00 in all; of 1 pass it is not known. The table holds each number.");
  assert.equal(drawSpend(rows.slice(1, 2)).summary, "The cost of 1 pass is not known.");
});
