import assert from "node:assert/strict";
import { test } from "node:test";
import { workingPhases } from "../../lib/machine/phases.ts";
import { loadPromptTemplate, parsePromptTemplate } from "../../lib/templates/prompt-template.ts";

const good = '---\nphase: verify\ntitle: look\noutputs: ["STATE.md"]\n---\n\nText of <%= it.userFacing %>.\n';

test("a template is its checked front matter and its text", () => {
  const { render, ...meta } = parsePromptTemplate(good);
  assert.deepEqual(meta, { phase: "verify", title: "look", outputs: ["STATE.md"] });
  assert.equal(render({ userFacing: true }), "Text of true.\n");
});

test("each working phase has a template, and it names its own phase", () => {
  assert.deepEqual(
    workingPhases.map((phase) => loadPromptTemplate(phase).phase),
    workingPhases,
  );
});

test("front matter is never run as code, however it is spelled", () => {
  for (const language of ["js", "javascript", "coffee", "cson", "toml", "json", "JS", "JavaScript"]) {
    const source = good
      .replace("---\n", `---${language}\n`)
      .replace("phase: verify", "globalThis.ranFrontMatter = true");
    assert.throws(() => parsePromptTemplate(source), /front matter|ENOENT|Expected|Invalid|engine|not /i, language);
  }
  assert.equal("ranFrontMatter" in globalThis, false);
});

test("an unknown, missing or wrong key is refused", () => {
  assert.throws(() => parsePromptTemplate(good.replace("title", "titel")));
  assert.throws(() => parsePromptTemplate(good.replace("verify", "done")));
  assert.throws(() => parsePromptTemplate(good.replace('["STATE.md"]', "[]")));
  assert.throws(() => parsePromptTemplate("no front matter"));
});

test("what one caller gets is not shared with the next", () => {
  parsePromptTemplate(good).outputs.push("changed");
  assert.deepEqual(parsePromptTemplate(good).outputs, ["STATE.md"]);
});
