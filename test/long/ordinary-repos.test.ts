import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { assertAccepted, makeMatrixWorld } from "../cli/matrix-world.ts";

const concurrency = 2;
const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const validators = (command: string) => `validators: [{ name: tests, command: ${command} }]`;
const slug = (sep: string, code: string) => ({
  ".gitignore": "config/local.json\ndist/\n",
  "config/base.json": "{}\n",
  "src/slug.mjs": `import fs from "node:fs";\nconst { sep } = ${sep};\nexport const slug = (text) => ${code};\n`,
  "test/slug.test.mjs": `${nodeTest}import { slug } from "../src/slug.mjs";\ntest("slug", () => assert.equal(slug("a b"), "a-b"));\n`,
});
const reads = 'JSON.parse(fs.readFileSync(new URL("../config/local.json", import.meta.url), "utf8"))';
const right = 'text.replaceAll(" ", sep)';

test("ordinary repos in which a clean copy lacks something", { concurrency }, async (t) => {
  const world = makeMatrixWorld(t);
  const it = (name: string, body: () => Promise<void>) => t.test(name, body);
  await Promise.all([
    it("a fix whose tests need an ignored file is done, and the file and the key for it are named", async () => {
      const task = await world.begin("ignored", {
        repo: slug(reads, "text"),
        contract: [validators("[node, --test]")],
      });
      task.write("../../repo/config/local.json", '{ "sep": "-" }\n');
      const { reason, ...end } = await task.finish({ "src/slug.mjs": slug(reads, right)["src/slug.mjs"] });
      assertAccepted({ reason, ...end }, "done");
      const { proof } = task.last();
      assert.equal(proof?.grade, "unshown");
      assert.match(
        proof.reason ?? "",
        /the copy lacks config\/local\.json, which git ignores; write `proof: \{ carry: \[node_modules, config\/local\.json\] \}`/,
      );
      await task.assertChecked();
    }),
    it("with the file carried, the same fix is shown", async () => {
      const task = await world.begin("carried", {
        repo: slug(reads, "text"),
        contract: [validators("[node, --test]"), "proof: { carry: [node_modules, config/local.json, no/such.json] }"],
      });
      task.write("../../repo/config/local.json", '{ "sep": "-" }\n');
      const work = { "src/slug.mjs": slug(reads, right)["src/slug.mjs"] };
      assertAccepted(await task.step("verify", work), "verify");
      const report = await task.step("review");
      assertAccepted(report, "review");
      const missing = report.findings.filter(({ code }) => code === "TP_CARRY").map(({ message }) => message);
      assert.match(missing.join(), /`proof\.carry` names no\/such\.json/);
      assertAccepted(await task.step("done"), "done");
      assert.equal(task.last().proof?.grade, "shown");
      await task.assertChecked();
    }),
    it("work that needs an ignored file which it made goes to repair, and the file is named", async () => {
      const start = slug("{ sep: '-' }", "text");
      const task = await world.begin("made", { repo: start, contract: [validators("[node, --test]")] });
      assertAccepted(
        await task.step("verify", {
          "src/slug.mjs": slug(reads, right)["src/slug.mjs"],
          "config/local.json": '{ "sep": "-" }\n',
        }),
        "verify",
      );
      const report = await task.step("review");
      assert.deepEqual([report.verdict, report.to], ["redirected", "repair"], report.reason);
      assert.match(report.reason, /which lacks config\/local\.json/);
    }),
    it("a secret of an ignored .env that a check prints stands in no file of the task", async () => {
      const secret = "hunter2-and-the-rest-9";
      const repo = {
        ".gitignore": ".env\n",
        "src/a.mjs": "export const a = 0;\n",
        "test/a.test.mjs": `${nodeTest}import { a } from "../src/a.mjs";\nimport { readFileSync } from "node:fs";\ntry { console.log(readFileSync(".env", "utf8").split("=")[1]); } catch {}\ntest("a", () => assert.equal(a, 1));\n`,
      };
      const task = await world.begin("secret", { repo, contract: [validators("[node, --test]")] });
      task.write("../../repo/.env", `DB_PASSWORD=${secret}\n`);
      assertAccepted(await task.finish({ "src/a.mjs": "export const a = 1;\n" }), "done");
      const found = readdirSync(task.taskDir, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && readFileSync(path.join(entry.parentPath, entry.name)).includes(secret),
      );
      assert.deepEqual(
        found.map(({ name }) => name),
        [],
      );
      assert.match(task.read("artifacts/passes/0002/validators/tests.log"), /\[redacted:env\]/);
    }),
    it("a list of known failures that grows is held against the checks of pass 1, and asks", async () => {
      const repo = {
        "known-failures.json": "[]\n",
        "src/slug.mjs": "export const slug = (text) => text;\n",
        "run-tests.mjs":
          'import { readFileSync } from "node:fs";\nimport { slug } from "./src/slug.mjs";\nconst known = JSON.parse(readFileSync("known-failures.json", "utf8"));\nif (slug("a b") !== "a-b" && !known.includes("dash")) process.exitCode = 1;\n',
      };
      const task = await world.begin("known", { repo, contract: [validators("[node, run-tests.mjs]")] });
      const work = {
        "known-failures.json": '["dash"]\n',
        "src/slug.mjs": "// Slugs.\nexport const slug = (text) => text;\n",
      };
      assertAccepted(await task.step("verify", work), "verify");
      const asked = await task.step("review");
      assert.deepEqual([asked.to, asked.exit_code], ["needs_user_decision", 22], asked.reason);
      assert.match(task.read("DECISIONS.md"), /known-failures\.json/);
    }),
    it("a table of expected results that grows with its program is shown, and nobody is asked", async () => {
      const repo = {
        "data/cases.json": '[["a b", "a-b"]]\n',
        "src/slug.mjs": 'export const slug = (text) => text.replaceAll(" ", "-");\n',
        "test/slug.test.mjs": `${nodeTest}import { readFileSync } from "node:fs";\nimport { slug } from "../src/slug.mjs";\nfor (const [from, to] of JSON.parse(readFileSync("data/cases.json", "utf8"))) test(from, () => assert.equal(slug(from), to));\n`,
      };
      const task = await world.begin("grows", { repo, contract: [validators("[node, --test]")] });
      const work = {
        "data/cases.json": '[["a b", "a-b"], ["A", "a"]]\n',
        "src/slug.mjs": 'export const slug = (text) => text.replaceAll(" ", "-").toLowerCase();\n',
      };
      assertAccepted(await task.finish(work), "done");
      assert.equal(task.last().proof?.grade, "shown");
      await task.assertChecked();
    }),
    it("a regression is distinguished everywhere from a test that was broken before the work", async () => {
      const tests = (name: string, wanted: string) => `test("${name}", () => assert.equal(${wanted}));\n`;
      const repo = {
        "src/a.mjs": "export const lower = (text) => text.toLowerCase();\nexport const widget = () => 0;\n",
        "test/a.test.mjs": `${nodeTest}import { lower, widget } from "../src/a.mjs";\n${tests("lower", 'lower("A"), "a"')}${tests("widget renders", "widget(), 1")}`,
      };
      const task = await world.begin("apart", { repo, contract: [validators("[node, --test]")] });
      const broken = { "src/a.mjs": repo["src/a.mjs"].replace(".toLowerCase()", "") };
      assertAccepted(await task.step("verify", broken), "verify");
      const report = await task.step("review");
      const told = "broken before: widget renders; regressed: lower";
      assert.equal(report.to, "repair", report.reason);
      assert(report.reason.includes(`it ended with 1 (${told})`), report.reason);
      assert(report.tickets[0]?.text.includes(`exit 1, ${told})`), report.tickets[0]?.text);
      assert(
        task
          .read("EVIDENCE.md")
          .replace(/&#\d+;/g, " ")
          .includes(told),
        task.read("EVIDENCE.md"),
      );
      await task.step("verify");
      assert(task.read("artifacts/passes/0003/prompt.md").includes(told));
      await task.assertChecked();
    }),
    it("a service that was down at pass 1 is no proof of a comment", async () => {
      const up = world.path("up");
      const repo = {
        "src/a.mjs": "export const a = 1;\n",
        "test/db.test.mjs": `${nodeTest}import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";\ntest("db", () => assert(existsSync(${JSON.stringify(up)})));\n`,
      };
      const task = await world.begin("service", { repo, contract: [validators("[node, --test]")] });
      assertAccepted(await task.step("verify", { "src/a.mjs": "// A comment.\nexport const a = 1;\n" }), "verify");
      assert.equal(existsSync(up), false);
      world.write("up", "");
      assertAccepted(await task.step("review"), "review");
      assertAccepted(await task.step("done"), "done");
      assert.equal(task.last().proof?.grade, "kept");
    }),
  ]);
});
