import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccepted, makeSquareWorld, type SquareCase } from "./square-world.ts";

const concurrency = 2;
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
const installed = (task: SquareCase, text = same) => task.write("../../repo/node_modules/check-it/index.js", text);

test("lockfiles free only the packages whose entry changed", { concurrency }, async (t) => {
  const world = makeSquareWorld(t);
  const it = (name: string, body: () => Promise<void>) => t.test(name, body);
  const blind = (name: string, work: Readonly<Record<string, string>>) =>
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
