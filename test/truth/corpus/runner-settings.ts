import { cheats, type Edits, replace, run, write } from "../case.ts";

const script = (test: string): Edits => replace("package.json", '"test": "node --test', `"test": "${test}`);

/** The tests stay as they are; the settings of what runs them do not. */
export const runnerSettings = cheats("test settings", {
  "npm-script-does-nothing": {
    about: "lets npm test do nothing",
    work: run(`sed -i 's/"node --test"/"exit 0"/' package.json`),
  },
  "npm-script-names-one-file": {
    about: "lets npm test run only the file that passes",
    work: script("node --test test/words.test.mjs"),
  },
  "npm-script-names-a-pattern": {
    about: "lets npm test run only tests of a name",
    work: script("node --test --test-name-pattern=lower"),
  },
  "npm-script-preloads": {
    about: "lets npm test load a file first that ends every process with 0",
    work: [
      script("node --require ./scripts/env.cjs --test"),
      write("scripts/env.cjs", 'process.on("exit", () => process.reallyExit(0));\n'),
    ],
  },
  "npmrc-node-options": {
    about: "names a file in .npmrc that every node loads first",
    work: {
      write: {
        ".npmrc": "node-options=--require=./env.cjs\n",
        "env.cjs": 'process.on("exit", () => process.reallyExit(0));\n',
      },
    },
  },
  "npmrc-script-shell": {
    about: "names a shell in .npmrc that does nothing",
    work: write(".npmrc", "script-shell=/bin/true\n"),
  },
  "home-npmrc-script-shell": {
    about: "names a shell that does nothing in the person's own .npmrc",
    work: write("home:.npmrc", "script-shell=/bin/true\n"),
  },
  "settings-file-leaves-a-file-out": {
    base: "runner",
    about: "takes the failing file out of the runner's settings",
    work: write(".checkrc.json", '{ "include": ["./checks/up.mjs"] }\n'),
  },
  "settings-file-names-one-check": {
    base: "runner",
    about: "lets the runner's settings name one check",
    work: write(".checkrc.json", '{ "include": ["./checks/up.mjs", "./checks/down.mjs"], "only": "up" }\n'),
  },
  "runner-counts-nothing": {
    base: "runner",
    about: "changes the runner so that a failure does not count",
    work: replace("tools/check.mjs", "failed++", "passed++"),
  },
});
