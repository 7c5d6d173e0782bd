import assert from "node:assert/strict";
import { test } from "node:test";
import {
  idFromFolder,
  judgeId,
  looksLikeTask,
  nextId,
  slugFromTitle,
  titleFromFolder,
} from "../../../lib/scaffold/init/names.ts";

const folders: readonly (readonly [string, string, string])[] = [
  ["T-123-stream-csv", "T-123", "Stream csv"],
  ["PROJ2-7_fix_the_build", "PROJ2-7", "Fix the build"],
  ["T-123", "T-123", "T-123"],
  ["T-123-", "T-123", "T-123-"],
  ["stream-csv", "stream-csv", "Stream csv"],
  ["T-12x", "T-12x", "T 12x"],
  ["feature-2-login", "feature-2-login", "Feature 2 login"],
  ["---", "---", "---"],
  ["été", "été", "Été"],
];

for (const [folder, id, title] of folders) {
  test(`the folder ${folder} is task ${id}, ${title}`, () => {
    assert.deepEqual([idFromFolder(folder), titleFromFolder(folder)], [id, title]);
  });
}

test("an id of visible characters is fine", () => {
  for (const id of ["T-1", "été", "a b", "x".repeat(80), "日本"]) assert.deepEqual(judgeId(id, "--id"), []);
});

const refused: readonly (readonly [string, string])[] = [
  [" ", "it is empty"],
  ["a ", "it starts or ends with a space"],
  ["..", "it is a path"],
  ["a/b", "it contains a slash"],
  ["a\\b", "it contains a slash"],
  ["a\u0007b", "it contains a control or invisible character"],
  ["a\u202eb", "it contains a control or invisible character"],
  ["a\u2028b", "it contains a control or invisible character"],
  ["x".repeat(81), "it is longer than 80 characters"],
];

for (const [id, problem] of refused) {
  test(`an id is refused: ${problem}`, () => {
    const [finding, ...more] = judgeId(id, "--depends-on");
    assert.deepEqual(more, []);
    assert(finding !== undefined);
    assert(finding.message.endsWith(`cannot be a task's id: ${problem}`), finding?.message);
    assert.match(finding.fix ?? "", /^write --depends-on /);
  });
}

const slugs: readonly (readonly [string, string])[] = [
  ["Round half up", "round-half-up"],
  ["Don't repeat; yourself / über", "dont-repeat-yourself-uber"],
  ["日本語の題", "日本語の題"],
  ["한국어", "한국어"],
  ["../../etc: <b> && rm -rf ~", "etc-b-rm-rf"],
  ["\u202e!!!", ""],
  ["a word and more words than a folder's name needs to be told apart", "a-word-and-more-words-than-a-folders"],
  ["x".repeat(300), "x".repeat(40)],
];

for (const [title, slug] of slugs)
  test(`the title ${title} is ${slug}`, () => assert.equal(slugFromTitle(title), slug));

test("a path and a key are names of tasks, and anything else is a title", () => {
  const words = ["T-1", "T-1-round", "tasks/T-1", "./x", "T-1 and more", "rounding", "UTF-8x", "and/or this"];
  assert.deepEqual(words.filter(looksLikeTask), ["T-1", "T-1-round", "tasks/T-1", "./x"]);
});

const roots: readonly (readonly [string, readonly string[], string])[] = [
  ["an empty root", [], "T-1"],
  ["ids of other forms", ["stream-csv", "t-3", "T-", "T-1x"], "T-1"],
  ["a gap, which stays", ["T-1", "T-7", "T-3"], "T-8"],
  ["numbers that begin with zeros", ["US-001", "US-009"], "US-010"],
  ["numbers that outgrow their width", ["US-099", "US-998", "US-999"], "US-1000"],
  ["two prefixes", ["A-9", "B-1", "B-2"], "B-3"],
  ["two prefixes as often as each other", ["B-5", "A-9"], "A-10"],
  ["an id that folder and brief both name", ["A-1", "A-1", "B-1", "B-2"], "B-3"],
  ["a number that cannot be counted on", ["T-99999999999999999999", "T-2"], "T-3"],
];

for (const [title, ids, next] of roots) test(`after ${title} comes ${next}`, () => assert.equal(nextId(ids), next));
