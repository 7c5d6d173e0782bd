import assert from "node:assert/strict";
import { test } from "node:test";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { checkText, evidenceLimits } from "../../../lib/documents/check-text.ts";
import { setParts } from "../../../lib/documents/evidence-file.ts";
import { renderEvidenceFile } from "../../../lib/documents/templates/render-task-files.ts";
import { showHidden } from "../../../lib/documents/templates/visible.ts";
import { renderEvidenceParts, renderPullRequest, renderSummary } from "../../../lib/pages/markdown/evidence-parts.ts";
import { buildEvidenceModel, type EvidenceInput } from "../../../lib/pages/model/build-model.ts";
import { noPageFiles, type PageFiles } from "../../../lib/pages/page/page-files.ts";
import { hostileTexts } from "../../documents/templates/hostile.ts";
import { hostileTask } from "../hostile-task.ts";
import { briefChanged, events, sampleTask, stateView, verdict } from "../sample-task.ts";

interface Tree {
  readonly type: string;
  readonly url?: string;
  readonly value?: string;
  readonly children?: readonly Tree[];
}

const parse = (text: string): Tree => unified().use(remarkParse).use(remarkGfm).parse(text) as Tree;
const all = (tree: Tree): Tree[] => [tree, ...(tree.children ?? []).flatMap(all)];
const parts = (changes: Partial<EvidenceInput> = {}) => renderEvidenceParts(buildEvidenceModel(sampleTask(changes)));
const hosted = {
  path: "tasks/T-1/EVIDENCE.md",
  href: "https://git.example/o/r/blob/main/tasks/T-1/EVIDENCE.md",
  base: "https://git.example/o/r/blob/main/tasks/T-1/",
};
const documents = (input: EvidenceInput) => {
  const model = buildEvidenceModel(input);
  return [
    ...Object.values(renderEvidenceParts(model)),
    renderSummary(model),
    renderPullRequest(model, noPageFiles, hosted),
  ];
};
/** What a reader sees of a document's structure: its blocks, and for each table row the number of its cells. */
const outline = (trees: readonly Tree[]) =>
  trees.map((tree) =>
    tree.children?.map((node) =>
      node.type === "table" ? `table ${node.children?.map((row) => row.children?.length).join(",")}` : node.type,
    ),
  );

test("the blocks, rows, cells, links and tags are those of the template, with any data", () => {
  const hostile = hostileTexts.filter((text) => text.trim() !== "");
  const plain = hostile.map((_, index) => `plain ${index}`);
  const rotate = (list: readonly string[], by: number) => [...list.slice(by), ...list.slice(0, by)];
  const address = /^(?:https:\/\/git\.example\/)?[A-Za-z0-9._%-]+(?:\/[A-Za-z0-9._%-]+)*$/;
  const tags = /^(?:<details>\n<summary>[^<>]*<\/summary>|<pre>[^<>]*<\/pre>|<\/details>)$/;
  const wanted = outline(documents(hostileTask(plain)).map(parse));
  for (let offset = 0; offset < hostile.length; offset += 7) {
    const texts = documents(hostileTask(rotate(hostile, offset)));
    assert.equal(texts.join(), showHidden(texts.join()));
    assert.doesNotMatch(texts.join(), /<!--/);
    const trees = texts.map(parse);
    assert.deepEqual(outline(trees), wanted, `${offset}`);
    for (const node of trees.flatMap(all)) {
      if (node.url !== undefined) assert.match(node.url, address);
      if (node.type === "html") assert.match(node.value ?? "", tags);
      assert.ok(!["image", "footnoteReference", "definition"].includes(node.type), node.type);
    }
  }
});

test("a proof that is no file of the task is shown as it stands, and is never a link", () => {
  for (let from = 0; from < hostileTexts.length; from += 20) {
    const features = hostileTexts
      .slice(from, from + 20)
      .map((text) => ({ feature: text, label: "real_working", proof: text }));
    const text = parts({ state: stateView({ features }), artifacts: [], events: [] }).checks;
    const table = parse(text).children?.find((node) => node.type === "table") ?? assert.fail();
    const cells = [3, ...features.map(() => 3)];
    assert.deepEqual(
      table.children?.map((row) => row.children?.length),
      cells,
    );
    assert.deepEqual(
      all(table).filter((node) => node.url !== undefined || node.type === "html"),
      [],
    );
  }
});

test("the verdict is an alert of the kind that fits", () => {
  const alert = (some: EvidenceInput["events"]) => parts({ events: some }).status.split("\n").slice(0, 2);
  const shown = events.map((event) =>
    event.type === "verdict" && event.to === "done"
      ? {
          ...event,
          proof: {
            grade: "shown",
            passed: 3,
            failing: ["tests"],
            only_own: false,
            wrong: null,
            reason: null,
            looked: [],
          } as const,
        }
      : event,
  );
  assert.deepEqual(alert(shown), ["> [!TIP]", "> **Done. 3 checks pass; without this work, 1 of them fails**"]);
  assert.equal(alert(events)[0], "> [!WARNING]");
  assert.deepEqual(alert(events.slice(0, 6)), ["> [!NOTE]", "> **In repair: pass 4 was sent to repair**"]);
  assert.deepEqual(
    alert([]),
    ["> [!NOTE]", "> **In done**"].with(1, "> **Done, but no proof is recorded**").with(0, "> [!WARNING]"),
  );
  assert.deepEqual(alert([verdict(1, { to: "needs_user_decision" })]), [
    "> [!IMPORTANT]",
    "> **A person must decide**",
  ]);
});

test("the way out of a stop is never cut off", () => {
  const blockers = `Stopped by task-phase: ${"it failed; ".repeat(40)}then \`task-phase resume T-1 --to verify --reason TEXT\`.`;
  const stopped = verdict(1, {
    to: "blocked",
    verdict: "rejected",
    escalation: { cause: "stuck", to: "blocked", blockers, question: null },
  });
  const state = stateView({ phase: "blocked" }, { blockers });
  assert.match(parts({ events: [stopped], state }).status, /`task-phase resume T-1 --to verify --reason TEXT`\.$/m);
});

test("a reader who must decide is led to the question", () => {
  const linked = (some: EvidenceInput["events"]) => /DECISIONS\.md(?=\))/.exec(parts({ events: some }).status)?.[0];
  assert.equal(linked([verdict(1, { to: "needs_user_decision" })]), "DECISIONS.md");
  assert.equal(linked(events.slice(0, 6)), undefined);
});

test("links start at the task folder", () => {
  const { status, record } = parts();
  assert.match(status, /\[page for a browser\]\(artifacts\/evidence\.html\)/);
  assert.match(status, /\[pass\]\(artifacts\/passes\/0006\/validators\/tests\.log\)/);
  assert.match(record, /\[6\]\(artifacts\/passes\/0006\/pass\.json\)/);
  assert.match(record, /\[artifacts\/memory use\.csv\]\(artifacts\/memory%20use\.csv\)/);
});

const patch = (text: string): PageFiles => ({
  ...noPageFiles,
  patches: [{ title: "Pass 1", path: "artifacts/passes/0001/task.patch", read: { text } }],
});
const head = "diff --git a/src/a.js b/src/a.js\n--- a/src/a.js\n+++ b/src/a.js\n";
const model = () => buildEvidenceModel(sampleTask());

test("a reviewer reads the headline, the change, the checks and what was not accepted; all else is folded", () => {
  const text = [...Object.values(renderEvidenceParts(model(), patch(`${head}@@ -1 +1 @@\n-a\n+b\n`)))].join("\n\n");
  assert.deepEqual(text.match(/^## .*/gm), [
    "## What changed",
    "## Checks before and after",
    "## What a person must look at",
    "## What the runner did not accept",
  ]);
  assert.deepEqual(
    [...text.matchAll(/^<summary>(.*)<\/summary>$/gm)].map((match) => match[1]),
    [
      "4 of 4 gates hold, review → done",
      "Visible features: 2",
      "What was wanted, and what was done",
      "6 passes: 4 accepted, 1 rejected, 1 redirected",
      "What happened between passes: 2",
      "2 files of the agent, 48.9 KiB",
      "Code, fingerprints and journal",
    ],
  );
  const fold = text.indexOf("<details>");
  assert.doesNotMatch(text.slice(0, fold), /fingerprint|cost not known|mermaid/i);
  assert.match(text, /- \[Pass 4\]\(.*\): the agent asked for review; tests failed, the task went to repair\n/);
  assert.match(
    renderSummary(model(), patch(head)),
    /^# Report: .*\n\n> \[!WARNING\]\n> \*\*Done\. [\s\S]*## What changed\n/,
  );
});

test("the whole diff is there up to 120 lines, in a fence that none of its lines can end; else it is linked", () => {
  const shown = (text: string) => renderEvidenceParts(model(), patch(text)).status;
  const short = shown(`${head}@@ -1,2 +1,2 @@\n-\`\`\`\`\n+<!-- task-phase:end status -->\r\n x\n`);
  assert.match(short, /\n\| `src\/a\.js` \| 1 \| 1 \|\n/);
  const [fence] = parse(short).children?.filter(({ type }) => type === "code") ?? [];
  assert.equal(fence?.value, `${head}@@ -1,2 +1,2 @@\n-\`\`\`\`\n+<!-- task-phase:end status -->\\x0d\n x`);
  const long = (lines: number) => shown(`${head}@@ -0,0 +1,${lines} @@\n${"+x\n".repeat(lines)}`);
  assert.match(long(116), /```diff\n/);
  assert.doesNotMatch(long(117), /```diff/);
  assert.match(long(117), /\n\| `src\/a\.js` \| 117 \| 0 \|\n\nLine by line: /);
  const unread = { ...noPageFiles, patches: [{ title: "x", path: "x", read: { problem: "is too large" } }] };
  assert.match(renderEvidenceParts(model(), unread).status, /- `src\/export\.js`[\s\S]*No diff: /);
});

test("the last words of a failed check are shown beyond blank lines, and those of a passed one are not", () => {
  const result = events.findLast((event) => event.type === "verdict")?.checks?.results[0] ?? assert.fail();
  const status = (changes: Partial<typeof result>) => {
    const results = [{ ...result, excerpt: "one\n\n# two\n\n</details>", ...changes }];
    const checks = { fingerprint_before: "a", fingerprint_after: "b", attempts: 2, moved: ["a|b"], results };
    return parts({ events: [verdict(1, { checks })] }).status;
  };
  const failed = status({ status: "fail" });
  assert.match(failed, /\nLast output of tests:\n\n<pre>\none\n\n# two\n\n&lt;\/details&gt;\n<\/pre>\n/);
  assert.match(failed, /- \*\*The repo moved while the checks ran\*\*: a&#124;b/);
  assert.doesNotMatch(status({}), /<pre>/);
});

test("an empty task has a headline and no section", () => {
  const empty = parts({ events: [], state: null, head: null, artifacts: [], userFacing: false });
  assert.match(empty.status, /Not started/);
  assert.deepEqual([empty.checks, empty.record], ["", ""]);
  assert.doesNotMatch(Object.values(empty).join(), /undefined|null|NaN|##|not known/);
});

test("a feature without proof, a pass without a record and a move are shown in words", () => {
  const resumed = {
    type: "resumed",
    at: "2026-11-21T12:00:00Z",
    from: "done",
    to: "intake",
    reason: "again",
    state: "",
  } as const;
  const recovered = { type: "recovered", at: "2026-11-21T11:00:00Z", pass: 9, restored: [], ended: 0 } as const;
  const { checks, record } = parts({ events: [...events, resumed, recovered] });
  assert.match(checks, /\| Export as XLSX \| blocked hidden \| – \|/);
  assert.match(record, /\| 9 \| \*\*interrupted\*\* \| cut off before its verdict/);
  assert.match(record, /\| person \| Reopened \| done → intake \| again \|/);
});

test("the parts end without a newline, and the same model gives the same text", () => {
  for (const text of Object.values(parts())) assert.equal(text, text.trim());
  assert.deepEqual(parts(), renderEvidenceParts(buildEvidenceModel(structuredClone(sampleTask()))));
});

test("checks before a change of the brief are marked, and long lists are counted", () => {
  const paths = Array.from({ length: 201 }, (_, index) => ({ path: `src/${index}`, change: "added" }));
  const artifact = sampleTask().artifacts[0] ?? assert.fail();
  const artifacts = Array.from({ length: 501 }, (_, index) => ({ ...artifact, path: `artifacts/${index}` }));
  const input = sampleTask({
    events: [...events, verdict(7, { changed_paths: paths }), briefChanged],
    artifacts,
    state: stateView(),
  });
  const [status = "", , record = "", summary = ""] = documents(input);
  assert.match(status, /the results of the checks no longer count[\s\S]*/);
  assert.match(status, /- and 143 more/);
  assert.match(record, /\nand 441 more/);
  assert.match(summary, /- and 103 more[\s\S]*\nand 401 more/);
});

test("however much is recorded, the parts can be read, and half of what may be read is left for the agent", () => {
  const fillers = [
    "*_`[(|&<".repeat(1000),
    "\u{e0001}".repeat(3000),
    "&".repeat(60_000),
    "x".repeat(60_000),
    "`\n".repeat(20_000),
  ];
  for (const filler of fillers) {
    const task = hostileTask(filler);
    const artifact = { ...(task.artifacts[0] ?? assert.fail()), href: `artifacts/${"%20".repeat(3000)}` };
    const events = Array.from({ length: 20 }, () => task.events).flat();
    const input = { ...task, events, artifacts: Array.from({ length: 600 }, () => artifact) };
    const built = renderEvidenceParts(buildEvidenceModel(input));
    const text = Object.values(built).join("\n\n");
    assert.equal(checkText(Buffer.from(`${text}\n\n${text}`), "EVIDENCE.md", evidenceLimits).kind, "text");
    assert.ok(text.includes("pass.json"));
    setParts(renderEvidenceFile({ id: filler, title: filler }), built);
  }
});

test("only the newest passes stand in Markdown, and the earlier ones are counted", () => {
  const many = Array.from({ length: 65 }, (_, index) => verdict(index + 1));
  const { record } = parts({ events: many });
  assert.match(record, /5 earlier ones are on the page for a browser\./);
  assert.match(record, /\[6\]\(artifacts\/passes\/0006\/pass\.json\)/);
  assert.doesNotMatch(record, /\[5\]\(/);
});

test("of a check's output the last lines are shown, and long lines are cut", () => {
  const excerpt = [...Array.from({ length: 40 }, (_, index) => `line ${index}`), "y".repeat(400)].join("\n");
  const result = events.findLast((event) => event.type === "verdict")?.checks?.results[0] ?? assert.fail();
  const results = [{ ...result, status: "fail" as const, excerpt }];
  const checks = { fingerprint_before: "a", fingerprint_after: "b", attempts: 1, moved: [], results };
  const shown =
    /<pre>\n([\s\S]*)\n<\/pre>/.exec(parts({ events: [verdict(1, { checks })] }).status)?.[1]?.split("\n") ?? [];
  assert.deepEqual([shown.length, shown[0], shown.at(-1)], [30, "line 11", `${"y".repeat(300)}…`]);
});

test("the text of a pull request has whole addresses, or none where no host is known", () => {
  const model = buildEvidenceModel(sampleTask());
  const links = (text: string) => all(parse(text)).flatMap(({ type, url }) => (type === "link" ? [url ?? ""] : []));
  const known = links(renderPullRequest(model, noPageFiles, hosted));
  assert.ok(known.length > 1 && known.includes(hosted.href), known.join());
  for (const url of known) assert.ok(url.startsWith(hosted.base), url);
  const unknown = renderPullRequest(model, noPageFiles, { path: hosted.path, href: "", base: "" });
  assert.deepEqual(links(unknown), []);
  assert.match(unknown, /verdict: `tasks\/T-1\/EVIDENCE\.md`\n$/);
});
