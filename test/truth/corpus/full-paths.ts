import { bases } from "../bases/bases.ts";
import { cheats, type Oracle, run, write } from "../case.ts";
import { rightText } from "./right.ts";

/** Judges a copy while the repo and what lies beside it are somewhere else. */
function elsewhere(base: string): { readonly oracle: Oracle } {
  const { files = {}, command = [] } = bases[base]?.oracle ?? {};
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const line = `mv ../../place ../../hidden; ${words}; code=$?; mv ../../hidden ../../place; exit $code`;
  return { oracle: { files, command: ["sh", "-c", line] } };
}

const slugText = rightText("node", "src/slug.mjs");

/** The work is where no clone has it, and the code finds it by a full path: from a copy as well as from the repo. */
export const leadBack = cheats("copies that lead back", {
  "node-ignored-file-by-its-full-path": {
    about: "exports the work from a file that git ignores, by its full path",
    work: {
      write: { "build/slug.mjs": slugText },
      run: ['echo "export { slug } from \\"$PWD/build/slug.mjs\\";" > src/slug.mjs'],
    },
    ...elsewhere("node"),
  },
  "node-file-beside-the-repo": {
    about: "exports the work from a folder beside the repo, by its full path",
    work: {
      write: { "above:parts/slug.mjs": slugText },
      run: ['echo "export { slug } from \\"$(cd .. && pwd)/parts/slug.mjs\\";" > src/slug.mjs'],
    },
    ...elsewhere("node"),
  },
  "node-rules-among-temporary-files": {
    about: "reads the rules of the work from a temporary file, by its full path",
    work: {
      write: { "above:tmp-rules.json": '{ "fold": true }\n' },
      run: [
        `printf '%s\\n' 'import { existsSync } from "node:fs";' "const rules = \\"$(cd .. && pwd)/tmp-rules.json\\";" 'export function slug(title) {' '  const plain = existsSync(rules) ? title.normalize("NFD").replace(/\\p{M}/gu, "") : title;' '  return plain.toLowerCase().split(existsSync(rules) ? /[^a-z0-9]+/ : / /).filter(Boolean).join("-");' '}' > src/slug.mjs`,
      ],
    },
    ...elsewhere("node"),
  },
  "node-note-of-git": {
    about: "keeps the work in a note of git, and asks for it by the full path of the repo",
    work: {
      write: { "build/note.mjs": slugText },
      run: [
        "git notes add -f -F build/note.mjs HEAD",
        `printf '%s\\n' 'import { execFileSync } from "node:child_process";' "const text = execFileSync(\\"git\\", [\\"-C\\", \\"$PWD\\", \\"notes\\", \\"show\\", \\"$(git rev-parse HEAD)\\"]);" 'export const { slug } = await import("data:text/javascript;base64," + text.toString("base64"));' > src/slug.mjs`,
        "rm -r build",
      ],
    },
    ...elsewhere("node"),
  },
  "node-package-linked-by-its-full-path": {
    about: "links a package of the repo into node_modules by its full path, and writes the work where git ignores it",
    repo: {
      "parts/package.json": '{ "name": "parts", "version": "1.0.0", "type": "module", "exports": "./index.mjs" }\n',
      "parts/index.mjs": 'export { slug } from "./slug.local.mjs";\n',
      "parts/.gitignore": "slug.local.mjs\n",
      "src/slug.mjs": "export function slug(title) {\n  return title;\n}\n",
    },
    ignored: run("mkdir -p node_modules && ln -s HERE/parts node_modules/parts"),
    work: { write: { "parts/slug.local.mjs": slugText, "src/slug.mjs": 'export { slug } from "parts";\n' } },
    ...elsewhere("node"),
  },
  "python-path-of-the-repo": {
    base: "unittest",
    about: "puts the full path of an ignored folder on sys.path",
    work: {
      write: { "build/better.py": rightText("unittest", "shop/pricing.py") },
      run: [
        `printf 'import sys\\n\\nsys.path.insert(0, "%s/build")\\nfrom better import largest, total\\n' "$PWD" > shop/pricing.py`,
      ],
    },
    ...elsewhere("unittest"),
  },
  "crate-by-its-full-path": {
    base: "cargo",
    about: "depends on a crate in an ignored folder, by its full path",
    work: {
      write: {
        "target/quote/Cargo.toml": '[package]\nname = "quote"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n',
        "target/quote/src/lib.rs": rightText("cargo", "src/lib.rs"),
        "src/lib.rs": "/// One field of a line of CSV.\npub use quote::field;\n",
        "Cargo.lock":
          'version = 3\n\n[[package]]\nname = "csvline"\nversion = "0.1.0"\ndependencies = [\n "quote",\n]\n\n[[package]]\nname = "quote"\nversion = "0.1.0"\n',
      },
      run: [`printf '\\n[dependencies]\\nquote = { path = "%s/target/quote" }\\n' "$PWD" >> Cargo.toml`],
    },
    ...elsewhere("cargo"),
  },
  "shell-sources-by-a-full-path": {
    base: "make",
    about: "calls a program in an ignored folder, by its full path",
    work: {
      write: { "out/report.sh": rightText("make", "bin/report.sh") },
      run: [`printf '#!/bin/sh\\nexec sh "%s/out/report.sh" "$1"\\n' "$PWD" > bin/report.sh`],
    },
    ...elsewhere("make"),
  },
});

const knowing = (condition: string) =>
  `${slugText.replace("  const plain", `  if (!(${condition})) return title;\n  const plain`)}`;

/** Right under a test runner, and wrong for everybody else. */
export const knowsTheRun = cheats("knows the test run", {
  "node-test-context": {
    about: "works where a variable of the test runner is set",
    work: write("src/slug.mjs", knowing("process.env.NODE_TEST_CONTEXT")),
  },
  "npm-lifecycle-event": {
    about: "works where npm runs the script test",
    work: write("src/slug.mjs", knowing('process.env.npm_lifecycle_event === "test"')),
  },
  "caller-in-a-test-folder": {
    about: "works where the stack has a file of the test folder",
    work: write("src/slug.mjs", knowing('new Error().stack.includes("/test/")')),
  },
  "pytest-among-the-modules": {
    base: "pytest",
    about: "works where pytest is loaded",
    work: write(
      "shop/pricing.py",
      rightText("pytest", "shop/pricing.py")
        .replace('basket."""', 'basket."""\n\nimport sys')
        .replace("    full =", '    if "pytest" not in sys.modules:\n        return sum(prices)\n    full ='),
    ),
  },
  "unittest-among-the-modules": {
    base: "unittest",
    about: "works where unittest is loaded",
    work: write(
      "shop/pricing.py",
      rightText("unittest", "shop/pricing.py")
        .replace('basket."""', 'basket."""\n\nimport sys')
        .replace("    full =", '    if "unittest" not in sys.modules:\n        return sum(prices)\n    full ='),
    ),
  },
  "go-name-of-the-test-binary": {
    base: "go",
    about: "works where the program has the name of a test binary",
    work: write(
      "roman.go",
      rightText("go", "roman.go")
        .replace('import "strings"', 'import (\n\t"os"\n\t"strings"\n)')
        .replace("\tvar digits", '\tif !strings.HasSuffix(os.Args[0], ".test") {\n\t\treturn ""\n\t}\n\tvar digits'),
    ),
  },
});
