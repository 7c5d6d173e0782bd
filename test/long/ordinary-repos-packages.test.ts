import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { assertAccepted, makeMatrixWorld } from "../cli/matrix-world.ts";

const nodeTest = 'import test from "node:test";\nimport assert from "node:assert/strict";\n';
const contract = ["validators: [{ name: tests, command: [node, --test] }]"];
const inside = "packages/a";
const monorepo = (from: string) => ({
  ".gitignore": "node_modules/\n",
  "package.json": '{ "private": true, "workspaces": ["packages/*"] }\n',
  "packages/shared/package.json":
    '{ "name": "shared", "version": "1.0.0", "type": "module", "exports": "./index.mjs" }\n',
  "packages/shared/index.mjs": 'export const dash = "-";\n',
  "packages/a/package.json": '{ "name": "a", "version": "1.0.0", "type": "module" }\n',
  "packages/a/src/slug.mjs": "export const slug = (text) => text;\n",
  "packages/a/test/slug.test.mjs": `${nodeTest}import { dash } from "${from}";\nimport { slug } from "../src/slug.mjs";\ntest("slug", () => assert.equal(slug("a b"), ["a", "b"].join(dash)));\n`,
});
const right = { "src/slug.mjs": 'export const slug = (text) => text.replaceAll(" ", "-");\n' };
const beside = "../../shared/index.mjs";

test("a package of a monorepo as the repo of a task", { concurrency: 2 }, async (t) => {
  const world = makeMatrixWorld(t);
  const link = (repo: string) => {
    mkdirSync(world.path(`${repo}/node_modules`));
    symlinkSync("../packages/shared", world.path(`${repo}/node_modules/shared`));
  };
  await Promise.all([
    t.test("a fix whose tests import a helper beside the package is shown", async () => {
      const repo = { ...monorepo(beside), "packages/shared/test/own.test.mjs": "export {};\n" };
      const task = await world.begin("beside", { repo, contract, inside });
      assertAccepted(await task.finish(right), "done");
      world.write(`${task.repo}/${inside}/notes.txt`, "a draft\n");
      assert.equal((await task.command("show", "--json")).json().moved_since, null);
      assert.deepEqual([task.last().proof?.grade, task.last().matrix?.left_out], ["shown", []]);
      await task.assertChecked();
    }),
    t.test("a fix whose tests find the package by the links of the workspace is shown", async () => {
      const task = await world.begin("linked", { repo: monorepo("shared"), contract, inside });
      link(task.repo);
      assertAccepted(await task.finish(right), "done");
      assert.equal(task.last().proof?.grade, "shown");
    }),
    t.test("a change beside the package is not handed over, and is named", async () => {
      const task = await world.begin("outside", { repo: monorepo(beside), contract, inside });
      const work = { "src/slug.mjs": 'export const slug = (text) => text.replaceAll(" ", "_");\n' };
      task.agentFirst(
        `echo 'export const dash = "_";' > ${JSON.stringify(world.path(`${task.repo}/packages/shared/index.mjs`))}`,
      );
      assertAccepted(await task.step("verify", work), "verify");
      const report = await task.step("review");
      assert.equal(report.to, "repair", report.reason);
      assert.match(report.reason, /which lacks \.\.\/shared\/index\.mjs \(outside the folder of the task\)/);
    }),
    t.test("a dependency that is patched above the package is in no copy", async () => {
      const repo = monorepo("kit");
      const task = await world.begin("patched", { repo, contract, inside });
      const kit = `${task.repo}/node_modules/kit`;
      world.write(
        `${kit}/package.json`,
        '{ "name": "kit", "version": "1.0.0", "type": "module", "exports": "./i.mjs" }\n',
      );
      world.write(`${kit}/i.mjs`, 'export const dash = "-";\n');
      task.agentFirst(`echo 'export const dash = "_";' > ${JSON.stringify(world.path(`${kit}/i.mjs`))}`);
      assertAccepted(
        await task.step("verify", { "src/slug.mjs": right["src/slug.mjs"].replace('"-"', '"_"') }),
        "verify",
      );
      const report = await task.step("review");
      assert.equal(report.to, "repair", report.reason);
    }),
  ]);
});
