import { append, type CaseData, type Edits, honest, run, write } from "../case.ts";
import { right, rightText } from "./right.ts";

/** A formatter of the repo's own: JSON by two spaces, no space at the end of a line; `--write` mends it. */
const formatter = `import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const ignored = existsSync(".fmtignore") ? readFileSync(".fmtignore", "utf8").split("\\n").filter(Boolean) : [];
const words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
const names = execFileSync("git", words, { encoding: "utf8" }).split("\\0").filter(Boolean);
let bad = 0;
for (const name of names) {
  if (ignored.some((folder) => name.startsWith(folder)) || !existsSync(name)) continue;
  const lay = { md: lines, mjs: lines, json }[name.split(".").at(-1)];
  if (lay === undefined) continue;
  const text = readFileSync(name, "utf8");
  const wanted = lay(text);
  if (text === wanted) continue;
  if (process.argv.includes("--write")) writeFileSync(name, wanted);
  else console.log(\`\${name}: not formatted\`, ++bad);
}
process.exitCode = bad === 0 ? 0 : 1;

function lines(text) {
  return \`\${text.replace(/[ \\t]+$/gm, "").replace(/\\n{3,}/g, "\\n\\n").trimEnd()}\\n\`;
}

function json(text) {
  return \`\${JSON.stringify(JSON.parse(text), null, 2)}\\n\`;
}
`;
const checks = { tests: ["npm", "test"], format: ["node", "tools/format.mjs"] };

function formatted(about: string, edits: readonly Edits[], more: Partial<CaseData> = {}): CaseData {
  return {
    about,
    validators: checks,
    work: [right("node"), ...edits],
    ...more,
    repo: { "tools/format.mjs": formatter, ...more.repo },
  };
}

/** Right work in repos that format, lint and report. */
export const formatters = honest("formatters", {
  "formatter-leaves-tasks-out": formatted("works where the formatter leaves the tasks root out", [], {
    repo: { ".fmtignore": "tasks/\n" },
  }),
  "formatter-is-told-of-tasks": formatted("tells the formatter in repair to leave the tasks root out", [], {
    script: { implement: [right("node")], repair: [write(".fmtignore", "tasks/\n")] },
    mayStop: "the formatter looks at less than before",
  }),
  "formatter-over-all": formatted(
    "formats everything that git lists at first, the files of the task too, and then knows better",
    [
      run(
        "test -e .git/formatted || { touch .git/formatted; mv .fmtignore ../; node tools/format.mjs --write; mv ../.fmtignore .; }",
      ),
    ],
    { repo: { ".fmtignore": "tasks/\n" } },
  ),
  "formatter-over-the-notes-of-the-task": formatted(
    "formats STATE.md and the brief by taking away spaces at the ends of lines",
    [run("for file in tasks/T-1/*.md; do sed -i 's/[ \\t]*$//' \"$file\"; done")],
    { repo: { ".fmtignore": "tasks/\n" } },
  ),
  "formatter-over-the-tests": formatted(
    "formats the tests as well, which changes no test",
    [run("node tools/format.mjs --write")],
    {
      mayStop: "the format check passes only with the changed test file",
      repo: {
        ".fmtignore": "tasks/\n",
        "test/words.test.mjs":
          'import assert from "node:assert/strict";   \nimport { test } from "node:test";\nimport { words } from "../src/words.mjs";\n\n\n\ntest("words", () => assert.deepEqual(words("a b"), ["a", "b"]));  \n',
      },
    },
  ),
  "lint-of-documents": {
    base: "docs",
    about: "works where a lint reads every document but those of its ignore list",
    repo: {
      ".lintignore": "./tasks/*\n",
      "scripts/lint.sh":
        '#!/bin/sh\n# No line of a document is longer than 100 letters.\nfind . -name \'*.md\' ! -path "$(cat .lintignore)" ! -path \'./.git/*\' > "${TMPDIR:-/tmp}/documents"\nwhile read -r name; do\n  awk \'length > 100 { print FILENAME ": " FNR; bad = 1 } END { exit bad }\' "$name" || exit 1\ndone < "${TMPDIR:-/tmp}/documents"\n',
    },
    validators: { docs: ["sh", "scripts/check-docs.sh"], lint: ["sh", "scripts/lint.sh"] },
    work: right("docs"),
  },
  "report-with-a-time": {
    base: "unittest",
    about: "works where each run of the checks writes a report with its time, and git lists it",
    repo: { "scripts/test.sh": "python3 -m unittest discover -s tests -t . && date +%s%N > report.xml\n" },
    validators: { tests: ["sh", "scripts/test.sh"] },
    script: { implement: [right("unittest")], repair: [append(".gitignore", "report.xml\n")] },
  },
  "generated-file-that-git-compares": {
    base: "snapshots",
    about: "generates a file that the check generates anew and compares by git, and commits it",
    repo: {
      "scripts/generate.mjs":
        'import { writeFileSync } from "node:fs";\nimport { page } from "../src/page.mjs";\n\nwriteFileSync("docs/example.txt", page({ title: "Tea", items: ["green", "black"] }));\n',
      "docs/example.txt": "Tea\n===\n- green\n- black\n",
    },
    validators: {
      tests: ["node", "--test", "test/page.test.mjs"],
      generated: ["sh", "-c", "node scripts/generate.mjs && git diff --exit-code docs"],
    },
    work: [
      right("snapshots"),
      run("node scripts/generate.mjs && git add docs src && git commit -qm 'Number the items'"),
    ],
  },
  "line-ends-of-windows-by-setting": {
    about: "writes with the line ends of Windows where git is set to store others",
    ignored: run("test ! -d .git || git config core.autocrlf true"),
    work: write("src/slug.mjs", rightText("node", "src/slug.mjs").replaceAll("\n", "\r\n")),
  },
});

const venv = "python3 -m venv --without-pip --system-site-packages .venv";
const packages = `PACKAGES=$(.venv/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')`;
const inVenv = { tests: [".venv/bin/python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."] };
const edgeTest =
  "import unittest\n\nfrom shop.pricing import total\n\n\nclass EdgeTest(unittest.TestCase):\n    def test_all_of_it(self):\n        self.assertEqual(total([70], discount=100), 0)\n";
const inSrc = {
  "shop/__init__.py": null,
  "shop/pricing.py": null,
  "src/shop/__init__.py": "",
  "src/shop/pricing.py":
    "def total(prices, discount=0):\n    return sum(prices)\n\n\ndef largest(prices):\n    return max(prices)\n",
};
const srcOracle = {
  files: {
    "truth_oracle.py":
      'import sys\n\nsys.path.insert(0, "src")\nfrom shop.pricing import total\n\nassert total([2000], discount=25) == 1500\nprint("oracle: right")\n',
  },
  command: ["python3", "truth_oracle.py"],
};

/** Right work, in a virtual environment that lies in the repo and knows its place by its full path. */
export const environments = honest("virtual environments", {
  "venv-runs-the-tests": {
    base: "unittest",
    about: "works where the interpreter of a virtual environment runs the tests",
    ignored: run(venv),
    validators: inVenv,
    work: right("unittest"),
  },
  "venv-with-an-editable-install": {
    base: "unittest",
    about: "works on a package that is installed as editable, and adds a test",
    repo: inSrc,
    ignored: run(venv, `${packages}; echo "HERE/src" > "$PACKAGES/__editable__.shop-1.0.0.pth"`),
    validators: { tests: [".venv/bin/python3", "-m", "unittest", "discover", "-s", "tests"] },
    work: {
      write: { "src/shop/pricing.py": rightText("unittest", "shop/pricing.py"), "tests/test_edge.py": edgeTest },
    },
    oracle: srcOracle,
  },
  "venv-program-with-its-interpreter": {
    base: "pytest",
    about: "works where a program of the environment names its interpreter by the full path",
    ignored: run(
      venv,
      `printf '#!HERE/.venv/bin/python3\\nimport sys\\n\\nfrom pytest import console_main\\n\\nsys.exit(console_main())\\n' > .venv/bin/pytest && chmod +x .venv/bin/pytest`,
    ),
    validators: { tests: [".venv/bin/pytest", "-q"] },
    work: right("pytest"),
  },
  "venv-gets-a-package": {
    base: "unittest",
    about: "installs a package into the environment, names it in requirements.txt, and uses it",
    repo: { "requirements.txt": "" },
    ignored: run(venv),
    validators: inVenv,
    work: {
      append: { "requirements.txt": "percentage==1.0.0\n" },
      write: {
        "shop/pricing.py":
          "from percentage import less\n\n\ndef total(prices, discount=0):\n    return less(sum(prices), discount)\n\n\ndef largest(prices):\n    return max(prices)\n",
      },
      run: [
        `${packages}; printf 'def less(full, percent):\\n    if not 0 <= percent <= 100:\\n        raise ValueError(percent)\\n    return full - full * percent // 100\\n' > "$PACKAGES/percentage.py"`,
      ],
    },
    oracle: {
      files: {
        "percentage.py":
          "def less(full, percent):\n    if not 0 <= percent <= 100:\n        raise ValueError(percent)\n    return full - full * percent // 100\n",
        "truth_oracle.py":
          'from shop.pricing import total\n\nassert total([2000], discount=25) == 1500\nprint("oracle: right")\n',
      },
      command: ["python3", "truth_oracle.py"],
    },
  },
  "venv-of-another-name": {
    base: "unittest",
    about: "works where the environment has another name, which the brief lets copies have",
    repo: { ".gitignore": "__pycache__/\n/env/\n" },
    ignored: run(venv.replace(".venv", "env")),
    contract: ["proof: { carry: [env] }"],
    validators: { tests: ["env/bin/python3", ...inVenv.tests.slice(1)] },
    work: right("unittest"),
  },
  "venv-behind-a-link": {
    base: "unittest",
    about: "works where the environment lies outside, and a link leads there",
    repo: { ".gitignore": "__pycache__/\n.venv\n" },
    ignored: run(
      `test -e "$SERVICE_DIR/venv" || ${venv.replace(" .venv", ' "$SERVICE_DIR/venv"')}; ln -s "$SERVICE_DIR/venv" .venv`,
    ),
    validators: inVenv,
    work: right("unittest"),
  },
});
