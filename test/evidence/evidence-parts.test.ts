import assert from "node:assert/strict";
import { test } from "node:test";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { buildEvidenceModel, type EvidenceInput } from "../../lib/evidence/evidence-model.ts";
import { renderEvidenceParts } from "../../lib/evidence/evidence-parts.ts";
import { renderSummary } from "../../lib/evidence/summary.ts";
import { showHidden } from "../../lib/templates/visible.ts";
import { hostileTexts } from "../templates/hostile.ts";
import { hostileTask } from "./hostile-task.ts";
import { events, sampleTask, stateView, verdict } from "./sample-task.ts";

interface Tree {
  readonly type: string;
  readonly url?: string;
  readonly value?: string;
  readonly children?: readonly Tree[];
}

const parse = (text: string): Tree => unified().use(remarkParse).use(remarkGfm).parse(text) as Tree;
const all = (tree: Tree): Tree[] => [tree, ...(tree.children ?? []).flatMap(all)];
const parts = (changes: Partial<EvidenceInput> = {}) => renderEvidenceParts(buildEvidenceModel(sampleTask(changes)));
const documents = (input: EvidenceInput) => {
  const model = buildEvidenceModel(input);
  return [...Object.values(renderEvidenceParts(model)), renderSummary(model)];
};
/** What a reader sees of a document's structure: its blocks, and for each table row the number of its cells. */
const outline = (text: string) =>
  (parse(text).children ?? []).map((node) =>
    node.type === "table" ? `table ${node.children?.map((row) => row.children?.length).join(",")}` : node.type,
  );

test("whatever stands in the data, the blocks, rows and cells are those of the template", () => {
  for (const count of [6, events.length]) {
    const plain = hostileTask("plain");
    const wanted = documents({ ...plain, events: plain.events.slice(0, count) }).map(outline);
    for (const hostile of hostileTexts.filter((text) => text.trim() !== "")) {
      const task = hostileTask(hostile);
      assert.deepEqual(documents({ ...task, events: task.events.slice(0, count) }).map(outline), wanted, hostile);
    }
  }
});

test("no data brings a link, an image, a tag or a mark of a part, and nothing hidden", () => {
  const tags = /^(?:<details>\n<summary>[^<>]*<\/summary>|<pre>[^<>]*<\/pre>|<\/details>)$/;
  for (const hostile of hostileTexts) {
    for (const text of documents(hostileTask(hostile))) {
      assert.equal(text, showHidden(text));
      assert.doesNotMatch(text, /<!--/);
      for (const node of all(parse(text))) {
        if (node.url !== undefined) assert.match(node.url, /^[A-Za-z0-9._%-]+(\/[A-Za-z0-9._%-]+)*$/);
        if (node.type === "html") assert.match(node.value ?? "", tags, hostile);
        assert.ok(!["image", "footnoteReference", "definition"].includes(node.type), hostile);
      }
    }
  }
});

test("the verdict is an alert of the kind that fits", () => {
  const alert = (some: EvidenceInput["events"]) => parts({ events: some }).status.split("\n").slice(0, 2);
  assert.deepEqual(alert(events), ["> [!TIP]", "> **Done, and proven**"]);
  assert.deepEqual(alert(events.slice(0, 6)), ["> [!WARNING]", "> **In repair: pass 4 was sent to repair**"]);
  assert.deepEqual(
    alert([]),
    ["> [!NOTE]", "> **In done**"].with(1, "> **Done is not proven**").with(0, "> [!WARNING]"),
  );
  assert.deepEqual(alert([verdict(1, { to: "needs_user_decision" })]), [
    "> [!IMPORTANT]",
    "> **A person must decide**",
  ]);
});

test("links start at the task folder", () => {
  const { status, checks, record } = parts();
  assert.match(status, /\[page for a browser\]\(artifacts\/evidence\.html\)/);
  assert.match(checks, /\[log\]\(artifacts\/passes\/0006\/validators\/tests\.log\)/);
  assert.match(record, /\[6\]\(artifacts\/passes\/0006\/pass\.json\)/);
  assert.match(record, /\[artifacts\/memory use\.csv\]\(artifacts\/memory%20use\.csv\)/);
});

test("long output stands in details, and blank lines do not end it", () => {
  const results = [
    {
      ...(events.findLast((event) => event.type === "verdict")?.checks?.results[0] ?? assert.fail()),
      excerpt: "one\n\n# two\n\n</details>",
    },
  ];
  const checks = { fingerprint_before: "a", fingerprint_after: "b", attempts: 2, moved: ["a|b"], results };
  const text = parts({ events: [verdict(1, { checks })] }).checks;
  assert.match(
    text,
    /<details>\n<summary>Last output of tests<\/summary>\n\n<pre>\none\n\n# two\n\n&lt;\/details&gt;\n<\/pre>\n\n<\/details>/,
  );
  assert.match(text, /> \[!WARNING\]\n> The repo moved while the checks ran: a\\\|b/);
});

test("an empty task has parts too", () => {
  const empty = parts({ events: [], state: null, head: null, artifacts: [], userFacing: false });
  assert.match(empty.status, /Not started/);
  assert.match(empty.checks, /has not run the checks yet/);
  assert.match(empty.record, /No pass has run yet\.[\s\S]*Nobody has edited[\s\S]*has written no file/);
  assert.doesNotMatch(Object.values(empty).join(), /undefined|null|NaN/);
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
  const { status, record } = parts({ events: [...events, resumed, recovered] });
  assert.match(status, /\| Export as XLSX \| blocked hidden \| – \|/);
  assert.match(record, /\| 9 \| not judged \| \*\*interrupted\*\* \|/);
  assert.match(record, /\| person \| Reopened \| done → intake \| again \|/);
});

test("the parts end without a newline, and the same model gives the same text", () => {
  for (const text of Object.values(parts())) assert.equal(text, text.trim());
  assert.deepEqual(parts(), renderEvidenceParts(buildEvidenceModel(structuredClone(sampleTask()))));
});

test("checks before a change of the brief are marked, and long lists are counted", () => {
  const changed = {
    type: "brief_changed",
    at: "2026-11-21T12:00:00Z",
    was: "a",
    contract_sha256: "b",
    state: "",
  } as const;
  const paths = Array.from({ length: 201 }, (_, index) => ({ path: `src/${index}`, change: "added" }));
  const artifact = sampleTask().artifacts[0] ?? assert.fail();
  const artifacts = Array.from({ length: 501 }, (_, index) => ({ ...artifact, path: `artifacts/${index}` }));
  const input = sampleTask({
    events: [...events, verdict(7, { changed_paths: paths }), changed],
    artifacts,
    state: stateView(),
  });
  const [, checks = "", record = "", summary = ""] = documents(input);
  assert.match(checks, /these results count no longer/);
  assert.match(record, /- and 3 more[\s\S]*\nand 1 more/);
  assert.match(summary, /- and 1 more[\s\S]*- and 3 more/);
});
