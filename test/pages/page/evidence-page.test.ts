import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { showHidden } from "../../../lib/documents/templates/visible.ts";
import { buildEvidenceModel, type EvidenceInput } from "../../../lib/pages/model/build-model.ts";
import { renderEvidencePage } from "../../../lib/pages/page/evidence-page.ts";
import { noPageFiles } from "../../../lib/pages/page/page-files.ts";
import { hostileTexts } from "../../documents/templates/hostile.ts";
import { hostileTask } from "../hostile-task.ts";
import { readTags, type Tag } from "../read-tags.ts";
import { briefChanged, check, events, sampleTask, stateView, verdict } from "../sample-task.ts";

const page = (changes: Partial<EvidenceInput> = {}) => renderEvidencePage(buildEvidenceModel(sampleTask(changes)));
const shapes = (tags: readonly Tag[]) =>
  new Set(tags.map((tag) => `${tag.name} ${Object.keys(tag.attributes).sort().join(" ")}`));
const moments = [0, 1, 3, 6, events.length].map((count) => events.slice(0, count));

test("the page has only the template's own tags and attributes, with any data", () => {
  const known = new Set(moments.flatMap((some) => [...shapes(readTags(page({ events: some })))]));
  for (const hostile of hostileTexts) {
    for (const some of [moments.length - 1, 3]) {
      const task = hostileTask(hostile);
      const input = { ...task, events: task.events.slice(0, moments[some]?.length) };
      const text = renderEvidencePage(buildEvidenceModel(input));
      for (const shape of shapes(readTags(text))) assert.ok(known.has(shape), `${shape} from ${hostile}`);
      assert.equal(text, showHidden(text), hostile);
    }
  }
});

test("every address is relative, encoded and inside the task folder, or a place on the page", () => {
  const encoded = /^(#[a-z]+(-\d+)?|(\.\.\/)?[A-Za-z0-9._%-]+(\/[A-Za-z0-9._%-]+)*)$/;
  // Only the commit of the sample leads away, to its host.
  const away = "https://git.example/shop/app/commit/0f1e2d3c4b5a69788796a5b4c3d2e1f001234567";
  for (const text of [
    page(),
    ...hostileTexts.map((hostile) => renderEvidencePage(buildEvidenceModel(hostileTask(hostile)))),
  ]) {
    for (const { attributes } of readTags(text)) {
      if (attributes.href !== undefined && attributes.href !== away) assert.match(attributes.href, encoded);
      assert.equal(attributes.src, undefined);
    }
  }
});

test("the page needs nothing else: no script, no address of a resource, and one style that its policy names", () => {
  const text = page();
  const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = readTags(text).find((tag) => tag.attributes["http-equiv"] !== undefined)?.attributes.content;
  assert.equal(
    policy,
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`,
  );
  assert.doesNotMatch(style, /url\(|@import|expression/);
  const names = new Set(readTags(text).map((tag) => tag.name));
  for (const name of ["script", "link", "img", "iframe", "form", "object", "base"]) assert.ok(!names.has(name), name);
  assert.ok(readTags(text).every((tag) => !("style" in tag.attributes)));
});

test("its structure is that of a document: one h1, what a reviewer reads under headings, all else folded, scopes", () => {
  const text = page();
  assert.equal(text.match(/<h1>/g)?.length, 1);
  assert.deepEqual(
    [...text.matchAll(/<h2 id="(\w+)">/g)].map((match) => match[1]),
    ["diff", "checks", "attention", "caught"],
  );
  assert.deepEqual(
    [...text.matchAll(/<details class="fold[^"]*" id="([\w-]+)">/g)].map((match) => match[1]),
    ["gates", "features", "wanted", "passes", "edits", "artifacts", "journal"],
  );
  const fold = text.indexOf("Everything else");
  assert.doesNotMatch(text.slice(text.indexOf("<body>"), fold), /fingerprint|cost not known/i);
  assert.ok(readTags(text).every((tag) => tag.name !== "th" || tag.attributes.scope !== undefined));
  const ids = readTags(text).flatMap((tag) => tag.attributes.id ?? []);
  assert.equal(new Set(ids).size, ids.length);
  const labels = readTags(text).flatMap((tag) => tag.attributes["aria-labelledby"]?.split(" ") ?? []);
  assert.deepEqual(
    labels.filter((label) => !ids.includes(label)),
    [],
  );
});

test("a check is shown before and now, with comparison, exit code, time and a link to its log", () => {
  const row = /<tr role="row"><th[^>]*>tests [\s\S]*?<\/tr>/.exec(page({ events: events.slice(0, 6) }))?.[0] ?? "";
  const cells = row.replace(/<\/t[hd]>/g, "|").replace(/<[^>]+>/g, "");
  assert.equal(
    cells,
    "tests validator|pass: the log of tests before the work|fail|regressed|1|4.2s|file: the log of tests|",
  );
  assert.match(row, /href="passes\/0006\/validators\/tests\.log"/);
});

test("how a check ended is shown also where it has no exit code, no result before the work and no log", () => {
  const results = [
    check({
      status: "timeout",
      exit_code: null,
      signal: "SIGKILL",
      attribution: null,
      log: "/etc/passwd",
      required: false,
    }),
  ];
  const checks = { fingerprint_before: "a", fingerprint_after: "b", attempts: 2, moved: ["a.js", "b.js"], results };
  const text = page({ events: [verdict(1, { checks, record_sha256: "" })] });
  assert.match(text, /validator, not required/);
  assert.match(text, /timeout<[\s\S]*>–<[\s\S]*SIGKILL<[\s\S]*>none</);
  assert.match(text, /The repo moved while the checks ran<\/strong><span class="note text">a\.js, b\.js</);
});

test("an empty task has a page too, without a section that says that there is nothing", () => {
  const text = page({ events: [], state: null, head: null, artifacts: [] });
  assert.doesNotMatch(text, /undefined|null|NaN|\[object|<h2|<details|<section|not known/);
});

test("of many changed files the first ones stand open to a reader, and the others are folded", () => {
  const patch = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => `diff --git a/${at}.js b/${at}.js\n--- a/${at}.js\n+++ b/${at}.js\n@@ -1 +1 @@\n-a\n+b\n`,
    );
  const folds = (count: number) => {
    const read = { text: patch(count).join("") };
    const files = { ...noPageFiles, patches: [{ title: "Pass 1", path: "artifacts/passes/0001/task.patch", read }] };
    const text = renderEvidencePage(buildEvidenceModel(sampleTask()), files);
    return [text.match(/<details class="file printed"/g)?.length, /<summary>(\d+) more files</.exec(text)?.[1]];
  };
  assert.deepEqual(
    [folds(20), folds(23)],
    [
      [20, undefined],
      [23, "3"],
    ],
  );
});

test("the checklist is left out where the task is not user-facing", () => {
  assert.doesNotMatch(page({ userFacing: false }), /Visible features/);
});

test("every address on the page leads to a place that is there", () => {
  for (const some of moments) {
    const tags = readTags(page({ events: some }));
    const ids = new Set(tags.flatMap(({ attributes }) => attributes.id ?? []));
    const wanted = tags.flatMap(({ attributes }) =>
      attributes.href?.startsWith("#") ? [attributes.href.slice(1)] : [],
    );
    assert.deepEqual(
      wanted.filter((id) => !ids.has(id)),
      [],
    );
  }
});

test("a brief that changed afterwards is something to look at", () => {
  assert.match(page({ events: [...events, briefChanged] }), /the results of the checks no longer count/);
});

test("the files of the task are linked, after the end with the report", () => {
  const files = (some: EvidenceInput["events"]) =>
    readTags(page({ events: some }))
      .flatMap(({ attributes }) => attributes.href ?? [])
      .filter((href) => /^\.\.\/.*\.md$/.test(href));
  const always = ["../README.md", "../STATE.md", "../EVIDENCE.md"];
  assert.deepEqual([files(events.slice(0, 6)), files(events)], [always, [...always, "../SUMMARY.md"]]);
});

test("code marks in a field are shown as code", () => {
  assert.match(
    page({ state: stateView({}, { done_gate: "`npm test` passes" }) }),
    /<dd><code>npm test<\/code> passes<\/dd>/,
  );
});

test("a stop by the runner, a cut-off pass and an unknown model are shown", () => {
  const escalation = { cause: "stuck", to: "blocked", blockers: "x", question: null } as const;
  const recovered = { type: "recovered", at: "2026-11-21T11:00:00Z", pass: 2, restored: [], ended: 0 } as const;
  const text = page({ events: [verdict(1, { escalation, to: "blocked", model: null }), recovered] });
  assert.match(text, /the runner stopped the task: stuck/);
  assert.match(text, /interrupted<\/span>/);
  assert.match(text, /cut off before its verdict/);
});

test("equal journals and artifacts give equal bytes", () => {
  assert.equal(page(), renderEvidencePage(buildEvidenceModel(structuredClone(sampleTask()))));
});
