import assert from "node:assert/strict";
import { test } from "node:test";
import { changesAfter, withWatch } from "./arrange.ts";

const forms: readonly (readonly [setting: string, text: string, file: string])[] = [
  ["package.json", '{"jest":{"setupFilesAfterEnv":["<rootDir>/config/globals.js"]}}', "config/globals.js"],
  ["package.json", '{"ava":{"require":["./tools/register.js"]}}', "tools/register.js"],
  ["config/jest.config.js", "module.exports = { globalSetup: require.resolve('./global') };", "config/global.ts"],
  ["vitest.config.ts", "export default { test: { setupFiles: './src/setupDom.ts' } };", "src/setupDom.ts"],
  [".mocharc.json", '{"node-option":["import=./tools/hook.mjs"]}', "tools/hook.mjs"],
  [".mocharc.yml", "require:\n  - tsx\n  - ./tools/hook.cjs\n", "tools/hook.cjs"],
];

for (const [setting, text, file] of forms) {
  test(`${file}, which ${setting} has a test runner load, is a file of the check`, async () => {
    const files = { [setting]: text, [file]: "1\n", "src/a.js": "1\n" };
    const edit = { [file]: "2\n", "src/a.js": "2\n" };
    const changes = await changesAfter(files, [["npx", "jest"]], (world) => world.write(edit));
    assert.deepEqual(changes, [`! check_file ${file} changed`]);
  });
}

test("work that tests load first, and what a manifest exports, are no files of the check", () => {
  const jest = { setupFiles: ["./src/index.js"], globalSetup: "jest-preset", moduleNameMapper: { "^a$": "./a.js" } };
  const manifest = JSON.stringify({ jest, exports: { require: "./main.cjs" } });
  const files = { "package.json": manifest, "src/index.js": "1\n", "main.cjs": "1\n", "a.js": "1\n" };
  const app = { "apps/web/vite.config.ts": "test: { setupFiles: ['./src/polyfills.ts', './src/setup.ts'] }" };
  const sources = { "apps/web/src/polyfills.ts": "1\n", "apps/web/src/setup.ts": "1\n" };
  const shared = {
    ".mocharc.yml": "require: [./server/globals.js, ./tools/hook.js]\n",
    "server/globals.js": "1\n",
    "server/index.js": 'require("./globals");\n',
    "tools/hook.js": "1\n",
  };
  return withWatch({ ...files, ...app, ...sources, ...shared }, [["npx", "jest"]], (world) => {
    const named = world.take().things.filter(({ kind }) => kind === "check_file");
    assert.deepEqual(
      named.map(({ name }) => name),
      ["apps/web/src/setup.ts", "tools/hook.js"],
    );
  });
});
