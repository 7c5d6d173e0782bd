import assert from "node:assert/strict";
import { test } from "node:test";
import { readPrompt } from "../../../lib/scaffold/interchange/read-prompt.ts";
import { TaskPhaseError } from "../../../lib/text/errors.ts";
import { loopFile } from "./samples.ts";

const read = (text: string) => readPrompt(Buffer.from(text), "PROMPT.md");
const loop = (...lines: string[]) => `---\n${lines.join("\n")}\n---\n\nDo it.\n`;

test("a loop's file is read whole", () => {
  const { findings, ...said } = read(`\uFEFF${loopFile.replaceAll("\n", "\r\n")}`);
  assert.deepEqual(said, {
    form: "ralph-loop",
    title: "Stream the CSV export",
    prompt: "# Stream the CSV export\n\nWrite rows as they come. Stop when `npm test` passes.",
    passes: 20,
    promise: "ALL GREEN",
  });
  assert.deepEqual(
    findings.map(({ severity, code, line }) => [severity, code, line]),
    [["warning", "TP_LOOP_ACTIVE", 2]],
  );
});

test("a loop without a cap and a promise is a warning, and one that ended is none", () => {
  const { findings, passes, promise } = read(loop("active: false", "max_iterations: 0", "completion_promise: null"));
  assert.deepEqual([passes, promise, findings.map(({ code }) => code)], [null, null, ["TP_LOOP_NO_CAP"]]);
});

test("a promise in the prompt's own text is taken over, if it is one", () => {
  const asks = (word: string) => `Do it. Then print \`<promise>${word}</promise>\`.\n`;
  assert.equal(read(asks("ALL DONE")).promise, "ALL DONE");
  assert.equal(read(asks("ALL DONE") + asks(" ALL DONE ")).promise, "ALL DONE");
  assert.equal(read(asks("ALL DONE") + asks("STUCK")).promise, undefined);
  assert.equal(read(loop("max_iterations: 3") + asks("ALL DONE")).promise, "ALL DONE");
  assert.equal(read(loop("completion_promise: null") + asks("ALL DONE")).promise, null);
});

test("without a word about the promise nothing is said about it", () => {
  assert.equal(read(loop("max_iterations: 3")).promise, undefined);
});

for (const [name, text, title, prompt] of [
  ["words alone", "Fix the login.\nIt is slow.\n", "Fix the login. It is slow.", "Fix the login.\nIt is slow."],
  ["a heading further down", "Read this.\n\n## Fix *it*\n", "Fix it", "Read this.\n\n## Fix *it*"],
  ["a heading that names a part", "# Steps:\n\nFix it.\n", "Fix it.", "# Steps:\n\nFix it."],
  ["headings of parts alone", "## Your task\n", "Your task", "## Your task"],
  ["front matter of something else", "---\nmodel: x\n---\n\nFix it.\n", "Fix it.", "---\nmodel: x\n---\n\nFix it."],
  ["front matter that is no map", "---\n- a\n---\nFix it.\n", "Fix it.", "---\n- a\n---\nFix it."],
  ["front matter that is no YAML", "---\na: [\n---\nFix it.\n", "Fix it.", "---\na: [\n---\nFix it."],
  ["a comment alone", "<!-- x -->\n", "PROMPT.md", "<!-- x -->"],
  ["many words", "word ".repeat(40), `${"word ".repeat(15)}word…`, "word ".repeat(40).trim()],
] as const) {
  test(`a prompt with ${name} is taken as it stands`, () => {
    const said = read(text);
    assert.deepEqual([said.form, said.title, said.prompt, said.passes], ["prompt", title, prompt, null]);
  });
}

for (const [name, text, codes, line] of [
  ["nothing in it", " \n", ["TP_PROMPT_EMPTY"], null],
  ["no prompt behind the front matter", "---\nactive: true\n---\n", ["TP_PROMPT_EMPTY"], null],
  ["front matter that is never closed", "---\nactive: true\n\nFix it.\n", ["TP_LOOP_FRONT_MATTER"], 1],
  [
    "a cap and a promise that are none",
    loop("max_iterations: -1", "completion_promise: <a>"),
    ["TP_LOOP_VALUE", "TP_LOOP_VALUE"],
    2,
  ],
  ["a promise with a quote in its quotes", loop('completion_promise: "say "yes""'), ["TP_YAML_SYNTAX"], 2],
  ["a NUL", "a\0", ["TP_TEXT_CHARACTER"], 1],
] as const) {
  test(`a file with ${name} is refused with its place`, () => {
    assert.throws(
      () => read(text),
      (error) => {
        assert(error instanceof TaskPhaseError);
        assert.deepEqual([error.exitName, error.findings.map(({ code }) => code)], ["data", codes]);
        assert.deepEqual([error.findings[0]?.line, error.findings[0]?.file], [line, "PROMPT.md"]);
        return true;
      },
    );
  });
}
