import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import * as v from "valibot";
import { loadPromptTemplates, promptTemplates } from "../../lib/documents/templates/prompt.ts";
import { workingPhases } from "../../lib/rules/phases.ts";

const root = join(import.meta.dirname, "../../..");
const { readPrompt, readPrompts } = (await import(pathToFileURL(join(root, "scripts/bundle/prompts.mjs")).href)) as {
  readPrompt: (source: string) => Record<string, unknown>;
  readPrompts: (root: string) => Record<string, unknown>;
};

const good = '---\nphase: verify\ntitle: look\noutputs: ["STATE.md"]\n---\n\nText of <%= it.userFacing %>.\n';

const judge = (source: string) => v.parse(promptTemplates, { ...loadPromptTemplates(), verify: readPrompt(source) });

test("a prompt is its front matter and its text", () => {
  assert.deepEqual(judge(good).verify, {
    phase: "verify",
    title: "look",
    outputs: ["STATE.md"],
    text: "Text of <%= it.userFacing %>.\n",
  });
});

test("the build writes one prompt for each working phase", () => {
  assert.deepEqual(Object.keys(loadPromptTemplates()).sort(), workingPhases.toSorted());
  assert.deepEqual(loadPromptTemplates(), readPrompts(root));
});

test("front matter never runs as code, however its language is spelled", () => {
  for (const language of ["js", "javascript", "coffee", "cson", "toml", "json", "JS", "JavaScript"]) {
    for (const code of ["globalThis.ranFrontMatter = true", '{"phase": "verify"}']) {
      const source = good.replace("---\n", `---${language}\n`).replace("phase: verify", code);
      assert.throws(() => readPrompt(source), /front matter|not registered/, language);
    }
  }
  assert.equal("ranFrontMatter" in globalThis, false);
});

test("an unknown, missing or wrong key is refused", () => {
  assert.throws(() => judge(good.replace("title", "titel")));
  assert.throws(() => judge(good.replace("verify", "done")));
  assert.throws(() => judge(good.replace('["STATE.md"]', "[]")));
  assert.throws(() => readPrompt("no front matter"), /must begin/);
});

test("one caller's changes do not reach the next", () => {
  (readPrompt(good).outputs as string[]).push("changed");
  assert.deepEqual(readPrompt(good).outputs, ["STATE.md"]);
});
