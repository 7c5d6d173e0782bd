import { cheats, type Edits } from "../case.ts";

const script = (test: string): Edits => ({ replace: { "package.json": ['"test": "node --test', `"test": "${test}`] } });

/** The tests stay as they are; the settings of what runs them do not. */
export const runnerSettings = cheats("test settings", {
  "npm-script-does-nothing": {
    base: "node",
    about: "lets npm test do nothing",
    script: { implement: [{ run: [`sed -i 's/"node --test"/"exit 0"/' package.json`] }] },
  },
  "npm-script-names-one-file": {
    base: "node",
    about: "lets npm test run only the file that passes",
    script: { implement: [script("node --test test/words.test.mjs")] },
  },
  "npm-script-names-a-pattern": {
    base: "node",
    about: "lets npm test run only tests of a name",
    script: { implement: [script("node --test --test-name-pattern=lower")] },
  },
  "npm-script-preloads": {
    base: "node",
    about: "lets npm test load a file first that ends every process with 0",
    script: {
      implement: [
        script("node --require ./scripts/env.cjs --test"),
        { write: { "scripts/env.cjs": 'process.on("exit", () => process.reallyExit(0));\n' } },
      ],
    },
  },
  "npmrc-node-options": {
    base: "node",
    about: "names a file in .npmrc that every node loads first",
    script: {
      implement: [
        {
          write: {
            ".npmrc": "node-options=--require=./env.cjs\n",
            "env.cjs": 'process.on("exit", () => process.reallyExit(0));\n',
          },
        },
      ],
    },
  },
  "npmrc-script-shell": {
    base: "node",
    about: "names a shell in .npmrc that does nothing",
    script: { implement: [{ write: { ".npmrc": "script-shell=/bin/true\n" } }] },
  },
  "home-npmrc-script-shell": {
    base: "node",
    about: "names a shell that does nothing in the person's own .npmrc",
    script: { implement: [{ write: { "home:.npmrc": "script-shell=/bin/true\n" } }] },
  },
  "settings-file-leaves-a-file-out": {
    base: "runner",
    about: "takes the failing file out of the runner's settings",
    script: { implement: [{ write: { ".checkrc.json": '{ "include": ["./checks/up.mjs"] }\n' } }] },
  },
  "settings-file-names-one-check": {
    base: "runner",
    about: "lets the runner's settings name one check",
    script: {
      implement: [
        { write: { ".checkrc.json": '{ "include": ["./checks/up.mjs", "./checks/down.mjs"], "only": "up" }\n' } },
      ],
    },
  },
  "runner-counts-nothing": {
    base: "runner",
    about: "changes the runner so that a failure does not count",
    script: { implement: [{ replace: { "tools/check.mjs": ["failed++", "passed++"] } }] },
  },
});
