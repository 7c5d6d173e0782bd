import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type StoryRequest, writeStory } from "../../../lib/scaffold/interchange/write-story.ts";
import { tryLock } from "../../../lib/store/lock.ts";
import { makeFolder } from "../../process/arrange.ts";

const story = (id: string, passes = false) => `{"id": "${id}", "title": "t",  "passes": ${passes}, "x": 1.50}`;
const prdOf = (...stories: string[]) => `{ "userStories": [\n  ${stories.join(",\n  ")}\n] }\r\n`;

function arrange(t: Parameters<typeof makeFolder>[0], text = prdOf(story("A"), story("B"))) {
  const folder = realpathSync(makeFolder(t));
  const prd = join(folder, "prd.json");
  writeFileSync(prd, text);
  const request: StoryRequest = {
    ...{ prd, story: "A", done: true, note: "done; pass 2", taskDir: join(folder, "A"), within: [folder] },
    ...{ lock: join(folder, ".prd.lock"), others: [] },
  };
  const told = async (change: Partial<StoryRequest> = {}) =>
    (await writeStory({ ...request, ...change })).map(
      ({ code, severity, message }) => `${severity} ${code} ${message}`,
    );
  return { folder, prd, request, told, text: () => readFileSync(prd, "utf8") };
}

const noted = (id: string) =>
  `{"id": "${id}", "title": "t",  "passes": true,  "notes": "[task-phase] done; pass 2", "x": 1.50}`;

test("a done story passes with a note, and every other byte stays", async (t) => {
  const { told, text, prd } = arrange(t);
  chmodSync(prd, 0o640);
  assert.deepEqual(await told(), ["info TP_PRD_WRITTEN story A now says passes: true"]);
  assert.equal(text(), prdOf(noted("A"), story("B")));
  assert.equal(statSync(prd).mode & 0o777, 0o640);
  assert.deepEqual(await told(), []);
});

test("a story that is not done is never true, and gets a note only if one claimed that it was", async (t) => {
  const claimed = arrange(t, prdOf(story("A", true)));
  await claimed.told({ done: false, note: "intake; no pass has run" });
  assert.match(claimed.text(), /"passes": false,.*intake; no pass has run/);
  const silent = arrange(t);
  assert.deepEqual(await silent.told({ done: false }), []);
  assert.equal(silent.text(), prdOf(story("A"), story("B")));
});

test("the claim of another task's story falls unless its own journal shows it; stories without a task are left alone", async (t) => {
  const { told, text, folder } = arrange(t, prdOf(story("A"), story("B", true), story("C", true), story("D", true)));
  const other = (name: string, done: boolean) => ({ story: name, taskDir: join(folder, name), isDone: () => done });
  const others = [other("B", false), other("C", true)];
  const taken = ["info TP_PRD_WRITTEN story B now says passes: false"];
  assert.deepEqual(await told({ others, done: false }), taken);
  assert.deepEqual(await told({ others, done: false, note: "verify; pass 3" }), [], "a note alone is no news");
  await told({ others });
  const passes = (JSON.parse(text()) as { userStories: { id: string; passes: boolean }[] }).userStories;
  assert.deepEqual(
    passes.map(({ id, passes: said }) => `${id} ${said}`),
    ["A true", "B false", "C true", "D true"],
  );
});

test("several tasks that end at once lose no edit of each other", async (t) => {
  const ids = Array.from({ length: 12 }, (_, index) => `S-${index}`);
  const { told, text } = arrange(t, prdOf(...ids.map((id) => story(id))));
  await Promise.all(ids.map((id) => told({ story: id })));
  assert.equal(text(), prdOf(...ids.map(noted)));
});

test("who comes while another one writes waits for it", async (t) => {
  const { told, text, request } = arrange(t);
  const lock = tryLock(request.lock);
  const waiting = told();
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(text(), prdOf(story("A"), story("B")));
  lock?.release();
  await waiting;
  assert.equal(text(), prdOf(noted("A"), story("B")));
});

test("a file that cannot be written is reported, and left as it is", async (t) => {
  const broken: readonly (readonly [string, RegExp, (prd: string, folder: string) => void])[] = [
    ["gone", /the file is gone/, (prd) => rmSync(prd)],
    ["read-only", /the file is read-only/, (prd) => chmodSync(prd, 0o444)],
    ["no JSON", /not JSON/, (prd) => writeFileSync(prd, "{ oops")],
    ["no prd", /userStories/, (prd) => writeFileSync(prd, "{}")],
    ["another story", /no story with that id/, (prd) => writeFileSync(prd, prdOf(story("B")))],
    [
      "a folder",
      /it is a folder/,
      (prd) => {
        rmSync(prd);
        mkdirSync(prd);
      },
    ],
    [
      "a link",
      /it is a symbolic link/,
      (prd, folder) => {
        writeFileSync(join(folder, "far.json"), prdOf(story("A")));
        rmSync(prd);
        symlinkSync("far.json", prd);
      },
    ],
  ];
  for (const [what, message, breakIt] of broken) {
    const { prd, folder, told } = arrange(t);
    breakIt(prd, folder);
    const [first = "", ...more] = await told();
    assert.match(first, /^warning TP_PRD_NOT_WRITTEN story A could not be written back: /, what);
    assert.match(first, message, what);
    assert.deepEqual(more, []);
  }
});

test("a folder link on the way may stay inside the repo, and never leaves it", async (t) => {
  const { folder, told, text } = arrange(t);
  symlinkSync(".", join(folder, "near"));
  assert.match(String(await told({ prd: join(folder, "near/prd.json") })), /TP_PRD_WRITTEN/);
  assert.match(text(), /"passes": true/);
  const elsewhere = arrange(t);
  symlinkSync(elsewhere.folder, join(folder, "far"));
  assert.match(
    String(await told({ prd: join(folder, "far/prd.json") })),
    /leads through a link out of the repo and the tasks root/,
  );
  assert.equal(elsewhere.text(), prdOf(story("A"), story("B")));
});
