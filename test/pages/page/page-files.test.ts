import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { listArtifacts } from "../../../lib/pages/files/list-artifacts.ts";
import { buildEvidenceModel } from "../../../lib/pages/model/build-model.ts";
import { renderEvidencePage } from "../../../lib/pages/page/evidence-page.ts";
import { altOf, artifactKind, imageTypeOf } from "../../../lib/pages/page/images.ts";
import { readPageFiles } from "../../../lib/pages/page/page-files.ts";
import { readTail, readWhole } from "../../../lib/pages/page/page-read.ts";
import { createRedactor } from "../../../lib/text/redact.ts";
import { readTags } from "../read-tags.ts";
import { sampleTask } from "../sample-task.ts";

const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(40, 1)]);
const secret = `ghp_${"Zx9".repeat(12)}`;
const { redact } = createRedactor({ DEPLOY_TOKEN: "iVBORw0KGgoBAQEBAQEB" });

/** A task folder that holds these files, and its page. */
function arrange(t: TestContext, files: Readonly<Record<string, string | Buffer>>) {
  const taskDir = mkdtempSync(join(tmpdir(), "task-phase-page-"));
  t.after(() => rmSync(taskDir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(taskDir, name)), { recursive: true });
    writeFileSync(join(taskDir, name), content);
  }
  const render = () => {
    const model = buildEvidenceModel(sampleTask({ artifacts: listArtifacts(taskDir) }));
    return renderEvidencePage(model, readPageFiles(taskDir, model, redact), redact);
  };
  return { taskDir, render };
}

const log = "artifacts/passes/0006/validators/tests.log";
const output = "artifacts/passes/0006/stdout.log";

test("a log is shown without its colours, its lines have places, and no control byte is left", (t) => {
  const lines = Array.from({ length: 25 }, (_, index) => `line ${index + 1}`);
  const text = `${lines.join("\n")}\n\u001b[1;31mred\u001b[0m <b> \u0007 \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\n`;
  const { render } = arrange(t, { [log]: text, [output]: "done\n" });
  const page = render();
  assert.match(
    page,
    /<span id="log-1-L9">line 9\n<\/span><span id="log-1-L10"><a href="#log-1-L10" tabindex="-1">10<\/a>line 10\n/,
  );
  assert.match(page, /<span id="log-1-L26">red &lt;b&gt; \\x07 link\n<\/span><\/pre>/);
  assert.match(page, /<a href="#log-1">below/);
  assert.match(page, /stdout of the model, pass 6/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  assert.doesNotMatch(page, /[\x00-\x08\x0b-\x1f\x7f-\x9f]|evil\.example/);
  assert.equal(page, render());
  readTags(page);
});

test("a secret that colours cut into pieces is shown by none of its pieces", (t) => {
  const split = `${secret.slice(0, 9)}\u001b[31m${secret.slice(9, 20)}\u001b[0m\u001b]0;x\u0007${secret.slice(20)}`;
  const { render } = arrange(t, {
    [log]: `\u001b[32mok\u001b[0m\ntoken ${split} end\n`,
    [output]: "\u001b[32mok\u001b[0m",
  });
  const page = render();
  assert.match(page, /<span id="log-1-L2">token \[redacted:github\] end\n/);
  for (const piece of [secret.slice(0, 9), secret.slice(9, 20)]) assert.ok(!page.includes(piece), piece);
  assert.match(page, /<span id="log-4-L1">ok\n/);
});

test("of a long log the last part is shown, with the numbers of its lines; of one long line its end", (t) => {
  const many = Array.from({ length: 40_000 }, (_, index) => `line ${index + 1}`).join("\n");
  const { render } = arrange(t, { [log]: many, [output]: `${"y".repeat(1_000_000)}END` });
  const page = render();
  assert.match(page, /<span id="log-1-L40000"><a href="#log-1-L40000" tabindex="-1">40000<\/a>line 40000\n/);
  const earlier = Number(/(\d+) earlier lines are not shown/.exec(page)?.[1]);
  assert.ok(earlier > 38_000 && page.includes(`<span id="log-1-L${earlier + 1}">`));
  assert.match(page, /y{2000}<span class="cut"> \(\d+ more characters in this line\)/);
  assert.ok(Buffer.byteLength(page) < 200_000);
});

test("pictures stand in the page by their bytes, not their names; nothing that is redacted elsewhere changes them", (t) => {
  const files = {
    "artifacts/shots/login-page.png": png,
    "artifacts/wrong.png": "<svg onload=alert(1)>",
    "artifacts/drawing.svg": "<svg></svg>",
    "artifacts/no-ending": Buffer.from("GIF89a......"),
    "artifacts/big.jpg": Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(400_000)]),
    [log]: "",
  };
  const { render } = arrange(t, files);
  const page = render();
  const images = readTags(page).filter(({ name }) => name === "img");
  assert.deepEqual(
    images.map(({ attributes }) => attributes),
    [
      { alt: "no ending", src: `data:image/gif;base64,${files["artifacts/no-ending"].toString("base64")}` },
      { alt: "login page", src: `data:image/png;base64,${png.toString("base64")}` },
    ],
  );
  assert.match(page, /<li><a href="big\.jpg">big\.jpg<\/a>, 390\.6 KiB<\/li>/);
  const kinds = [...page.matchAll(/<a href="[^"]+">([^<]+)<\/a><\/th><td[^>]*><span class="value">(\w+)</g)];
  assert.deepEqual(
    kinds.map(([, name, kind]) => `${name} ${kind}`),
    ["big.jpg image", "drawing.svg other", "no-ending image", "shots/login-page.png image", "wrong.png other"],
  );
});

test("a text that names the place of a picture is a text", (t) => {
  const { render } = arrange(t, { "artifacts/a.png": png, [output]: ' src="#image-1" ' });
  assert.match(render(), / src=&quot;#image-1&quot; /);
});

const patch = (name: string) => `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`;

test("the newest patch of the task is shown, and those of passes after it; without one, all of them", (t) => {
  const { taskDir, render } = arrange(t, {
    "artifacts/passes/0003/changes.patch": patch("three"),
    "artifacts/passes/0003/task.patch": patch("task3"),
    "artifacts/passes/0004/task.patch": patch(`task4 ${secret}`),
    "artifacts/passes/0005/changes.patch": patch("five"),
  });
  const shown = () =>
    [...render().matchAll(/<h3>(.*?)<\/h3>|<summary><code>(.*?)<\/code>/g)].map((found) => found[1] ?? found[2]);
  assert.deepEqual(shown(), ["The task as it was after pass 4", "task4 [redacted:github]", "Pass 5", "five"]);
  for (const pass of ["0003", "0004"]) rmSync(join(taskDir, `artifacts/passes/${pass}/task.patch`));
  assert.deepEqual(shown(), ["Pass 3", "three", "Pass 5", "five"]);
});

test("a file that is gone, or is no regular file, is said by name and not followed", (t) => {
  const { taskDir, render } = arrange(t, { "artifacts/passes/0006/task.patch": "x", [output]: "x" });
  const model = buildEvidenceModel(sampleTask({ artifacts: listArtifacts(taskDir) }));
  rmSync(join(taskDir, "artifacts/passes/0006/task.patch"));
  symlinkSync("/etc/passwd", join(taskDir, "artifacts/passes/0006/task.patch"));
  rmSync(join(taskDir, output));
  mkdirSync(join(taskDir, output));
  const page = renderEvidencePage(model, readPageFiles(taskDir, model, redact), redact);
  assert.match(page, /artifacts\/passes\/0006\/task\.patch is a symbolic link, and not followed/);
  assert.match(page, /<code>artifacts\/passes\/0006\/stdout\.log<\/code> is a folder/);
  assert.match(render(), /tests\.log<\/code> no longer exists/);
});

test("the end of a file of any size is read, with the lines before it counted", (t) => {
  const { taskDir } = arrange(t, { "a.log": `${"1234\n".repeat(200_000)}end` });
  const tail = readTail(join(taskDir, "a.log"), 8);
  assert.deepEqual(tail, { bytes: Buffer.from("1234\nend"), offset: 999_995, size: 1_000_003, linesBefore: 199_999 });
  assert.deepEqual(readTail(join(taskDir, "b.log"), 8), { problem: "no longer exists" });
  assert.deepEqual(readWhole(join(taskDir, "a.log"), 10), { problem: "is too large to be shown (976.6 KiB)" });
});

test("magic bytes, kinds and words for pictures", () => {
  const start = (text: string) => imageTypeOf(Buffer.from(text, "latin1"));
  assert.deepEqual(
    [start("RIFF1234WEBPVP8 "), start("RIFF1234WAVE"), start("GIF87a"), start("\u00ff\u00d8\u00ff\u00e0"), start("")],
    [...["webp", null, "gif", "jpeg", null]],
  );
  assert.deepEqual(
    ["a.LOG", "b.patch", "c.jsonl", "d.md", "e.tsx", "f", "g.bin"].map((path) => artifactKind(path, null)),
    ["log", "patch", "JSON", "Markdown", "text", "other", "other"],
  );
  assert.deepEqual([altOf("a/b_c--d.e.png"), altOf(".png")], ["b c d e", "picture without a name"]);
});
