import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { mostShownLines } from "../../lib/rules/verdict-event.ts";
import { endPacking, openRecords, packPasses, readPacked, unpackPasses } from "../../lib/task/pack-passes.ts";
import { placeOf } from "../../lib/task/records/task-place.ts";
import { write } from "../git/git-repo.ts";
import { verdict } from "../pages/sample-task.ts";
import { makeFolder } from "../process/arrange.ts";

const events = [1, 2].map((pass) => verdict(pass, { changed_paths: [{ path: "a", change: "changed" }] }));
const brief = `briefs/${"0".repeat(16)}.md`;

const kept = {
  "0001/pass.json": '{"pass":1}\n',
  "0001/checks/tests.log": "ok\r\n",
  "0002/pass.json": '{"pass":2}\n',
  "0002/watched.json": "{}\n",
  "0002/task.patch": "+1\n",
  [brief]: "the brief\n",
};
const gone = {
  "0001/prompt.md": "prompt",
  "0001/stdout.log": "out",
  "0001/task.patch": "+old",
  "0001/changes.patch": "+old",
  "0001/STATE.before.md": "state",
  "0002/tickets.md": "tickets",
};
const others = { "0001/notes.md": "a person's", "briefs/x.md": "another", "0002/deep/screenshot.png": "png" };

function arrange(t: TestContext) {
  const place = placeOf(makeFolder(t));
  write(place.passes, { ...kept, ...gone, ...others });
  write(place.taskDir, { "last_error.txt": "" });
  const files = () =>
    readdirSync(place.passes, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name).slice(place.passes.length + 1))
      .sort();
  return { place, files };
}

test("the records of all passes become one file, with what people put there left beside it", (t) => {
  const { place, files } = arrange(t);
  mkdirSync(join(place.passes, "0003/empty"), { recursive: true });
  assert.equal(packPasses(place, events), true);
  assert.deepEqual(files(), [...Object.keys(others), "packed.jsonl"].sort());
  assert.equal(existsSync(join(place.passes, "0003")), false);
  assert.equal(existsSync(place.lastError), false);
  const prefixed = Object.entries(kept).map(([path, text]) => [`artifacts/passes/${path}`, text] as const);
  assert.deepEqual(new Map([...readPacked(place)].sort()), new Map(prefixed.sort()));
  assert.equal(packPasses(place, events), false);
  writeFileSync(place.checkpoint, "{}");
  assert.equal(packPasses(place, events), true, "until the pages are written");
  endPacking(place);
  assert.equal(packPasses(place, events), false);
});

test("files that a kill left beside the pack are taken away by the next call, and the pack stays as it is", (t) => {
  const { place, files } = arrange(t);
  packPasses(place, events);
  const [before, text] = [files(), readFileSync(join(place.passes, "packed.jsonl"), "utf8")];
  write(place.passes, { "0001/pass.json": kept["0001/pass.json"], "0001/prompt.md": "left" });
  assert.equal(packPasses(place, events), true);
  assert.deepEqual([files(), readFileSync(join(place.passes, "packed.jsonl"), "utf8")], [before, text]);
});

test("what the pages only link stays a file: a long patch, and bytes that are no text", (t) => {
  const { place, files } = arrange(t);
  write(place.passes, { "0002/task.patch": "+1\n".repeat(mostShownLines) });
  writeFileSync(join(place.passes, "0001/checks/tests.log"), Buffer.from([0xff]));
  packPasses(place, events);
  const left = [...Object.keys(others), "0001/checks/tests.log", "0002/task.patch", "packed.jsonl"];
  assert.deepEqual(files(), left.sort());
});

test("a pack is taken apart again, and a file that is there stays", (t) => {
  const { place, files } = arrange(t);
  packPasses(place, events);
  write(place.passes, { "0002/pass.json": "newer" });
  unpackPasses(place);
  assert.deepEqual(files(), [...Object.keys(kept), ...Object.keys(others)].sort());
  assert.equal(readFileSync(join(place.passes, "0001/checks/tests.log"), "utf8"), "ok\r\n");
  assert.equal(readFileSync(join(place.passes, "0002/pass.json"), "utf8"), "newer");
  unpackPasses(place);
});

test("the record of a pass is read from its file, else from the pack", (t) => {
  const { place } = arrange(t);
  packPasses(place, events);
  write(place.passes, { "0002/pass.json": "newer" });
  const read = openRecords(place);
  const text = (pass: number) => {
    const found = read(pass);
    return found.kind === "file" ? found.bytes.toString() : found.kind;
  };
  assert.deepEqual([text(1), text(2), text(3)], ['{"pass":1}\n', "newer", "missing"]);
  assert.deepEqual(readPacked(placeOf(makeFolder(t))), new Map());
});

test("a pack that is damaged is an error with its line, and one that is a link is not followed", (t) => {
  const { place } = arrange(t);
  const pack = join(place.passes, "packed.jsonl");
  const good = '{"path":"0001/pass.json","text":""}\n';
  const outside = '{"path":"0001/../../../../stolen","text":"x"}\n';
  for (const [line, words] of [
    [outside, /is not a path below/],
    [good, /0001\/pass\.json appears twice/],
    ['{"path":\n', /the records of the passes cannot be read: /],
  ] as const) {
    writeFileSync(pack, good + line);
    for (const act of [() => readPacked(place), () => packPasses(place, events), () => unpackPasses(place)])
      assert.throws(act, words);
  }
  const linked = arrange(t).place;
  symlinkSync(pack, join(linked.passes, "packed.jsonl"));
  assert.throws(() => readPacked(linked), /the records of the passes cannot be read: link/);
});
