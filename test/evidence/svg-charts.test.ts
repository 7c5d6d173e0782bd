import assert from "node:assert/strict";
import { test } from "node:test";
import { listPasses } from "../../lib/evidence/model/passes.ts";
import { drawSpend } from "../../lib/evidence/page/svg-spend.ts";
import { drawTimeline } from "../../lib/evidence/page/svg-timeline.ts";
import { events, verdict } from "./sample-task.ts";

const sample = listPasses(events);

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
  const chart = drawSpend(rows) ?? assert.fail();
  const bars = chart.charts.map(({ bars: each }) =>
    each.map(({ text, unknown, height }) => ({ text, unknown, height })),
  );
  assert.deepEqual(bars, [
    [
      { text: "0.00", unknown: false, height: 0 },
      { text: "not known", unknown: true, height: 70 },
      { text: "1.3k", unknown: false, height: 70 },
      { text: "0.004", unknown: false, height: 1.5 },
    ],
    [
      { text: "500+", unknown: false, height: 1.5 },
      { text: "not known", unknown: true, height: 70 },
      { text: "151k", unknown: false, height: 1.5 },
      { text: "2.0G", unknown: false, height: 70 },
    ],
  ]);
  assert.equal(
    chart.summary,
    "4 passes cost 1250.004 USD in all; of 1 pass it is not known. The table holds each number.",
  );
});

test("what nobody reported, and what is the same in every pass, is no chart", () => {
  const same = { cost_usd: 0.2, tokens: { input: 5, output: 5 } };
  assert.equal(drawSpend(listPasses([verdict(1, same), verdict(2, same)])), null);
  const unknown = { cost_usd: null, tokens: { input: null, output: null } };
  assert.equal(drawSpend(listPasses([verdict(1, unknown), verdict(2, unknown), verdict(3, same)])), null);
  const dearer = drawSpend(listPasses([verdict(1, same), verdict(2, { ...same, cost_usd: 0.3 })]));
  assert.deepEqual(
    dearer?.charts.map(({ name }) => name),
    ["cost"],
  );
});
