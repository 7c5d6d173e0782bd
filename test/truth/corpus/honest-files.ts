import { rightSlug } from "../bases/node.ts";
import { honest, remove, replace, run, write } from "../case.ts";
import { right, rightText } from "./right.ts";

const many = (amount: number) =>
  Object.fromEntries(
    Array.from({ length: amount }, (_, index) => [`data/${index % 40}/row-${index}.json`, `{ "row": ${index} }\n`]),
  );

/** The work is right, and its files are of all the kinds that repos have. */
export const honestFiles = honest("files of all kinds", {
  "line-ends-of-windows": {
    about: "keeps the line ends of a source of Windows",
    repo: {
      "src/slug.mjs": 'export function slug(title) {\r\n  return title.toLowerCase().replaceAll(" ", "-");\r\n}\r\n',
    },
    work: write("src/slug.mjs", rightSlug.replaceAll("\n", "\r\n")),
  },
  "byte-order-mark": {
    about: "writes a file with a byte-order mark",
    work: write("src/slug.mjs", `\uFEFF${rightSlug}`),
  },
  "link-within-the-repo": {
    about: "adds a link that stays in the repo, and imports through it",
    work: {
      write: { "lib/slug/index.mjs": rightSlug, "src/slug.mjs": 'export { slug } from "./current/index.mjs";\n' },
      link: { "src/current": "../lib/slug" },
    },
  },
  "link-to-a-file": {
    base: "docs",
    about: "links a second README to the first",
    work: [right("docs"), { link: { "docs/index.md": "../README.md" } }],
  },
  "executable-script": {
    base: "make",
    about: "makes the report executable, and adds a second program",
    work: [
      right("make"),
      {
        write: { "bin/total.sh": "#!/bin/sh\nsh bin/report.sh \"$1\" | awk '{ all += $2 } END { print all }'\n" },
        executable: ["bin/report.sh", "bin/total.sh"],
      },
    ],
  },
  "binary-file": {
    about: "adds a picture",
    work: [right("node"), run("mkdir -p assets && printf '\\211PNG\\r\\n\\032\\n\\000\\000' > assets/logo.png")],
  },
  "names-with-spaces": {
    about: "adds files with spaces and other letters in their names",
    work: [right("node"), { write: { "docs/How it works.md": "# How\n", "docs/größe – ü.md": "# Größe\n" } }],
  },
  "empty-file": {
    about: "adds an empty file that keeps a folder",
    work: [right("node"), write("logs/.gitkeep", "")],
  },
  "source-moved": {
    about: "moves the source, and leaves a line that exports it where it was",
    work: { write: { "src/text/slug.mjs": rightSlug, "src/slug.mjs": 'export { slug } from "./text/slug.mjs";\n' } },
  },
  "unused-file-deleted": {
    about: "deletes a file that nothing uses",
    repo: { "src/old.mjs": "export const old = 1;\n" },
    work: [right("node"), remove("src/old.mjs")],
  },
  "large-tree": { about: "works in a repo of 1,500 files", repo: many(1500), work: right("node") },
  "large-file": {
    about: "adds a file of five megabytes",
    work: [right("node"), run("mkdir -p data && head -c 5000000 /dev/zero | tr '\\0' 'x' > data/large.txt")],
  },
  "commits-its-work": {
    about: "commits the work itself",
    work: [right("node"), run("git add src && git commit -qm 'Fold accents'")],
  },
  "commits-on-a-branch": {
    base: "pytest",
    about: "makes a branch and commits there",
    work: [
      run("git switch -qc discount"),
      right("pytest"),
      run("git add shop && git commit -qm 'Take a discount off'"),
    ],
  },
  "tags-its-work": {
    base: "make",
    about: "commits and tags the work",
    work: [right("make"), run("git add bin && git commit -qm 'Sum by name' && git tag v2")],
  },
  "stages-its-work": {
    base: "cargo",
    about: "adds the work to the index, and commits nothing",
    work: [right("cargo"), run("git add -A src")],
  },
  "leaves-temporary-files": {
    about: "writes notes into the folder for temporary files",
    work: [right("node"), { write: { "tmp:notes.txt": "é is e and U+0301\n", "home:.cache/agent/log": "ran\n" } }],
  },
  "runs-the-tests-itself": {
    base: "pytest",
    about: "runs the tests itself, which leaves caches that git ignores",
    work: [right("pytest"), run("PYTHONDONTWRITEBYTECODE= python3 -m pytest -q")],
  },
  "builds-itself": {
    base: "cargo",
    about: "builds and tests the work itself before it proposes",
    work: [right("cargo"), run("cargo test --offline --quiet > /dev/null 2>&1")],
  },
  "writes-a-changelog": {
    about: "adds a changelog and documents the function",
    work: [
      right("node"),
      {
        write: {
          "CHANGELOG.md": "# Changelog\n\n- Slugs of any title.\n",
          "docs/slug.md": "# slug\n\nFolds accents.\n",
        },
      },
    ],
  },
  "edits-one-line": {
    base: "unittest",
    about: "changes as little as can be",
    work: replace(
      "shop/pricing.py",
      "    return sum(prices)",
      "    if not 0 <= discount <= 100:\n        raise ValueError(discount)\n    return sum(prices) * (100 - discount) // 100",
    ),
  },
  "several-modules": {
    base: "runner",
    about: "spreads the work over several modules",
    work: {
      write: {
        "src/step.mjs": "export const step = (from, to) => (from <= to ? 1 : -1);\n",
        "src/count.mjs": "export const count = (from, to) => Math.abs(to - from) + 1;\n",
        "src/range.mjs":
          'import { count } from "./count.mjs";\nimport { step } from "./step.mjs";\n\nexport function range(from, to) {\n  const by = step(from, to);\n  return Array.from({ length: count(from, to) }, (_, index) => from + index * by);\n}\n',
      },
    },
  },
  "ignored-artifacts": {
    base: "docs",
    about: "renders the README into a folder that git ignores",
    repo: { ".gitignore": "site/\n" },
    work: [right("docs"), write("site/index.html", "<h1>tool</h1>\n")],
  },
  "windows-batch-file": {
    base: "make",
    about: "adds a batch file with line ends of Windows",
    work: [right("make"), write("bin/report.bat", "@echo off\r\nsort %1\r\n")],
  },
  "says-exit-in-the-source": {
    base: "make",
    about: "ends a program with an exit code where the file is missing, as programs do",
    work: write(
      "bin/report.sh",
      rightText("make", "bin/report.sh").replace(
        "awk",
        'test -r "$1" || { echo "no such file: $1" >&2; exit 2; }\nawk',
      ),
    ),
  },
  "a-command-line-program": {
    about: "adds a program that sets its exit code where it is called wrongly",
    work: [
      right("node"),
      {
        write: {
          "bin/slug.mjs":
            '#!/usr/bin/env node\nimport { slug } from "../src/slug.mjs";\n\nconst [title] = process.argv.slice(2);\nif (title === undefined) {\n  console.error("slug TITLE");\n  process.exit(64);\n}\nconsole.log(slug(title));\n',
        },
        executable: ["bin/slug.mjs"],
      },
    ],
  },
});
