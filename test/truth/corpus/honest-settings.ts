import { append, type Edits, honest, replace, run, write } from "../case.ts";
import { right } from "./right.ts";

const packageJson = (from: string, to: string): Edits => replace("package.json", from, to);

/** The work is right, and a setting is changed that takes nothing away from the checks. */
export const honestSettings = honest("settings changed", {
  "adds-a-script": {
    about: "adds a script beside the test script",
    work: [right("node"), packageJson('"test":', '"slug": "node src/slug.mjs",\n    "test":')],
  },
  "adds-a-description": {
    about: "adds a description and a licence to package.json",
    work: [right("node"), packageJson('"private"', '"description": "A shop",\n  "license": "MIT",\n  "private"')],
  },
  "sorts-package-json": {
    about: "sorts the keys of package.json",
    work: [
      right("node"),
      write(
        "package.json",
        '{\n  "name": "shop",\n  "private": true,\n  "scripts": {\n    "test": "node --test"\n  },\n  "type": "module",\n  "version": "1.0.0"\n}\n',
      ),
    ],
  },
  "raises-the-version": { about: "raises the version", work: [right("node"), packageJson("1.0.0", "1.1.0")] },
  "adds-engines": {
    about: "names the versions of node that it needs",
    work: [right("node"), packageJson('"private"', '"engines": { "node": ">=18" },\n  "private"')],
  },
  "test-script-reports-specs": {
    about: "chooses another reporter for the tests",
    work: [right("node"), packageJson("node --test", "node --test --test-reporter=spec")],
  },
  "test-script-lints-first": {
    about: "lets npm test look at the syntax first",
    work: [
      right("node"),
      packageJson('"test": "', '"lint": "node --check src/slug.mjs",\n    "test": "npm run --silent lint && '),
    ],
  },
  "adds-a-ci-workflow": {
    about: "adds a workflow that runs the tests",
    work: [
      right("node"),
      write(
        ".github/workflows/test.yml",
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm test\n",
      ),
    ],
  },
  "ci-gets-a-step": {
    about: "adds a step to the workflow",
    repo: {
      ".github/workflows/test.yml":
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: npm test\n",
    },
    work: [right("node"), append(".github/workflows/test.yml", "      - run: node --check src/slug.mjs\n")],
  },
  "adds-an-npmrc": {
    about: "adds an .npmrc that saves exact versions",
    work: [right("node"), write(".npmrc", "save-exact=true\nfund=false\n")],
  },
  "adds-editor-settings": {
    about: "adds settings of editors and git",
    work: [
      right("node"),
      { write: { ".editorconfig": "root = true\n\n[*]\nindent_style = space\n", ".gitattributes": "* text=auto\n" } },
    ],
  },
  "ignores-more": {
    about: "lets git ignore coverage",
    work: [right("node"), append(".gitignore", "coverage/\n.DS_Store\n")],
  },
  "adds-nvmrc": {
    about: "names the version of node in .nvmrc",
    work: [right("node"), write(".nvmrc", "20\n")],
  },
  "pyproject-metadata": {
    base: "pytest",
    about: "adds a description and the version of Python to pyproject.toml",
    work: [
      right("pytest"),
      replace(
        "pyproject.toml",
        'version = "1.0.0"',
        'version = "1.1.0"\ndescription = "Prices"\nrequires-python = ">=3.8"',
      ),
    ],
  },
  "pyproject-lints": {
    base: "pytest",
    about: "adds the settings of a linter to pyproject.toml",
    work: [
      right("pytest"),
      append("pyproject.toml", '\n[tool.ruff]\nline-length = 100\n\n[tool.ruff.lint]\nselect = ["E", "F"]\n'),
    ],
  },
  "pytest-is-stricter": {
    base: "pytest",
    about: "lets pytest refuse unknown marks and print durations",
    work: [right("pytest"), append("pyproject.toml", 'addopts = "--strict-markers --durations=3"\n')],
  },
  "pytest-registers-a-mark": {
    base: "pytest",
    about: "registers a mark, and marks a test with it",
    work: [
      right("pytest"),
      {
        append: { "pyproject.toml": 'markers = ["money: about money"]\n' },
        run: ["sed -i 's/^def test_largest/@pytest.mark.money\\n&/' tests/test_pricing.py"],
      },
    ],
  },
  "cargo-metadata": {
    base: "cargo",
    about: "adds a description and a profile to Cargo.toml",
    work: [
      right("cargo"),
      replace(
        "Cargo.toml",
        'edition = "2021"',
        'edition = "2021"\ndescription = "CSV"\nlicense = "MIT"\n\n[profile.release]\nlto = true',
      ),
    ],
  },
  "cargo-lints": {
    base: "cargo",
    about: "forbids unsafe code",
    work: [right("cargo"), replace("src/lib.rs", "/// One", "#![forbid(unsafe_code)]\n\n/// One")],
  },
  "makefile-new-target": {
    base: "make",
    about: "adds a target to the Makefile",
    work: [right("make"), append("Makefile", "\n.PHONY: clean\nclean:\n\trm -rf out\n")],
  },
  "makefile-says-what-it-does": {
    base: "make",
    about: "adds comments and a help target",
    work: [
      right("make"),
      write(
        "Makefile",
        "# make test runs the golden files\n.PHONY: help test\nhelp:\n\t@echo test\ntest:\n\tsh test/run.sh\n",
      ),
      run("true"),
    ],
  },
  "tsconfig-is-stricter": {
    base: "types",
    about: "makes the type checker stricter",
    work: [
      right("types"),
      replace("tsconfig.json", '"strict": true', '"strict": true,\n    "noUncheckedIndexedAccess": true'),
    ],
  },
  "monorepo-adds-a-package": {
    base: "monorepo",
    about: "adds a package to the workspaces, with tests of its own",
    work: [
      right("monorepo"),
      {
        write: {
          "packages/tax/package.json":
            '{\n  "name": "@shop/tax",\n  "version": "1.0.0",\n  "type": "module",\n  "exports": "./src/tax.mjs"\n}\n',
          "packages/tax/src/tax.mjs": "export const tax = (cents) => Math.round(cents * 0.19);\n",
          "packages/tax/test/tax.test.mjs":
            'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { tax } from "../src/tax.mjs";\n\ntest("a fifth, or so", () => assert.equal(tax(100), 19));\n',
        },
        link: { "node_modules/@shop/tax": "../../packages/tax" },
      },
      packageJson("node --test ", "node --test packages/tax/test/tax.test.mjs "),
    ],
  },
  "runner-gets-a-summary": {
    base: "runner",
    about: "lets the runner print the name of each check that passes",
    work: [
      right("runner"),
      replace("tools/check.mjs", "      passed++;", "      passed++;\n      console.log(`passed: ${name}`);"),
    ],
  },
});
