import assert from "node:assert/strict";
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { encodeSegment } from "../../lib/documents/templates/relative-href.ts";
import { renderState } from "../../lib/documents/templates/render-task-files.ts";
import { showOneLine } from "../../lib/documents/templates/visible.ts";
import { renderBoardMarkdown } from "../../lib/pages/board/board-markdown.ts";
import type { BoardInput } from "../../lib/pages/board/groups.ts";
import { renderBoardPage } from "../../lib/pages/board/page.ts";
import { listArtifacts } from "../../lib/pages/files/list-artifacts.ts";
import { renderDeferred } from "../../lib/pages/markdown/deferred.ts";
import { renderEvidenceParts, renderSummary } from "../../lib/pages/markdown/evidence-parts.ts";
import { buildEvidenceModel } from "../../lib/pages/model/build-model.ts";
import { renderEvidencePage } from "../../lib/pages/page/evidence-page.ts";
import { type PageFiles, readPageFiles } from "../../lib/pages/page/page-files.ts";
import { readLogText } from "../../lib/pages/page/page-log.ts";
import { renderTickets } from "../../lib/pass/verdict/tickets-file.ts";
import { sampleBoard, sampleTasks } from "./board/sample-board.ts";
import { fullTask } from "./full-task.ts";
import { hostileInputs } from "./hostile-inputs.ts";
import { hostileTask } from "./hostile-task.ts";
import { oneLine, type ReadPage, readPage } from "./read-page.ts";
import { type RenderedPage, renderLikeAHost } from "./render-like-a-host.ts";
import { check, verdict } from "./sample-task.ts";

const plain = (text: string): string => text;
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
const at = "2026-11-21T18:00:00.000Z";

/** Files of a page that hold this text in every place: names, contents, patch headers, coloured lines. */
function hostileFiles(text: string): PageFiles {
  const name = text.replaceAll("/", "_");
  const patch = `diff --git a/${text} b/${text}\nindex 1..2\n--- a/${text}\n+++ b/${text}\n@@ -1 +1 @@ ${text}\n-${text}\n+${text}\n ${text}\n`;
  const log = readLogText(`${text}\n\u001b[31;1m${text}\u001b[0m ${text}\n`, 1, plain);
  const row = {
    path: `artifacts/${name}.png`,
    href: "artifacts/x.png",
    size: 12,
    sha256: "0".repeat(64),
    kind: "agent",
  } as const;
  return {
    patches: [
      { title: text, path: `artifacts/${name}`, read: { text: patch } },
      { title: text, path: `artifacts/${name}`, read: { problem: text } },
    ],
    logs: [
      { name: text, path: `artifacts/${name}`, failed: true, urgent: true, read: { size: 9, log } },
      { name: text, path: `artifacts/${name}`, failed: false, urgent: false, read: { problem: text } },
    ],
    images: [
      { row, type: "png", bytes: png },
      { row, type: "png", bytes: null },
    ],
  };
}

/** Words of a board that the program itself chooses. */
const ofBoard = new Set(["standing", "who", "tone", "phase", "verdict", "at", "movedAt", "href"]);

function hostileBoard(next: () => string): BoardInput {
  const replace = (value: unknown, key = ""): unknown => {
    if (ofBoard.has(key)) return value;
    if (typeof value === "string") return next();
    if (Array.isArray(value)) return value.map((item) => replace(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item, name)]));
  };
  const hosted = { href: "https://git.example/shop/app/src/commit/1/EVIDENCE.md", note: "x" };
  const kinds = [0, 2, 5, 8].flatMap((index) => sampleTasks[index] ?? []);
  const tasks = kinds.map((task, index) => (index === 0 ? { ...task, hosted } : task));
  return replace(sampleBoard({ tasks })) as BoardInput;
}

/** The given texts one after the other, without end. */
function cycle(texts: readonly string[]): () => string {
  let count = 0;
  return () => texts[count++ % texts.length] ?? "";
}

const pages: Readonly<Record<string, (texts: readonly string[]) => string>> = {
  "evidence.html": (texts) => renderEvidencePage(buildEvidenceModel(hostileTask(texts)), hostileFiles(texts[0] ?? "")),
  "index.html": (texts) => renderBoardPage(hostileBoard(cycle(texts))),
};

/** What an attribute may say that a browser follows or loads. */
const relative = String.raw`(?:\.\.\/)*(?:[\w.-]|%[0-9A-F]{2})+(?:\/(?:[\w.-]|%[0-9A-F]{2})+)*\/?`;
const forms: Readonly<Record<string, RegExp>> = {
  "a href": new RegExp(`^(?:#[A-Za-z][\\w-]*|${relative}|https://git\\.example/shop/app/[\\w./%-]+)$`),
  "img src": /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/,
};
const names = /^[A-Za-z][\w-]*(?: [A-Za-z][\w-]*)*$/;
/** Attributes that no data reaches. */
const fixed = / (?:role|scope|rel|http-equiv|content|charset|lang|name|tabindex|open|loading)$/;

/** The classes that templates choose from by what they show, beside those that the style sheet names. */
const chosen = [
  "same",
  "edge",
  "working",
  ...Array.from({ length: 16 }, (_, index) => [`f${index}`, `b${index}`]).flat(),
];

/** Every class that a page can have. */
function classesOf(html: string): ReadonlySet<string> {
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
  return new Set([...[...style.matchAll(/\.([a-z][\w-]*)/gi)].map((match) => match[1] ?? ""), ...chosen]);
}

interface Benign extends ReadPage {
  readonly classes: ReadonlySet<string>;
}

/** Nothing in them is a mark of any kind, but one holds an address, which Markdown shows as code. */
const benignTexts = ["benign text", "two words", "see https://example.org/page", "last"];

/** The same template with harmless data, of which several pages together show more of its branches. */
function readBenign(...pages: readonly string[]): Benign {
  const read = pages.map((html) => readPage(html, true));
  return {
    shapes: new Set(read.flatMap((page) => [...page.shapes])),
    values: read.flatMap((page) => page.values),
    comments: read.flatMap((page) => page.comments),
    errors: read.flatMap((page) => page.errors),
    text: "",
    spoken: "",
    classes: classesOf(pages[0] ?? ""),
  };
}

/** What this page has that the benign one has not, and that is not of a form that data may take. */
function oddities(page: ReadPage, benign: Benign): unknown[] {
  const known = new Set(benign.values.map(({ shape, value }) => `${shape}=${value}`));
  const values = page.values.filter(({ shape, value }) => {
    if (/ (?:on.*|style|srcdoc)$/.test(shape)) return true;
    if (/ (?:href|src|action|xlink:href)$/.test(shape)) return forms[shape]?.test(value) !== true;
    if (/ (?:id|for|headers|aria-\w*by)$/.test(shape)) return !names.test(value);
    if (shape.endsWith(" class")) return !value.split(" ").every((word) => word === "" || benign.classes.has(word));
    return fixed.test(shape) && !known.has(`${shape}=${value}`);
  });
  const shapes = [...page.shapes].filter((shape) => !benign.shapes.has(shape));
  const comments = page.comments.filter((comment) => !benign.comments.includes(comment));
  return [...shapes, ...comments, ...page.errors, ...values];
}

/** What can open a tag, a value, a reference or an address, or move a cursor; each of these gets pages of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const telling = /[<>"&]|script:|[\x00-\x08\x1b\u202e]/;

for (const [name, render] of Object.entries(pages)) {
  test(`${name} has only the tags and attributes of its template, with any data`, () => {
    const benign = readBenign(render(benignTexts.slice(0, 1)), render(benignTexts), render(["many\n".repeat(20)]));
    assert.deepEqual(benign.errors, []);
    assert.ok(benign.classes.size > 10);
    for (const text of hostileInputs.filter((each) => telling.test(each))) {
      const page = readPage(render([text]));
      const seen = oneLine(showOneLine(text)).slice(0, 18);
      assert.deepEqual(oddities(page, benign), [], `${name} with ${JSON.stringify(text.slice(0, 80))}`);
      assert.ok(page.text.includes(seen), `${name} does not show ${JSON.stringify(seen)}`);
    }
    // All of them beside each other, read strictly.
    for (const from of [0, 50, 100]) {
      const texts = [...hostileInputs.slice(from), ...hostileInputs.slice(0, from)];
      assert.deepEqual(oddities(readPage(render(texts), true), benign), [], `${name}, from ${from}`);
    }
  });
}

/** The whole diff is in the document only if every patch can be read. */
function readableFiles(texts: readonly string[]): PageFiles {
  const files = hostileFiles(texts[0] ?? "");
  return { ...files, patches: files.patches.slice(0, 1) };
}

const documents: Readonly<Record<string, (texts: readonly string[]) => string>> = {
  "EVIDENCE.md": (texts) =>
    Object.values(renderEvidenceParts(buildEvidenceModel(hostileTask(texts)), readableFiles(texts))).join("\n\n"),
  "SUMMARY.md": (texts) => renderSummary(buildEvidenceModel(hostileTask(texts)), readableFiles(texts)),
  "BOARD.md": (texts) => renderBoardMarkdown(hostileBoard(cycle(texts))),
  "STATE.md": (texts) =>
    texts
      .slice(0, 12)
      .map((title) => renderState({ id: title, title, userFacing: true, now: at }))
      .join("\n"),
  "tickets.md": (texts) => {
    const tickets = texts.slice(0, 40).map((text) => ({ id: text, source: "finding", name: text, text }) as const);
    return `${renderTickets(tickets)}\n${renderDeferred({ key: "budget.passes", pass: 3, at, tickets })}`;
  },
};

/** Links that are neither relative, nor of this page, nor of the code on its host. */
function oddLinks({ links }: RenderedPage): string[] {
  const sanitised = /^#user-content-/;
  return links.map(({ href }) => href).filter((href) => forms["a href"]?.test(href) !== true && !sanitised.test(href));
}

for (const [name, write] of Object.entries(documents)) {
  test(`${name} renders to the elements of its template, with any data`, () => {
    const benign = [benignTexts.slice(0, 1), benignTexts].map((texts) => renderLikeAHost(write(texts)));
    const known = new Set(benign.flatMap(({ shapes }) => shapes));
    const heads = new Set(benign.flatMap(({ tables }) => tables.map(({ head }) => head.join("|"))));
    const step = name === "EVIDENCE.md" ? 30 : 50;
    for (let from = 0; from < hostileInputs.length; from += step) {
      const texts = [...hostileInputs.slice(from), ...hostileInputs.slice(0, from)];
      const page = renderLikeAHost(write(texts));
      const why = `${name}, from ${JSON.stringify(texts[0]?.slice(0, 40))}`;
      assert.deepEqual(
        page.shapes.filter((shape) => !known.has(shape)),
        [],
        why,
      );
      assert.deepEqual(
        page.tables.map(({ head }) => head.join("|")).filter((head) => !heads.has(head)),
        [],
        why,
      );
      assert.deepEqual(oddLinks(page), [], why);
    }
  });
}

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "task-phase-hostile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("names on disk can be any bytes that a name can have", (t) => {
  const folder = makeFolder(t);
  mkdirSync(path.join(folder, "artifacts"));
  for (const [index, text] of hostileInputs.entries()) {
    const name = Buffer.from(`${index} ${text}`.replaceAll(/[/\0]/g, "_")).subarray(0, 200);
    const file = Buffer.concat([Buffer.from(`${folder}/artifacts/`), name, Buffer.from(index % 4 === 0 ? ".png" : "")]);
    writeFileSync(file, index % 4 === 0 ? png : text);
  }
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/artifacts/`), Buffer.from([0xff, 0xfe, 0x22, 0x3e])]), "x");
  const rendered = (artifacts: ReturnType<typeof listArtifacts>) => {
    const model = buildEvidenceModel(fullTask({ artifacts }));
    const files = readPageFiles(folder, model, plain);
    const parts = Object.values(renderEvidenceParts(model)).join("\n\n");
    return [renderEvidencePage(model, files), renderLikeAHost(parts)] as const;
  };
  const rows = listArtifacts(folder);
  assert.equal(rows.length, hostileInputs.length + 1);
  const picture = {
    path: "artifacts/a.png",
    href: "artifacts/a.png",
    size: 12,
    sha256: "0".repeat(64),
    kind: "agent",
  } as const;
  const tame = rows.map((row, index) => ({ ...row, path: `artifacts/${index}.${index % 4 === 0 ? "png" : "txt"}` }));
  const [html, markdown] = rendered(rows);
  const [tameHtml, tameMarkdown] = rendered([picture, ...tame]);
  assert.deepEqual(oddities(readPage(html, true), readBenign(tameHtml)), []);
  assert.deepEqual(oddLinks(markdown), []);
  assert.deepEqual(
    markdown.shapes.filter((shape) => !tameMarkdown.shapes.includes(shape)),
    [],
  );
});

/** A task with that many artifacts, a log of that many MB and a patch of that many lines, which hold these texts. */
function bigTask(t: TestContext, texts: readonly string[], size: { artifacts: number; logMb: number; lines: number }) {
  const folder = makeFolder(t);
  const next = cycle(texts);
  const pass = "artifacts/passes/0007";
  mkdirSync(path.join(folder, pass, "validators"), { recursive: true });
  const log = openSync(path.join(folder, pass, "validators", "tests.log"), "w");
  ftruncateSync(log, size.logMb * 1024 * 1024);
  const end = Array.from({ length: 3000 }, (_, index) => `\u001b[3${index % 8}m${next()}\u001b[0m`);
  writeSync(log, `\n${end.join("\n")}\nthe very end\n`, size.logMb * 1024 * 1024);
  closeSync(log);
  const lines = Array.from({ length: size.lines }, () => `+${next().replaceAll("\n", " ")}\n`).join("");
  writeFileSync(
    path.join(folder, pass, "changes.patch"),
    `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,${size.lines} @@\n${lines}`,
  );
  const many = Array.from({ length: size.artifacts }, (_, index) => {
    const name = `${index} ${next()}`.slice(0, 120);
    const href = `artifacts/${encodeSegment(Buffer.from(name))}`;
    return { path: `artifacts/${name}`, href, size: index, sha256: "a".repeat(64), kind: "agent" } as const;
  });
  const results = [check({ name: "tests", status: "fail", exit_code: 1, log: `${pass}/validators/tests.log` })];
  const checks = { fingerprint_before: "a", fingerprint_after: "a", attempts: 1, moved: [], results };
  const events = [...fullTask().events, verdict(7, { checks })];
  const model = buildEvidenceModel(fullTask({ events, artifacts: [...many, ...listArtifacts(folder)] }));
  const html = renderEvidencePage(model, readPageFiles(folder, model, plain));
  return { html, markdown: Object.values(renderEvidenceParts(model)).join("\n\n") };
}

test("10,000 artifacts, a log of 50 MB and a long patch make a page under 5 MB that shows the end of the log", (t) => {
  const big = bigTask(t, hostileInputs, { artifacts: 10_000, logMb: 50, lines: 40_000 });
  assert.ok(Buffer.byteLength(big.html) < 5_000_000, `${Buffer.byteLength(big.html)} bytes`);
  assert.ok(Buffer.byteLength(big.markdown) < 500_000, `${Buffer.byteLength(big.markdown)} bytes of Markdown`);
  assert.match(big.html, /the very end/);
  const tame = bigTask(t, benignTexts, { artifacts: 4000, logMb: 1, lines: 8000 });
  assert.deepEqual(oddities(readPage(big.html), readBenign(tame.html)), []);
});
