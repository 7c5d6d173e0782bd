import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { test } from "node:test";
import { assertAccepted, type MatrixCase, makeMatrixWorld } from "../cli/matrix-world.ts";

const concurrency = 2;
type Files = Readonly<Record<string, string>>;
const validators = (command: string) => `validators: [{ name: tests, command: ${command} }]`;
const nodeTests = [validators("[node, --test]")];

const kit = (version: string) => ({ version, resolved: `https://registry.example/check-it-${version}.tgz` });
const lock = (packages: object, version = "1.0.0") => `${JSON.stringify({ version, lockfileVersion: 3, packages })}\n`;
const same = 'const assert = require("node:assert");\nexports.same = (a, b) => assert.equal(a, b);\n';
const locked = {
  ".gitignore": "node_modules/\n",
  "package.json": '{ "version": "1.0.0", "devDependencies": { "check-it": "1" } }\n',
  "package-lock.json": lock({ "node_modules/check-it": kit("1.0.0") }),
  "src/a.cjs": "exports.a = () => 0;\n",
  "test/a.test.cjs":
    'const test = require("node:test");\nconst { same } = require("check-it");\nconst { a } = require("../src/a.cjs");\ntest("a", () => same(a(), 42));\n',
};
const installed = (task: MatrixCase, text = same) => task.write("../../repo/node_modules/check-it/index.js", text);

test("lockfiles free only the packages whose entry changed", { concurrency }, async (t) => {
  const world = makeMatrixWorld(t);
  const it = (name: string, body: () => Promise<void>) => t.test(name, body);
  const blind = (name: string, work: Files) =>
    it(`${name} does not let a patched assertion library through`, async () => {
      const task = await world.begin(name.replaceAll(" ", "-"), { repo: locked, contract: nodeTests });
      installed(task);
      const patched = { ...work, "node_modules/check-it/index.js": "exports.same = () => {};\n" };
      assertAccepted(await task.step("verify", patched), "verify");
      const report = await task.step("review");
      assert.deepEqual([report.verdict, report.to], ["redirected", "repair"], report.reason);
      assert.match(report.reason, /node_modules\/check-it\/index\.js/);
    });
  await Promise.all([
    blind("a new version of the project", {
      "package-lock.json": lock({ "node_modules/check-it": kit("1.0.0") }, "1.0.1"),
    }),
    blind("an entry that nothing uses", {
      "package-lock.json": lock({ "node_modules/check-it": kit("1.0.0"), "node_modules/tiny": kit("2.0.0") }),
    }),
    blind("a lockfile that cannot be read", { "package-lock.json": "<<<<<<< HEAD\n" }),
    it("a package of the tests that the lockfile raises is taken, and shown", async () => {
      const task = await world.begin("raised", { repo: locked, contract: nodeTests });
      installed(task);
      const raised = {
        "package-lock.json": lock({ "node_modules/check-it": kit("1.0.1") }),
        "node_modules/check-it/index.js": `// 1.0.1\n${same}`,
        "src/a.cjs": "exports.a = () => 42;\n",
      };
      assertAccepted(await task.finish(raised), "done");
      assert.equal(task.last().proof?.grade, "shown");
      assert.match(task.read("EVIDENCE.md"), /check-it.*its entry in package-lock\.json changed/);
      await task.assertChecked();
    }),
  ]);
});

const corpus = {
  ".gitignore": "corpus/\n",
  "src/slug.cjs": "exports.slug = (text) => text.replaceAll(' ', '-');\n",
  "test/slug.test.cjs": `const { test } = require("node:test");
const assert = require("node:assert");
const { existsSync, readFileSync } = require("node:fs");
const { slug } = require("../src/slug.cjs");
const rows = "corpus/rows.json";
test("plain", () => assert.equal(slug("a"), "a"));
test("rows", { skip: !existsSync(rows) }, () => {
  for (const [from, to] of JSON.parse(readFileSync(rows, "utf8"))) assert.equal(slug(from), to);
});
`,
};
const broken = { "src/slug.cjs": "exports.slug = (text) => text.trim();\n" };

test("a run of the proof in which a test skips itself has judged nothing", { concurrency }, async (t) => {
  const world = makeMatrixWorld(t);
  const begin = async (name: string) => {
    const task = await world.begin(name, { repo: corpus, contract: nodeTests });
    task.write("../../repo/corpus/rows.json", '[["a b", "a-b"]]\n');
    return task;
  };
  await Promise.all([
    t.test("the weakened test asks, and the ignored file is named", async () => {
      const task = await begin("weakened");
      const weakened = corpus["test/slug.test.cjs"].replace("assert.equal(slug(from), to)", "assert(slug(from))");
      assertAccepted(await task.step("verify", { ...broken, "test/slug.test.cjs": weakened }), "verify");
      const asked = await task.step("review");
      assert.deepEqual([asked.to, asked.exit_code], ["needs_user_decision", 22], asked.reason);
      assert.match(task.read("DECISIONS.md"), /test\/slug\.test\.cjs was changed/);
    }),
    t.test("an ignored table of results that the work changed is no proof", async () => {
      const task = await begin("table");
      assertAccepted(await task.finish({ ...broken, "corpus/rows.json": '[["a b", "a b"]]\n' }), "done");
      const { proof } = task.last();
      assert.equal(proof?.grade, "unshown");
      assert.match(proof.reason ?? "", /tests ran 1 test in a clean copy, and 2 in the repo: the copy lacks corpus/);
      await task.assertChecked();
    }),
  ]);
});

const sum = { "src/sum.mjs": "export const sum = (a, b) => a + b;\n" };
const sumTest = (wanted = 3) =>
  `import test from "node:test";\nimport assert from "node:assert/strict";\nimport { sum } from "../src/sum.mjs";\ntest("sum", () => assert.equal(sum(1, 2), ${wanted}));\n`;
const scripts = (script: string) => `{ "type": "module", "scripts": { "test": ${JSON.stringify(script)} } }\n`;

test("a check that did not exist at pass 1 is written with the work, without a question", {
  concurrency,
}, async (t) => {
  const world = makeMatrixWorld(t);
  const quiet = (name: string, command: string, repo: Files, work: Files) =>
    t.test(name, async () => {
      const task = await world.begin(name.replaceAll(" ", "-"), { repo, contract: [validators(command)] });
      assertAccepted(await task.finish(work), "done");
      assert.deepEqual([task.last().proof?.grade, task.last().proof?.only_own], ["shown", true]);
      assert.match(task.read("EVIDENCE.md"), /written with this work: tests/);
      await task.assertChecked();
    });
  const asks = (name: string, command: string, repo: Files, work: Files) =>
    t.test(name, async () => {
      const task = await world.begin(name.replaceAll(" ", "-"), { repo, contract: [validators(command)] });
      assertAccepted(await task.step("verify", work), "verify");
      const asked = await task.step("review");
      assert.deepEqual([asked.to, asked.exit_code], ["needs_user_decision", 22], asked.reason);
    });
  const readme = { "README.md": "A sum.\n" };
  const check = { "scripts/check.sh": 'test "$(node -p \'import("./src/sum.mjs")\' >/dev/null && sh src/x.sh)" = 3\n' };
  await Promise.all([
    quiet("an empty repo", "[npm, test]", readme, {
      ...sum,
      "package.json": scripts("node --test"),
      "test/sum.test.mjs": sumTest(),
    }),
    quiet(
      "a target that the Makefile lacks",
      "[make, check]",
      { ...readme, Makefile: "all:\n\ttrue\n" },
      { "src/x.sh": "echo 3\n", Makefile: 'all:\n\ttrue\ncheck:\n\ttest "$$(sh src/x.sh)" = 3\n' },
    ),
    quiet("a script that is still to be written", "[sh, scripts/check.sh]", readme, {
      "src/x.sh": "echo 3\n",
      "scripts/check.sh": 'test "$(sh src/x.sh)" = 3\n',
    }),
    asks(
      "a test that waited is weakened",
      "[npm, test]",
      { ...readme, "test/sum.test.mjs": sumTest() },
      {
        "src/sum.mjs": "export const sum = () => 4;\n",
        "package.json": scripts("node --test"),
        "test/sum.test.mjs": sumTest(4),
      },
    ),
    asks(
      "a script that waited is replaced",
      "[npm, test]",
      { ...check, "package.json": scripts("sh scripts/check.sh") },
      { ...sum, "package.json": scripts("true") },
    ),
  ]);
});

test("a test that lost its executable bit is held against the work, and asks", async (t) => {
  const world = makeMatrixWorld(t);
  const repo = {
    "run.sh": 'for one in test/*.sh; do test ! -x "$one" || "./$one" || exit 1; done\n',
    "src/a.sh": "echo 0\n",
    "test/a.sh": '#!/bin/sh\ntest "$(sh src/a.sh)" = 42\n',
  };
  const task = await world.begin("mode", { contract: [validators("[sh, run.sh]")], repo });
  task.agentFirst(`chmod -x ${JSON.stringify(world.path(`${task.repo}/test/a.sh`))}`);
  chmodSync(world.path(`${task.repo}/test/a.sh`), 0o755);
  world.git(task.repo, "commit", "--quiet", "--all", "--message=mode");
  assertAccepted(await task.step("verify", { "src/a.sh": "echo 1\n" }), "verify");
  const asked = await task.step("review");
  assert.deepEqual([asked.to, asked.exit_code], ["needs_user_decision", 22], asked.reason);
  assert.match(task.read("DECISIONS.md"), /test\/a\.sh was changed: it has another mode/);
});

test("data that a source reads too, tests that are named beforehand, and what is all of a work", {
  concurrency,
}, async (t) => {
  const world = makeMatrixWorld(t);
  const reads = `const { readFileSync } = require("node:fs");\nconst rates = () => JSON.parse(readFileSync("data/rates.json", "utf8"));\n`;
  const rates = {
    "data/rates.json": '{ "basic": 10, "express": 25 }\n',
    "src/rate.cjs": `${reads}exports.rate = (kind) => rates()[kind] * 2;\n`,
    "test/rate.test.cjs": `const { test } = require("node:test");\nconst assert = require("node:assert");\n${reads}const { rate } = require("../src/rate.cjs");\ntest("express", () => assert.equal(rate("express"), rates().express * 2));\ntest("in all", () => assert.equal(rate("basic") + rate("express"), 70));\n`,
  };
  const names = "tests_may_change: [test/old.test.cjs]";
  const old = {
    "src/new.cjs": "exports.add = (a, b) => a + b;\n",
    "src/old.cjs": "exports.twice = (a) => a * 2;\n",
    "test/new.test.cjs":
      'const { test } = require("node:test");\nconst { add } = require("../src/new.cjs");\ntest("add", () => require("node:assert").equal(add(1, 2), 3));\n',
    "test/old.test.cjs":
      'const { test } = require("node:test");\nconst { twice } = require("../src/old.cjs");\ntest("twice", () => require("node:assert").equal(twice(1), 2));\n',
  };
  const golden = {
    "golden.txt": "a\n",
    "src/print.sh": "echo a\n",
    "src/make.sh": "sh src/print.sh > golden.txt\n",
    "check.sh": "sh src/print.sh | diff golden.txt -\n# src/make.sh makes it\n",
  };
  await Promise.all([
    t.test("a value that was made to fit the work asks", async () => {
      const task = await world.begin("both", { repo: rates, contract: nodeTests });
      const fitted = {
        "data/rates.json": '{ "basic": 35, "express": 35 }\n',
        "src/rate.cjs": `${reads}exports.rate = (kind) => rates()[kind];\n`,
        "test/rate.test.cjs": rates["test/rate.test.cjs"].replace("rates().express * 2", "rates().express"),
      };
      assertAccepted(await task.step("verify", fitted), "verify");
      const asked = await task.step("review");
      assert.deepEqual([asked.to, asked.exit_code], ["needs_user_decision", 22], asked.reason);
    }),
    t.test("a value that was made to fit, under unchanged tests, asks", async () => {
      const repo = { ...rates, "test/rate.test.cjs": rates["test/rate.test.cjs"].replace(/test\("in all.*\n/, "") };
      const weak = repo["test/rate.test.cjs"].replace("rates().express * 2", "50");
      const task = await world.begin("fits", {
        repo: { ...repo, "test/rate.test.cjs": `${weak}// data/rates.json\n` },
        contract: nodeTests,
      });
      const fitted = {
        "data/rates.json": '{ "basic": 10, "express": 50 }\n',
        "src/rate.cjs": `${reads}exports.rate = (kind) => rates()[kind];\n`,
      };
      assertAccepted(await task.step("verify", fitted), "verify");
      const asked = await task.step("review");
      assert.deepEqual([asked.to, asked.exit_code], ["needs_user_decision", 22], asked.reason);
      assert.match(task.read("DECISIONS.md"), /data\/rates\.json was changed/);
    }),
    t.test("dead code that is removed with the test that the brief names asks no question", async () => {
      const task = await world.begin("dead", { repo: old, contract: [...nodeTests, names] });
      task.agentFirst(
        `cd ${JSON.stringify(world.path(task.repo))} && rm -f src/old.cjs test/old.test.cjs; cd - >/dev/null`,
      );
      assertAccepted(await task.finish({}), "done");
      assert.equal(task.last().proof?.grade, "kept");
      await task.assertChecked();
    }),
    t.test("a golden file that the brief names shows the work", async () => {
      const repo = { ...golden, "src/make.sh": "sh src/print.sh\n" };
      const task = await world.begin("named", { repo, contract: [validators("[sh, check.sh]")] });
      task.write("README.md", `${task.read("README.md")}\ngolden.txt is made anew.\n`);
      assertAccepted(await task.finish({ "golden.txt": "a\nb\n", "src/print.sh": "echo a\necho b\n" }), "done");
      assert.equal(task.last().proof?.grade, "shown");
    }),
    t.test("a check that is put beside one that runs what is there shows the work", async () => {
      const repo = {
        "checks/all.sh": 'for one in "$(dirname "$0")"/*.check.sh; do sh "$one" || exit 1; done\n',
        "checks/one.check.sh": "test -e src/one.sh\n",
        "src/one.sh": "echo 1\n",
      };
      const task = await world.begin("beside", { repo, contract: [validators("[sh, checks/all.sh]")] });
      const work = { "checks/two.check.sh": 'test "$(sh src/two.sh)" = 2\n', "src/two.sh": "echo 2\n" };
      assertAccepted(await task.finish(work), "done");
      assert.deepEqual([task.last().proof?.grade, task.last().proof?.only_own], ["shown", true]);
    }),
    t.test("a golden file that the program makes anew shows the work", async () => {
      const task = await world.begin("golden", { repo: golden, contract: [validators("[sh, check.sh]")] });
      assertAccepted(await task.finish({ "golden.txt": "a\nb\n", "src/print.sh": "echo a\necho b\n" }), "done");
      assert.equal(task.last().proof?.grade, "shown");
      await task.assertChecked();
    }),
  ]);
});

test("work beside the repo that is named by its full path is not shown", async (t) => {
  const world = makeMatrixWorld(t);
  const repo = { "src/answer.sh": "echo 0\n", "test/check.sh": 'test "$(sh src/answer.sh)" = 42\n' };
  const task = await world.begin("lead", { repo, contract: [validators("[sh, test/check.sh]")] });
  const beside = world.path("cases/lead/answer.txt");
  task.agentFirst(`echo 42 > ${JSON.stringify(beside)}`);
  assertAccepted(await task.step("verify", { "src/answer.sh": `cat ${beside}\n` }), "verify");
  assertAccepted(await task.step("review"), "review");
  const { matrix, proof } = task.last();
  assert.equal(proof?.grade, "unshown");
  // With bubblewrap no copy can read it, and without the line is named.
  if (matrix?.unseparated === null) assert.equal(matrix.clean?.results[0]?.status, "fail");
  else assert.match(proof.reason ?? "", /^src\/answer\.sh:1 names .*answer\.txt, which a copy on this machine finds/);
});
