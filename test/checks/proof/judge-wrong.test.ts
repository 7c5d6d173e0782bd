import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChangedCode, changedFiles } from "../../../lib/checks/proof/changed-files.ts";
import { judgeWrong, type WrongRequest } from "../../../lib/checks/proof/judge-wrong.ts";
import type { CheckResult } from "../../../lib/rules/check-run.ts";
import { sha256 } from "../../../lib/text/sha256.ts";
import { write } from "../../git/git-repo.ts";
import { check, failing } from "../../rules/arrange.ts";
import { cell, heldOut } from "../../rules/matrix-facts.ts";
import { withFolder } from "../../store/temporary-folder.ts";
import { contents, fails, ran } from "./scripted-run.ts";

const work = "export function add(a, b) {\n  return a + b;\n}\n";
const tests = 'test("adds", () => {\n  assert.equal(add(1, 2), 3);\n});\n';

/** What the checks say of a version of the files. */
type Judge = (
  name: string,
  texts: ReadonlyMap<string, string>,
) => readonly CheckResult[] | "aborted" | "refused" | "unbuilt";

async function judge(
  judgeVersion: Judge,
  more: Partial<WrongRequest & ChangedCode> = {},
  files: Readonly<Record<string, string>> = { "add.js": work, "add.test.js": tests },
) {
  const names: string[] = [];
  const found = { outcome: undefined as unknown as Awaited<ReturnType<typeof judgeWrong>>, names };
  await withFolder(async (repo) => {
    write(repo, files);
    const entries = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, `file 644 ${sha256(Buffer.from(text))}`]),
    );
    const request = {
      repo,
      blobs: "/nonexistent",
      origin: { fingerprint: "before", entries: new Map(), blobPath: () => "/nonexistent/blob" },
      fingerprint: { hash: "seed", entries: new Map(Object.entries(entries)) },
      changedChecks: ["add.test.js"],
      onlyNew: [],
      contents: contents(entries),
      clean: cell([check({ tests: { ran: 1, failed: 0, skipped: 0 } })]),
      earlier: null,
      deciding: fails(),
      rules: { max: 8, time: 1 },
      run: (name: string, copy: WrongRequest["contents"]) => {
        names.push(name);
        const texts = [...copy].flatMap(([path, { text }]): [string, string][] =>
          text === undefined ? [] : [[path, text]],
        );
        const end = judgeVersion(name, new Map(texts));
        if (end === "aborted") return Promise.resolve({ kind: "aborted" });
        if (end === "unbuilt") return Promise.resolve({ kind: "refused", reason: "exit 1", unbuilt: true });
        return Promise.resolve(end === "refused" ? { kind: "refused", reason: "no room" } : ran(end));
      },
      ...more,
    } satisfies Omit<WrongRequest, "files"> & ChangedCode;
    found.outcome = await judgeWrong({ files: changedFiles(request), ...request });
  });
  return found;
}

const failed = [
  failing({ tests: { ran: 1, failed: 1, skipped: 0 }, failure: { by: "assertion", tests: ["adds"], said: null } }),
];
const passed = [check({ tests: { ran: 1, failed: 0, skipped: 0 } })];

function versions(outcome: Awaited<ReturnType<typeof judgeWrong>>) {
  assert(outcome.kind === "judged");
  return {
    wrong: outcome.wrong.versions.map(({ line, was, outcome: end }) => `${line}: ${was}: ${end}`),
    checks: outcome.wrongChecks.versions.map(({ path, line, was, outcome: end }) => `${path}:${line}: ${was}: ${end}`),
    left: outcome.wrong.left,
  };
}

test("the emptied work comes first, then lines until one is noticed, then an expectation", async () => {
  const { outcome, names } = await judge(() => failed);
  assert.deepEqual(names, ["wrong-emptied-1", "wrong-1", "wrong-check-1"]);
  assert.deepEqual(versions(outcome).checks, ["add.test.js:2: 3: noticed"]);
  const longer = await judge(() => failed, { rules: { max: 8, time: 3 } });
  assert.deepEqual(longer.names, ["wrong-emptied-1", "wrong-1", "wrong-2", "wrong-check-1"]);
});

test("what goes to a copy is the version alone, and the other files stay as they are", async () => {
  const seen = new Map<string, ReadonlyMap<string, string>>();
  await judge(
    (name, texts) => {
      seen.set(name, texts);
      return failed;
    },
    { rules: { max: 8, time: 2 } },
  );
  assert.deepEqual(
    [...(seen.get("wrong-emptied-1") ?? [])],
    [["add.js", "export function add(a, b) { return;\n  return a + b;\n}\n"]],
  );
  assert.deepEqual([...(seen.get("wrong-check-1") ?? [])], [["add.test.js", tests.replace("3", "4")]]);
});

test("lines that nothing notices are all tried, as far as the bound allows", async () => {
  const all = await judge((name) => (name.startsWith("wrong-check") ? failed : passed));
  assert.deepEqual(versions(all.outcome).wrong.sort(), ["2: +: unnoticed", "null: all that is new: unnoticed"]);
  const few = await judge(() => passed, { rules: { max: 1, time: 100 } });
  const { wrong, left } = versions(few.outcome);
  assert.deepEqual([wrong, left], [["null: all that is new: unnoticed"], 2]);
});

test("at most four expectations are tried, until one is noticed", async () => {
  const lines = [1, 2, 3, 4, 5].map((n) => `  assert.equal(add(${n}, 0), ${n});\n`);
  const many = `test("adds", () => {\n${lines.join("")}});\n`;
  const files = { "add.js": work, "add.test.js": many };
  const none = await judge((name) => (name.startsWith("wrong-check") ? passed : failed), {}, files);
  assert.equal(none.names.filter((name) => name.startsWith("wrong-check")).length, 4);
  const third = await judge(
    (name) => (name === "wrong-check-1" || name === "wrong-check-2" ? passed : failed),
    {},
    files,
  );
  assert.equal(third.names.at(-1), "wrong-check-3");
});

/** How a run of wrong expectations ends, all of which pass, if its copy has these files then. */
async function judgeLeaving(left: Readonly<Record<string, string>>, text: string, path = "add.test.js") {
  let found: string[] = [];
  await withFolder(async (copy) => {
    const files = { "add.js": work, [path]: text, "test/data/sum.txt": "3\n", "test/xum.txt": "" };
    write(copy, { ...files, ...left });
    const run: WrongRequest["run"] = (name) =>
      Promise.resolve({ ...ran(name.startsWith("wrong-check") ? passed : failed), copy });
    const { outcome } = await judge(() => "refused", { run, changedChecks: [path] }, files);
    found = versions(outcome).checks;
  });
  return found;
}

test("an expectation shows nothing if the checks wrote what it then names", async () => {
  const named = 'test("adds", () => {\n  assertSnapshot("The sum", add(1, 2));\n});\n';
  const judgeNamed = async (left: Readonly<Record<string, string>>) => (await judgeLeaving(left, named))[0];
  const unloadable = 'add.test.js:2: "The sum": unloadable';
  const unnoticed = 'add.test.js:2: "The sum": unnoticed';
  assert.equal(await judgeNamed({ "test/data/xhe xum.txt": "3\n" }), unloadable);
  assert.equal(await judgeNamed({ "golden/adds-xhe-xum.json": "3\n" }), unloadable);
  assert.equal(await judgeNamed({ "xhe_xum/3.txt": "" }), unloadable);
  assert.equal(await judgeNamed({ "test/__snapshots__/a.snap": "exports[`adds: xhe xum 1`] = `3`;\n" }), unloadable);
  const filled = 'def test_adds():\n    assert_snapshot(f"sum-{n}", add(n, n))\n';
  const inPython = await judgeLeaving({ "test/sum-wrong.txt": "3\n", "test/xum-1.txt": "2\n" }, filled, "test_add.py");
  assert.deepEqual(new Set(inPython), new Set(['test_add.py:2: f"sum-{n}": unloadable']));
  assert.equal(await judgeNamed({}), unnoticed);
  assert.equal(await judgeNamed({ "test/data/xhe xums.txt": "", "test/data/other.txt": "xhe xum" }), unnoticed);
  assert.equal(await judgeNamed({ "a/node_modules/b/xhe xum.txt": "" }), unnoticed);
});

test("a number or a letter in the name of a new file is by chance", async () => {
  const plain = 'test("adds", () => {\n  assert.equal(add(1, 2), VALUE);\n});\n';
  const left = { ".mypy_cache/3.11/4.json": "", "out/x.txt": "" };
  const judgeValue = async (value: string) => (await judgeLeaving(left, plain.replace("VALUE", value)))[0];
  assert.equal(await judgeValue("3"), "add.test.js:2: 3: unnoticed");
  assert.equal(await judgeValue('""'), 'add.test.js:2: "": unnoticed');
});

test("a line of the work goes unnoticed, whatever the checks wrote", async () => {
  await withFolder(async (copy) => {
    write(copy, { "out/xeport.txt": "" });
    const run: WrongRequest["run"] = () => Promise.resolve({ ...ran(passed), copy });
    const files = { "add.js": `export const name = () => "report" + 1;\n`, "add.test.js": tests };
    const { outcome } = await judge(() => "refused", { run }, files);
    assert(versions(outcome).wrong.includes('1: "report": unnoticed'));
  });
});

test("an expectation that a file of data has for its name is tried like any other", async () => {
  const plain = 'test("adds", () => {\n  assert.equal(nameOf(1 + 2), "sum");\n});\n';
  assert.deepEqual((await judgeLeaving({}, plain))[0], 'add.test.js:2: "sum": unnoticed');
});

test("an expectation on a line of before, in a test file that changed, is recorded as unchanged", async () => {
  await withFolder(async (folder) => {
    write(folder, { blob: tests });
    const origin = {
      fingerprint: "before",
      entries: new Map([["add.test.js", `file 644 ${sha256(Buffer.from(tests))}`]]),
      blobPath: () => `${folder}/blob`,
    };
    const files = { "add.js": work, "add.test.js": `// Sums.\n${tests}` };
    const { outcome } = await judge(() => failed, { origin, deciding: fails(["adds"]) }, files);
    assert(outcome.kind === "judged");
    assert.deepEqual(
      outcome.wrongChecks.versions.map(({ line, stood, unchanged }) => ({ line, stood, unchanged })),
      [{ line: 3, stood: undefined, unchanged: true }],
    );
  });
});

test("five lines that nothing notices are enough, unless a value that the tests name is next", async () => {
  const plus = (name: string) => `export function ${name}(a, b) { return a + b; }\n`;
  const names = ["one", "two", "three", "four", "five", "six", "seven"];
  const tried = async (tested: readonly string[]) => {
    const calls = tested.map((name) => `  assert.equal(${name}(1, 2), 3);\n`).join("");
    const files = { "add.js": names.map(plus).join(""), "add.test.js": `test("adds", () => {\n${calls}});\n` };
    const { outcome } = await judge((name) => (name.startsWith("wrong-check") ? failed : passed), {}, files);
    return versions(outcome).wrong.filter((line) => !line.startsWith("null")).length;
  };
  assert.deepEqual([await tried([]), await tried(names.slice(0, 5)), await tried(names)], [5, 5, 7]);
});

test("a crash on a wrong line is enough where a test compared the old code with an expectation", async () => {
  const sums = `${work}export function twice(a) {\n  return a + a;\n}\n`;
  const crashed = failing({
    ...{ tests: { ran: 1, failed: 1, skipped: 0 }, failure: { by: "crash", tests: ["adds"], said: null } },
  });
  const tried = async (by: "assertion" | "crash", said: string | null) => {
    const deciding = fails().map((one) => ({ ...one, failure: { by, tests: ["adds"], said } }));
    const { names } = await judge(() => [crashed], { deciding }, { "add.js": sums, "add.test.js": tests });
    return names.filter((name) => /^wrong-\d/.test(name)).length;
  };
  assert.deepEqual(await tried("assertion", "4 == 3"), 1);
  assert.deepEqual([await tried("crash", null), await tried("assertion", "add is not a function")], [4, 4]);
});

test("expectations are not tried if only held-out checks decide, or if the checks only compile", async () => {
  const hidden = [heldOut()];
  const held = await judge(() => [heldOut({ status: "fail" })], {
    clean: cell(hidden),
    deciding: [heldOut({ status: "fail" })],
  });
  assert.ok(held.names.every((name) => !name.startsWith("wrong-check")));
  const types = [failing({ excerpt: "a.ts(1,1): error TS2304: Cannot find name" })];
  const compiled = await judge(() => types, { clean: cell([check()]), deciding: types });
  assert.ok(compiled.names.every((name) => !name.startsWith("wrong-check")));
  const { outcome } = compiled;
  assert(outcome.kind === "judged");
  assert.ok(outcome.wrong.versions.every(({ change }) => change === "nothing"));
});

test("a test that stood at pass 1 and fails without the work is tried, one that does not is left alone", async () => {
  const none = { changedChecks: [], deciding: fails(["adds"]) };
  const standing = { "add.test.js": `file 644 ${sha256(Buffer.from(tests))}` };
  const origin = {
    fingerprint: "before",
    entries: new Map(Object.entries(standing)),
    blobPath: () => "/nonexistent/blob",
  };
  const named = await judge(() => failed, { ...none, origin });
  assert.equal(named.names.at(-1), "wrong-check-1");
  assert(named.outcome.kind === "judged");
  assert.deepEqual(
    named.outcome.wrongChecks.versions.map(({ stood, unchanged }) => ({ stood, unchanged })),
    [{ stood: true, unchanged: undefined }],
  );
  const other = await judge(() => failed, { ...none, origin, deciding: fails(["subtracts"]) });
  assert.ok(!other.names.includes("wrong-check-1"));
  const entries = new Map([["add.test.js", `file 644 ${sha256(Buffer.from(`${tests}// Saved since.\n`))}`]]);
  const saved = await judge(() => failed, { ...none, origin, fingerprint: { hash: "seed", entries } });
  assert.ok(!saved.names.includes("wrong-check-1"));
});

test("a run that is aborted or refused, at any step, is the outcome", async () => {
  for (const step of ["wrong-emptied-1", "wrong-1", "wrong-check-1"]) {
    const rules = { rules: { max: 8, time: 2 } };
    const end = async (word: "aborted" | "refused") =>
      (await judge((name) => (name === step ? word : failed), rules)).outcome;
    assert.deepEqual(await end("aborted"), { kind: "aborted" }, step);
    assert.deepEqual(await end("refused"), { kind: "refused", reason: "no room" }, step);
  }
});

test("a version that the commands of proof.prepare cannot build tells nothing, and others are tried", async () => {
  const { outcome } = await judge((name) => (name === "wrong-emptied-1" ? "unbuilt" : failed));
  const { wrong } = versions(outcome);
  assert.deepEqual(
    wrong.map((line) => line.split(" ").at(-1)),
    ["unloadable", ...wrong.slice(1).map(() => "noticed")],
  );
  assert.ok(wrong.length > 1);
});

test("a failure that a file which cannot be read causes too is no notice, and that file is tried once", async () => {
  const broken = [failing({ excerpt: "SyntaxError" })];
  const seen: string[] = [];
  const { outcome } = await judge(
    (name, texts) => {
      if (name.startsWith("unreadable")) seen.push(...texts.values());
      return broken;
    },
    { clean: cell([check()]) },
  );
  assert.ok(versions(outcome).wrong.every((line) => line.endsWith("unloadable")));
  // It is made of the whole work, and not of a version of it.
  const [ofWork, ofTest] = seen;
  assert.ok(ofWork?.startsWith(`${work}\n)]}'`), ofWork);
  assert.ok(ofTest?.startsWith(tests), ofTest);
  assert.equal(seen.length, 2);
});

test("a line on which nothing is noticed is tried as it was, until that is noticed", async () => {
  const now = "export function left(a) {\n  return a.n ?? 10;\n}\n";
  const before = now.replace("??", "||");
  const play = async (end: (name: string, texts: ReadonlyMap<string, string>) => readonly CheckResult[]) => {
    const { outcome, names } = await judge(end, { files: [{ path: "add.js", text: now, before }] });
    return { ...versions(outcome), names: names.filter((name) => name.startsWith("wrong-")) };
  };
  const noticing = (name: string, texts: ReadonlyMap<string, string>) =>
    name.startsWith("wrong-emptied") || texts.get("add.js") === before ? failed : passed;
  const noticed = await play(noticing);
  assert.deepEqual(noticed.names, ["wrong-emptied-1", "wrong-1", "wrong-second-1"]);
  assert.deepEqual(noticed.wrong.at(-1), "2: ??: noticed");
  const never = await play((name) => (name.startsWith("wrong-emptied") ? failed : passed));
  assert.deepEqual(never.wrong.at(-1), "2: ??: unnoticed");
  for (const end of [() => passed, () => failed])
    assert.ok(!(await play(end)).names.some((name) => name.startsWith("wrong-second")));
});

test("new files of which nothing else can be made wrong are emptied, and count unless they do not load", async () => {
  const files = { "db/2.sql": "ALTER TABLE a ADD b TEXT;\n", "add.test.js": tests };
  const unloaded = failing({
    tests: { ran: 0, failed: 1, skipped: 0 },
    failure: { by: "load", tests: [], said: null },
  });
  const play = async (onlyNew: readonly string[], end: CheckResult) => {
    const emptied: string[] = [];
    const { outcome } = await judge(
      (name, texts) => {
        if (name.startsWith("wrong-emptied")) emptied.push(...[...texts].map(([path, text]) => `${path}: ${text}`));
        return name.startsWith("wrong-check") ? failed : [end];
      },
      { onlyNew },
      files,
    );
    return { emptied, wrong: versions(outcome).wrong };
  };
  const [noticed = check()] = failed;
  const emptied = ["db/2.sql: "];
  assert.deepEqual(await play(["db/2.sql"], noticed), { emptied, wrong: ["null: all that is new: noticed"] });
  assert.deepEqual(await play(["db/2.sql"], check()), { emptied, wrong: ["null: all that is new: unnoticed"] });
  const crashed = { ...noticed, failure: { by: "crash" as const, tests: ["adds"], said: null } };
  for (const end of [unloaded, crashed]) assert.deepEqual(await play(["db/2.sql"], end), { emptied, wrong: [] });
  assert.deepEqual(await play([], noticed), { emptied: [], wrong: [] });
});

test("what only tests of before notice says so, if nothing could be loaded without the work", async () => {
  const files = { "add.js": work, "add.test.js": tests, "old.test.js": 'test("subtracts", () => {});\n' };
  const tried = { ran: 2, failed: 1, skipped: 0 };
  const unloaded = [failing({ tests: tried, failure: { by: "load", tests: [], said: null } })];
  const noticedBy = async (test: string, earlier: readonly CheckResult[] | null) => {
    const fails = [failing({ tests: tried, failure: { by: "assertion", tests: [test], said: null } })];
    const changed = [
      { path: "add.js", text: work, before: null },
      { path: "add.test.js", text: tests, before: null },
    ];
    const clean = cell([check({ tests: { ran: 2, failed: 0, skipped: 0 } })]);
    const { outcome } = await judge(() => fails, { earlier, deciding: unloaded, files: changed, clean }, files);
    assert(outcome.kind === "judged");
    return outcome.wrong.versions[0]?.noticed_by;
  };
  assert.equal(await noticedBy("subtracts", [check()]), "standing");
  assert.equal(await noticedBy("adds", [check()]), "assertion");
  assert.equal(await noticedBy("multiplies", [check()]), "assertion");
  assert.equal(await noticedBy("subtracts", null), "assertion");
});
