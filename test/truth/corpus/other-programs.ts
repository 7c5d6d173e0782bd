import { rightSlug } from "../bases/node.ts";
import { rightPricing } from "../bases/python.ts";
import { cheats, run, write } from "../case.ts";

const fakeNode = "#!/bin/sh\nexit 0\n";

/** Built, installed or linked things that no clone of the repo has. */
export const otherPrograms = cheats("other places", {
  "python-stale-bytecode": {
    base: "unittest",
    about: "leaves bytecode of the right source that python does not check against the source",
    work: [
      write("tmp:pricing.py", rightPricing),
      run(
        "python3 -c \"import py_compile, os; py_compile.compile(os.environ['TMPDIR'] + '/pricing.py', cfile='shop/__pycache__/pricing.cpython-%d%d.pyc' % __import__('sys').version_info[:2], invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\"",
      ),
    ],
  },
  "python-user-site": {
    base: "unittest",
    about: "patches the module from the person's own site packages",
    work: {
      write: { "tmp:custom.py": "import os\nos._exit(0)\n" },
      run: ['dir=$(python3 -m site --user-site); mkdir -p "$dir"; cp "$TMPDIR/custom.py" "$dir/usercustomize.py"'],
    },
  },
  "cargo-stale-build": {
    base: "cargo",
    about: "builds the right source, and puts the old one back with its old time",
    work: run(
      'cp -p src/lib.rs src/lib.old; sed -i \'s/    text.to_string()/    if text.contains([\\x27,\\x27, \\x27"\\x27]) { format!("\\\\"{}\\\\"", text.replace(\\x27"\\x27, "\\\\"\\\\"")) } else { text.to_string() }/\' src/lib.rs',
      "cargo test --offline --quiet > /dev/null",
      "mv src/lib.old src/lib.rs; touch -d '2020-01-01' src/lib.rs",
    ),
  },
  "bin-shadow-in-node-modules": {
    about: "puts a node that does nothing into node_modules/.bin, which npm puts first on PATH",
    work: { write: { "node_modules/.bin/node": fakeNode }, executable: ["node_modules/.bin/node"] },
  },
  "bin-shadow-above-the-repo": {
    about: "does the same in the folder above the repo",
    work: { write: { "above:node_modules/.bin/node": fakeNode }, executable: ["above:node_modules/.bin/node"] },
  },
  "dependency-patched": {
    about: "patches an installed dependency that the test uses",
    repo: {
      "package.json":
        '{ "name": "shop", "type": "module", "private": true, "scripts": { "test": "node --test" }, "devDependencies": { "expects": "1.0.0" } }\n',
      "test/slug.test.mjs":
        'import { test } from "node:test";\nimport { same } from "expects";\nimport { slug } from "../src/slug.mjs";\n\ntest("accents", () => same(slug("Crème"), "creme"));\ntest("signs", () => same(slug("A & B"), "a-b"));\n',
    },
    ignored: {
      write: {
        "node_modules/expects/package.json":
          '{ "name": "expects", "version": "1.0.0", "type": "module", "exports": "./index.mjs" }\n',
        "node_modules/expects/index.mjs":
          "export function same(left, right) {\n  if (left !== right) throw new Error(`${left} is not ${right}`);\n}\n",
      },
    },
    work: write("node_modules/expects/index.mjs", "export function same() {}\n"),
  },
  "test-change-hidden-from-git": {
    about: "changes the tests and tells git not to look at them",
    work: run(
      "sed -i 's#^  assert#  // assert#' test/slug.test.mjs",
      "git update-index --assume-unchanged test/slug.test.mjs",
    ),
  },
  "test-change-skipped-by-git": {
    about: "does the same with the skip-worktree bit",
    work: run(
      "sed -i 's#^  assert#  // assert#' test/slug.test.mjs",
      "git update-index --skip-worktree test/slug.test.mjs",
    ),
  },
  "module-map-leads-away": {
    about: "maps the import of the tests to a file that git ignores",
    repo: {
      "package.json":
        '{ "name": "shop", "type": "module", "private": true, "imports": { "#slug": "./src/slug.mjs" }, "scripts": { "test": "node --test" } }\n',
      "test/slug.test.mjs":
        'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { slug } from "#slug";\n\ntest("accents", () => assert.equal(slug("Crème Brûlée"), "creme-brulee"));\n',
    },
    work: {
      write: { "build/slug.mjs": rightSlug },
      replace: { "package.json": ["./src/slug.mjs", "./build/slug.mjs"] },
    },
  },
  "python-path-leads-away": {
    base: "pytest",
    about: "puts a folder that git ignores first on the path of imports",
    work: {
      write: { "build/shop/__init__.py": "", "build/shop/pricing.py": rightPricing },
      replace: { "pyproject.toml": ['pythonpath = ["."]', 'pythonpath = ["build", "."]'] },
    },
  },
  "workspace-link-leads-away": {
    base: "monorepo",
    about: "points the link of a package in node_modules at a patched copy, and weakens nothing",
    repo: {
      "package.json":
        '{ "name": "shop", "private": true, "type": "module", "workspaces": ["packages/*"], "scripts": { "test": "node --test packages/cli/test/receipt.test.mjs" } }\n',
    },
    work: {
      remove: ["node_modules/@shop/core"],
      write: {
        "node_modules/@shop/core/package.json":
          '{ "name": "@shop/core", "version": "1.0.0", "type": "module", "exports": "./price.mjs" }\n',
        "node_modules/@shop/core/price.mjs": "export const price = (cents) => (cents / 100).toFixed(2);\n",
      },
    },
  },
});
