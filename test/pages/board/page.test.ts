import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { showHidden } from "../../../lib/documents/templates/visible.ts";
import { readBoardMark, renderBoardMarkdown } from "../../../lib/pages/board/board-markdown.ts";
import type { BoardTask } from "../../../lib/pages/board/input.ts";
import { renderBoardPage } from "../../../lib/pages/board/page.ts";
import { hostileTexts } from "../../documents/templates/hostile.ts";
import { renderLikeAHost } from "../render-like-a-host.ts";
import { ask, asking, manyTasks, sampleBoard, sampleTasks } from "./sample-board.ts";

type Element = DefaultTreeAdapterTypes.Element;

function listElements(html: string): Element[] {
  const open: DefaultTreeAdapterTypes.Node[] = [parse(html)];
  const found: Element[] = [];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("tagName" in node) found.push(node);
    if ("childNodes" in node) open.push(...[...node.childNodes].reverse());
  }
  return found;
}

const attribute = (element: Element, name: string) => element.attrs.find((one) => one.name === name)?.value;
const textOf = (node: DefaultTreeAdapterTypes.ChildNode): string =>
  "value" in node ? node.value : "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
const shapesOf = (html: string) =>
  new Set(
    listElements(html).map(
      (one) =>
        `${one.tagName} ${one.attrs
          .map(({ name }) => name)
          .sort()
          .join(" ")}`,
    ),
  );
const countRows = (page: string) => page.split('<tr role="row"><th scope="row"').length - 1;
const hosted = { href: "https://example.org/o/r/blob/main/EVIDENCE.md", note: "" };
const full = asking("T-12", {
  hosted,
  blockers: "a key is missing",
  questions: Array(9).fill(ask),
  editUrl: "https://example.org/o/r/edit/main/DECISIONS.md",
});

/** A task for each text, with the text in every place where a file's words stand, in the graph too. */
function hostileTasks(texts: readonly string[]): BoardTask[] {
  return texts.map((text, index) => ({
    ...full,
    ...{
      folder: `${index} ${text.replaceAll(/[/\0]/g, "_").slice(0, 80)}`,
      id: index % 5 === 0 ? null : `${text} ${index}`,
    },
    ...{ title: text, why: text, blockers: `${text} too`, questions: [hostileAsk(text)] },
    ...{ dependsOn: index % 5 === 0 ? [] : [text], problems: [`${text} as well`], movedAt: text },
    lastVerdict: { pass: 1, verdict: "rejected", reason: text },
    hosted: { href: hosted.href, note: text },
  }));
}

const hostileAsk = (text: string) => ({
  ...{ id: text, title: text, question: `${text} too`, options: text, safeDefault: text, end: text },
});

const wordy = (texts: readonly string[]) => texts.map(() => "word");

test("equal input writes equal bytes, in any order of the tasks, and both files carry the mark", () => {
  for (const render of [renderBoardPage, renderBoardMarkdown]) {
    assert.equal(render(sampleBoard()), render(sampleBoard({ tasks: [...sampleTasks].reverse() })));
    assert.equal(readBoardMark(render(sampleBoard())), "2026-11-21T18:00:00.000Z");
  }
});

test("the page shows every task with its values, its links and a list of what needs what", () => {
  const page = renderBoardPage(sampleBoard({ tasks: [...sampleTasks, full] }));
  const elements = listElements(page);
  const hrefs = elements.flatMap((one) => attribute(one, "href") ?? []);
  assert.equal(elements.filter(({ tagName }) => tagName === "tr").length, 12 + 5);
  for (const href of ["T-3-work/STATE.md", "T-3-work/DECISIONS.md", "T-1-work/artifacts/evidence.html", hosted.href]) {
    assert.ok(hrefs.includes(href), href);
  }
  for (const text of ["12 tasks", "as of 2026-11-21 18:00 UTC", "Blockers: a key is missing", "and 4 more questions"]) {
    assert.ok(page.includes(text), text);
  }
  for (const text of ["cost not known", "the title is missing", "they need each other", "unknown task"]) {
    assert.ok(page.includes(text), text);
  }
});

test("each table has a caption and headings with a scope, and each link a name of its own", () => {
  const elements = listElements(renderBoardPage(sampleBoard({ tasks: [...sampleTasks, full] })));
  const tables = elements.filter(({ tagName }) => tagName === "table");
  assert.equal(elements.filter(({ tagName }) => tagName === "caption").length, tables.length);
  assert.ok(elements.filter(({ tagName }) => tagName === "th").every((one) => attribute(one, "scope") !== undefined));
  const named = new Map<string, string>();
  for (const link of elements.filter(({ tagName }) => tagName === "a")) {
    const name = attribute(link, "aria-label") ?? textOf(link);
    const href = attribute(link, "href") ?? "";
    assert.equal(named.get(name) ?? href, href, name);
    named.set(name, href);
  }
});

test("the page holds only the tags and attributes of its template, with any text in the tasks", () => {
  const plain = [sampleTasks, hostileTasks(wordy(hostileTexts))];
  const known = new Set(plain.flatMap((tasks) => [...shapesOf(renderBoardPage(sampleBoard({ tasks })))]));
  const some = (texts: readonly string[]) => renderBoardPage(sampleBoard({ tasks: hostileTasks(texts) }));
  for (const page of [some(hostileTexts), some(hostileTexts.slice(0, 40)), some(hostileTexts.slice(40))]) {
    assert.deepEqual(
      [...shapesOf(page)].filter((shape) => !known.has(shape)),
      [],
    );
    assert.equal(page, showHidden(page));
    for (const element of listElements(page)) {
      const href = attribute(element, "href");
      if (href !== undefined)
        assert.match(href, /^(#[a-z]+|[A-Za-z0-9._%-]+(\/[A-Za-z0-9._-]+)+|https:\/\/example\.org\/[\w/.]*)$/);
    }
  }
  const empty = (root: string) => renderBoardPage(sampleBoard({ root, tasks: [] }));
  for (const hostile of hostileTexts) assert.deepEqual(shapesOf(empty(hostile)), shapesOf(empty("word")), hostile);
});

test("the policy of the page forbids everything but its one style sheet, by digest", () => {
  const page = renderBoardPage(sampleBoard());
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";
  const digest = createHash("sha256").update(style).digest("base64");
  assert.ok(page.includes(`content="default-src 'none'; style-src 'sha256-${digest}'; img-src data:;`));
  assert.equal(/<script|style="| on[a-z]+="/.test(page), false);
});

test("BOARD.md on a host keeps every link and every row, and its diagram is under 2,000 characters", () => {
  const page = renderLikeAHost(renderBoardMarkdown(sampleBoard({ tasks: [...sampleTasks, full] })));
  assert.deepEqual(page.tables, [], "a phone cuts wide tables off");
  assert.deepEqual(page.details, ["The runner ran their checks itself", "The same in words"]);
  const hrefs = page.links.map(({ href }) => href);
  for (const task of [...sampleTasks, full]) assert.ok(hrefs.includes(`${task.folder}/STATE.md`), task.folder);
  for (const href of [hosted.href, full.editUrl ?? "", "T-3-work/DECISIONS.md", "T-1-work/EVIDENCE.md"]) {
    assert.ok(hrefs.includes(href), href);
  }
  assert.ok(!hrefs.includes("T-1-work/artifacts/evidence.html"), "a host shows the page as source");
  assert.equal(page.diagrams.length, 1);
  assert.ok((page.diagrams[0]?.length ?? 9999) < 2000);
  assert.ok(page.html.includes("T-7 (cannot continue) needs T-8 (cannot continue; they need each other)"));
});

test("no text of the tasks adds a row, link or tag to BOARD.md", () => {
  const render = (root: string, texts: readonly string[]) =>
    renderLikeAHost(renderBoardMarkdown(sampleBoard({ root, tasks: hostileTasks(texts) })));
  const [page, plain] = [render("tasks", hostileTexts), render("tasks", wordy(hostileTexts))];
  const sizes = ({ html }: typeof page) => ["<li>", "<ul>", "<h2", "<p>"].map((tag) => html.split(tag).length);
  const [some, all] = [sizes(page), sizes(plain)];
  assert.ok(
    some.every((count, index) => count <= (all[index] ?? 0)),
    `${some} of ${all}`,
  );
  assert.equal(page.links.length, plain.links.length);
  const known = [...plain.shapes, "code"];
  assert.deepEqual(
    page.shapes.filter((shape) => !known.includes(shape)),
    [],
  );
  for (const hostile of hostileTexts) {
    const { shapes, links } = render(hostile, []);
    assert.deepEqual([shapes.filter((shape) => !known.includes(shape)), links], [[], []], hostile);
  }
});

test("the board of a root without tasks says that there are none", () => {
  const empty = sampleBoard({ tasks: [] });
  assert.match(renderBoardPage(empty), /no task<[\s\S]*There is no task here yet/);
  assert.match(renderBoardMarkdown(empty), /\*\*no task\*\* · as of .*\n\nThere is no task here yet/);
});

test("2,000 tasks are all on the page, and of hostile long ones as many as fit: under 5 MB, the rest counted", () => {
  const page = renderBoardPage(sampleBoard({ tasks: manyTasks(2_000, true) }));
  assert.equal(countRows(page), 2_000);
  const marks = "\"<>&'".repeat(200);
  const hostile = (index: number): Partial<BoardTask> => ({
    ...{ title: marks, why: marks, blockers: `${marks}!`, folder: `${index}${"&".repeat(200)}` },
    ...{ questions: Array(5).fill(hostileAsk(marks)), problems: [marks, `${marks}x`], dependsOn: [marks] },
  });
  const long = sampleBoard({ tasks: manyTasks(2_000, false, hostile) });
  const cut = renderBoardPage(long);
  const shown = countRows(cut);
  assert.ok(shown > 40 && shown < 2_000, String(shown));
  assert.match(cut, new RegExp(`and ${2_000 - shown} more that are not shown here`));
  assert.match(cut, /and 1700 more tasks that depend on others/);
  for (const text of [page, cut]) assert.ok(Buffer.byteLength(text) < 5 * 1024 * 1024, String(Buffer.byteLength(text)));
  for (const tasks of [manyTasks(2_000, true), long.tasks]) {
    const text = renderBoardMarkdown(sampleBoard({ tasks }));
    assert.ok(Buffer.byteLength(text) < 500_000, String(Buffer.byteLength(text)));
    assert.match(text, /and \d+ more that are not shown here/);
    assert.ok(text.split("/STATE.md)").length - 1 <= 400);
  }
});
