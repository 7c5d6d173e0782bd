import assert from "node:assert/strict";
import { test } from "node:test";
import { findChecks } from "../../../lib/scaffold/init/find-checks.ts";
import { type FoundRow, repoWith, scripts, test1, testFound, workspaces } from "./made-repo.ts";

/** What is in a repo, and the commands that are found there. */
const repos: readonly FoundRow[] = [
  ["a test script", { "package.json": test1 }, ["tests: npm test"]],
  ["npm's default script", { "package.json": scripts({ test: 'echo "Error: no test specified" && exit 1' }) }, []],
  ["an empty script, and one that is no text", { "package.json": scripts({ test: " ", lint: 1 }) }, []],
  [
    "scripts for lint and types",
    { "package.json": scripts({ test: "x", lint: "y", "type-check": "z" }) },
    ["tests: npm test", "lint: npm run lint", "types: npm run type-check"],
  ],
  ["a byte-order mark", { "package.json": `\ufeff${test1}` }, ["tests: npm test"]],
  ["a package.json that is no JSON", { "package.json": "{" }, []],
  ["a package.json that is a list", { "package.json": "[]" }, []],
  ["pnpm's lock file", { "package.json": test1, "pnpm-lock.yaml": "" }, ["tests: pnpm test"]],
  ["yarn's lock file", { "package.json": test1, "yarn.lock": "" }, ["tests: yarn test"]],
  ["bun's lock file", { "package.json": test1, "bun.lock": "" }, ["tests: bun run test"]],
  [
    "a packageManager beside another's lock file",
    { "package.json": scripts({ test: "x" }, { packageManager: "yarn@4.1.0" }), "package-lock.json": "" },
    ["tests: yarn test"],
  ],
  [
    "a script that waits for changes",
    { "package.json": scripts({ test: "react-scripts test" }) },
    ["tests: env CI=true npm test"],
  ],
  ["vitest, which watches too", { "package.json": scripts({ test: "vitest" }) }, ["tests: env CI=true npm test"]],
  ["vitest that runs once", { "package.json": scripts({ test: "vitest run" }) }, ["tests: npm test"]],
  ["workspaces of which only packages have tests", workspaces({}), ["tests: npm test --workspaces --if-present"]],
  [
    "workspaces of pnpm",
    {
      ...workspaces({ workspaces: undefined }),
      "pnpm-workspace.yaml": "packages: [packages/*]\n",
      "pnpm-lock.yaml": "",
    },
    ["tests: pnpm --recursive test"],
  ],
  ["workspaces of old yarn", { ...workspaces({}), "yarn.lock": "" }, ["tests: yarn workspaces run test"]],
  [
    "workspaces of new yarn",
    workspaces({ packageManager: "yarn@4.1.0" }),
    ["tests: yarn workspaces foreach --all run test"],
  ],
  ["workspaces of bun", { ...workspaces({}), "bun.lock": "" }, ["tests: bun run --filter * test"]],
  [
    "workspaces without tests",
    { "package.json": JSON.stringify({ workspaces: ["packages/*"] }), "packages/a/package.json": "{}" },
    [],
  ],
];

testFound(repos);

/** What is found from the folder packages/a, for commands that run at the top. */
const inPackage: readonly FoundRow[] = [
  ["npm", workspaces({}), ["tests: npm test --workspace packages/a", "lint: npm run lint --workspace packages/a"]],
  [
    "pnpm",
    { ...workspaces({}), "pnpm-workspace.yaml": "packages: ['packages/*', '!packages/b']\n", "pnpm-lock.yaml": "" },
    ["tests: pnpm --filter ./packages/a test", "lint: pnpm --filter ./packages/a run lint"],
  ],
  [
    "yarn",
    { ...workspaces({ workspaces: { packages: ["./packages/*"] } }), "yarn.lock": "" },
    ["tests: yarn workspace @lab/a test", "lint: yarn workspace @lab/a run lint"],
  ],
  [
    "bun",
    { ...workspaces({}), "bun.lock": "" },
    ["tests: bun run --cwd=packages/a test", "lint: bun run --cwd=packages/a lint"],
  ],
  ["npm, no member of a workspace", { "packages/a/package.json": test1 }, ["tests: npm --prefix packages/a test"]],
  [
    "a package without tests",
    { "package.json": test1, "packages/a/package.json": scripts({ lint: "x" }) },
    ["tests: npm test"],
  ],
];

testFound(inPackage, "packages/a");

test("the reason names the file, and npm's default script is recognized", (t) => {
  const lint = { "package.json": scripts({ lint: "x" }), "yarn.lock": "" };
  assert.equal(
    findChecks(repoWith(t, lint)).checks[0]?.why,
    "package.json has a lint script, and there is a yarn.lock",
  );
  const empty = { "package.json": scripts({ test: "echo no test specified" }) };
  assert.deepEqual(findChecks(repoWith(t, empty)).notes, [
    "the test script of package.json is npm's default, which fails",
  ]);
});
