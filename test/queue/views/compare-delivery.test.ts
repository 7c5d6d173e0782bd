import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { serializeTask } from "../../../lib/checks/delivered-paths.ts";
import { serializeEntries } from "../../../lib/git/fingerprint-entries.ts";
import { compareDelivery } from "../../../lib/queue/views/compare-delivery.ts";
import { openAnchor, storeDelivered, storeReviewed } from "../../../lib/task/records/anchor.ts";
import { placeOf } from "../../../lib/task/records/task-place.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { journalFile } from "../../cli/task-world.ts";
import { git, gitEnv, makeRepo, write } from "../../git/git-repo.ts";
import { makeFolder } from "../../process/arrange.ts";
import { verdictEvent } from "../../rules/arrange.ts";

const entries = (files: Readonly<Record<string, string>>) => new Map(Object.entries(files));

function makePlace(t: TestContext) {
  const folder = makeFolder(t);
  const place = placeOf(join(folder, "tasks", "T-1"));
  mkdirSync(place.artifacts, { recursive: true });
  const ports = { env: { ...gitEnv, XDG_STATE_HOME: join(folder, "state") }, home: join(folder, "home") };
  return { folder, place, ports, anchor: openAnchor(place, ports) };
}

/** How the repo differs from what was handed over, on the machine that did the work. */
function here(
  t: TestContext,
  handed: Readonly<Record<string, string>>,
  reviewed: Readonly<Record<string, string>> = handed,
) {
  const { place, ports, anchor } = makePlace(t);
  const text = serializeEntries(entries(handed));
  storeDelivered(anchor, text);
  storeReviewed(anchor, { hash: "", entries: entries(reviewed) } as Parameters<typeof storeReviewed>[1]);
  const then = sha256(serializeEntries(entries(reviewed)));
  return async (now: Readonly<Record<string, string>>, repo: string | null = null) =>
    await compareDelivery({ place, repo, entries: entries(now), then, delivered: sha256(text) }, ports);
}

const moved = (count: number) => ({ kind: "paths", count });

test("paths with other bytes, without any and with some again have moved, and other paths play no part", async (t) => {
  const compare = here(t, { a: "1", b: "2", c: "gone" });
  assert.equal(await compare({ a: "1", b: "2" }), null);
  assert.equal(await compare({ a: "1", b: "2", other: "x" }), null);
  assert.deepEqual(await compare({ a: "9" }), moved(2));
  assert.deepEqual(await compare({ a: "1", b: "2", c: "3" }), moved(1));
});

test("what a person's draft had been at done has not moved", async (t) => {
  const compare = here(t, { a: "1", b: "2" }, { a: "draft", b: "2" });
  assert.equal(await compare({ a: "draft", b: "2" }), null);
  assert.deepEqual(await compare({ a: "another draft" }), moved(2));
  assert.equal(await here(t, { a: "1", b: "2" }, { a: "1" })({ a: "1" }), null, "b was gone at done too");
});

test("a new test has moved if it is committed, and is a draft if not", async (t) => {
  const compare = here(t, { a: "1" });
  const repo = join(makeFolder(t), "repo");
  makeRepo(repo, { "test/new.test.js": "1\n" });
  write(repo, { "test/draft.test.js": "1\n" });
  assert.deepEqual(await compare({ a: "1", "test/new.test.js": "x" }, repo), moved(1));
  assert.equal(await compare({ a: "1", "test/draft.test.js": "x" }, repo), null);
  assert.deepEqual(await compare({ a: "1", "test/new.test.js": "x" }), moved(1), "the entries are those of a commit");
  assert.equal(await compare({ a: "1", "src/new.js": "x" }, repo), null);
  git(repo, "rm", "-q", "test/new.test.js");
  git(repo, "commit", "-q", "-m", "gone");
  assert.equal(await compare({ a: "1", "test/new.test.js": "x" }, repo), null);
});

test("line endings that git converts have not moved a file, here and on another machine", async (t) => {
  const repo = join(makeFolder(t), "repo");
  makeRepo(repo, { a: "one\r\ntwo\r\n" });
  const of = (text: string) => ({ a: `file 644 ${sha256(text)}` });
  const [delivered, windows] = [of("one\ntwo\n"), of("one\r\ntwo\r\n")];
  const compare = here(t, delivered);
  const { place, ports } = makePlace(t);
  const changed_paths = [{ path: "a", change: "changed" as const }];
  const event = verdictEvent("verify", "review", { state: "", contract: "" }, { changed_paths });
  write(place.taskDir, { "artifacts/journal.jsonl": journalFile([event]) });
  const digest = sha256(serializeTask(entries(delivered), new Set(["a"])));
  const then = "";
  const elsewhere = async () =>
    await compareDelivery({ place, repo, entries: entries(windows), then, delivered: digest }, ports);
  assert.deepEqual([await compare(windows, repo), (await elsewhere())?.kind], [moved(1), "unknown"]);
  git(repo, "config", "core.autocrlf", "true");
  assert.deepEqual([await compare(windows, repo), await elsewhere()], [null, null]);
  write(repo, { a: "three\r\n" });
  assert.deepEqual(await compare(of("three\r\n"), repo), moved(1));
});

test("line endings of a file that git does not convert have moved it", async (t) => {
  const repo = join(makeFolder(t), "repo");
  makeRepo(join(repo), {});
  git(repo, "config", "core.autocrlf", "true");
  write(repo, { ".gitattributes": "*.kept -text\n*.told text\n" });
  const compare = async (name: string, text: string) => {
    const turned = text.replaceAll("\n", "\r\n");
    write(repo, { [`app/${name}`]: turned });
    const of = (bytes: string) => ({ [name]: `file 644 ${sha256(bytes)}` });
    return await here(t, of(text))(of(turned), join(repo, "app"));
  };
  assert.deepEqual([await compare("a.kept", "one\n"), await compare("a.image", "\0\n")], [moved(1), moved(1)]);
  assert.deepEqual([await compare("a.told", "\0\n"), await compare("a.txt", "one\n")], [null, null]);
});

test("another machine compares the digest of the journal's paths and of tests", async (t) => {
  const { place, ports } = makePlace(t);
  const changed_paths = [{ path: "a", change: "changed" as const }];
  const event = verdictEvent("verify", "review", { state: "", contract: "" }, { changed_paths });
  write(place.taskDir, { "artifacts/journal.jsonl": journalFile([event]) });
  const then = "";
  const delivered = sha256(serializeTask(entries({ a: "1", "a.test.js": "2" }), new Set(["a"])));
  const compare = async (now: Readonly<Record<string, string>>, repo: string | null = null) =>
    await compareDelivery({ place, repo, entries: entries(now), then, delivered }, ports);
  assert.equal(await compare({ a: "1", "a.test.js": "2", other: "x" }), null);
  const unknown = { kind: "unknown", reason: "only the machine that did the work knows which paths" };
  assert.deepEqual(await compare({ a: "9", "a.test.js": "2" }), unknown);
  const repo = join(makeFolder(t), "repo");
  makeRepo(repo, { "a.test.js": "1\n" });
  const draft = { a: "1", "a.test.js": "2", "draft.test.js": "3" };
  assert.equal(await compare(draft, repo), null);
  assert.deepEqual(await compare(draft), unknown);
});
