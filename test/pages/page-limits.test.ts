import assert from "node:assert/strict";
import { test } from "node:test";
import { buildEvidenceModel } from "../../lib/pages/model/build-model.ts";
import { renderEvidencePage } from "../../lib/pages/page/evidence-page.ts";
import { noPageFiles, type PageFiles } from "../../lib/pages/page/page-files.ts";
import { readLogText } from "../../lib/pages/page/page-log.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import { readTags } from "./read-tags.ts";
import { artifacts, check, sampleTask, stateView, verdict } from "./sample-task.ts";

/** Characters that grow most in HTML. */
const worst = (length: number) => `"'<>&\u0000\u202e`.repeat(Math.ceil(length / 7)).slice(0, length);
const count = <Value>(length: number, make: (index: number) => Value) =>
  Array.from({ length }, (_, index) => make(index));

const manyEvents: readonly TaskEvent[] = [
  ...count(400, () => ({
    type: "state_edited" as const,
    at: "2026-11-21T10:00:00.000Z",
    ...{ from: "implement" as const, to: "implement" as const, reopened: false, features: [], tickets: [], state: "" },
    overridden: [worst(400)],
  })),
  ...count(299, (index) =>
    verdict(index + 1, {
      ...{ reason: worst(2000), model: worst(400), cost_usd: index % 3 === 0 ? null : index },
      changed_paths: count(10, (at) => ({ path: `${worst(200)}${index}-${at}`, change: "added" })),
    }),
  ),
  verdict(300, {
    verdict: "rejected",
    watched: count(400, (at) => ({
      ...{
        name: `${worst(300)}${at}`,
        kind: "test" as const,
        change: "changed" as const,
        digest: "d",
        side: "checks" as const,
        answer: null,
      },
      detail: worst(500),
    })),
    checks: {
      ...{ fingerprint_before: "a", fingerprint_after: "a", attempts: 2, moved: [worst(5000)] },
      results: count(200, (at) =>
        check({ name: `${worst(300)}${at}`, status: "fail", excerpt: worst(2000), command: [worst(3000)] }),
      ),
    },
    gates: count(2000, () => ({ gate: worst(400), ok: false, detail: worst(400) })),
    tickets: count(2000, (at) => ({ id: `x:${at}`, source: "finding" as const, name: worst(400), text: worst(900) })),
  }),
];

function hugeFiles(): PageFiles {
  const line = worst(900);
  const patch = ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -0,0 +1,6000 @@", ...count(6000, () => `+${line}`)];
  const log = readLogText(count(5000, () => worst(100)).join("\n"), 1, (text) => text);
  const row = artifacts[0] ?? assert.fail();
  return {
    patches: [{ title: "Pass 1", path: "artifacts/passes/0001/task.patch", read: { text: patch.join("\n") } }],
    logs: count(40, (index) => ({
      ...{ name: `${worst(300)}${index}`, path: "artifacts/passes/0001/stdout.log", failed: true, urgent: true },
      read: { size: 5e7, log },
    })),
    images: count(3, () => ({ row, type: "png" as const, bytes: Buffer.alloc(400_000, 255) })),
  };
}

test("the page stays under 5 MB whatever is recorded, its markup whole, and says what each part leaves out", () => {
  const rows = count(10_000, (index) => ({
    ...(artifacts[0] ?? assert.fail()),
    ...{ path: `artifacts/${"deep/".repeat(20)}${index}.txt`, href: `artifacts/${"deep/".repeat(20)}${index}.txt` },
  }));
  const runner = count(10_000, (index) => ({
    ...(artifacts[2] ?? assert.fail()),
    path: `artifacts/passes/${String(index % 300).padStart(4, "0")}/${worst(50)}${index}`,
  }));
  const features = count(2000, () => ({ feature: worst(400), label: "real_working", proof: worst(400) }));
  const input = sampleTask({
    task: { id: worst(400), title: worst(400) },
    events: manyEvents,
    artifacts: [...rows, ...runner],
    state: stateView({ features }, { objective: worst(200_000), blockers: worst(3000) }),
  });
  const page = renderEvidencePage(buildEvidenceModel(input), hugeFiles());
  const bytes = Buffer.byteLength(page);
  assert.ok(bytes < 5_000_000, String(bytes));
  assert.ok(readTags(page).length > 1000);
  for (const words of [
    /and \d+ more gates/,
    /<li>and \d+ more<\/li>/,
    /and \d+ more checks/,
    /and \d+ more changes/,
    /and \d+ more features/,
    /The \d+ oldest are not shown/,
    /\d+ more lines, \d+ added and 0 removed not shown/,
    /\d+ earlier lines are not shown/,
    /and \d+ more logs/,
    /\d+ more files of the agent are not listed/,
    /\(\d+ more characters\)/,
  ]) {
    assert.match(page, words);
  }
});

test("10,000 artifacts of an ordinary task are all listed, the first ones in a table", () => {
  const rows = count(10_000, (index) => {
    const path = `artifacts/shots/${index}.txt`;
    return { ...(artifacts[0] ?? assert.fail()), path, href: path };
  });
  const page = renderEvidencePage(buildEvidenceModel(sampleTask({ artifacts: rows })), noPageFiles);
  assert.match(page, /9900 more files of the agent/);
  assert.doesNotMatch(page, /not listed/);
  assert.equal(page.match(/href="shots\/\d+\.txt"/g)?.length, 10_000);
  assert.ok(Buffer.byteLength(page) < 2_500_000);
});
