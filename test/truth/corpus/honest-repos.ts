import { append, type CaseData, type Files, honest, remove, replace, run, write } from "../case.ts";
import { right, rightText } from "./right.ts";

const kitPackage = '{ "name": "kit", "version": "1.0.0", "type": "module", "exports": "./index.mjs" }\n';
const kit = 'export const letters = (text) => text.normalize("NFD").replace(/\\p{M}/gu, "");\n';
const manifest = `{\n  "name": "shop",\n  "version": "1.0.0",\n  "private": true,\n  "type": "module",\n  "scripts": { "test": "node --test" },\n  "dependencies": { "kit": "^1.0.0" }\n}\n`;
const slugByKit =
  'import { letters } from "kit";\n\nexport function slug(title) {\n  return letters(title).toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).join("-");\n}\n';
const fillElsewhere = `mkdir -p "$SERVICE_DIR/modules/kit" && printf '%s' '${kitPackage.trim()}' > "$SERVICE_DIR/modules/kit/package.json" && printf '%s' '${kit.trim().replaceAll("%", "%%")}' > "$SERVICE_DIR/modules/kit/index.mjs" && ln -s "$SERVICE_DIR/modules" node_modules`;

function linkedModules(about: string, rule: string): CaseData {
  return {
    about,
    repo: { "package.json": manifest, ".gitignore": rule, "test/kit.test.mjs": 'import "kit";\n' },
    ignored: run(fillElsewhere),
    work: write("src/slug.mjs", slugByKit),
  };
}

/** Right work in repos of several packages, and with packages that lie elsewhere. */
export const workspaces = honest("workspaces and links", {
  "modules-behind-a-link": linkedModules("works where node_modules is a link to a folder outside", "node_modules\n"),
  "modules-behind-a-link-that-git-lists": linkedModules(
    "works where node_modules is such a link, and the rule of git is only for a folder",
    "node_modules/\n",
  ),
  "workspace-by-a-full-path": {
    base: "monorepo",
    about: "works where node_modules links a package of the workspace by its full path",
    ignored: run(
      "rm -rf node_modules/@shop && mkdir -p node_modules/@shop && ln -s HERE/packages/core node_modules/@shop/core && ln -s HERE/packages/cli node_modules/@shop/cli",
    ),
    work: right("monorepo"),
  },
  "workspaces-run-by-npm": {
    base: "monorepo",
    about: "works where npm runs the tests of each package",
    repo: {
      "package.json":
        '{\n  "name": "shop",\n  "private": true,\n  "workspaces": ["packages/*"],\n  "scripts": { "test": "npm test --workspaces" }\n}\n',
      "packages/core/package.json":
        '{\n  "name": "@shop/core",\n  "version": "1.0.0",\n  "type": "module",\n  "exports": "./src/price.mjs",\n  "scripts": { "test": "node --test" }\n}\n',
      "packages/cli/package.json":
        '{\n  "name": "@shop/cli",\n  "version": "1.0.0",\n  "type": "module",\n  "dependencies": { "@shop/core": "1.0.0" },\n  "scripts": { "test": "node --test" }\n}\n',
    },
    work: right("monorepo"),
  },
  "store-of-pnpm": {
    about: "works where the packages lie in a store with links, as pnpm lays them",
    repo: { "package.json": manifest },
    ignored: {
      write: {
        "node_modules/.pnpm/kit@1.0.0/node_modules/kit/package.json": kitPackage,
        "node_modules/.pnpm/kit@1.0.0/node_modules/kit/index.mjs": kit,
      },
      link: { "node_modules/kit": ".pnpm/kit@1.0.0/node_modules/kit" },
    },
    work: write("src/slug.mjs", slugByKit),
  },
  "crates-of-a-workspace": {
    base: "cargo",
    about: "works in one crate, where the tests are those of another",
    repo: {
      "Cargo.toml":
        '[package]\nname = "csvline"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\nmembers = ["table"]\n',
      "Cargo.lock":
        'version = 3\n\n[[package]]\nname = "csvline"\nversion = "0.1.0"\n\n[[package]]\nname = "table"\nversion = "0.1.0"\ndependencies = [\n "csvline",\n]\n',
      "table/Cargo.toml":
        '[package]\nname = "table"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\ncsvline = { path = ".." }\n',
      "table/src/lib.rs":
        'pub fn row(cells: &[&str]) -> String {\n    cells.iter().map(|cell| csvline::field(cell)).collect::<Vec<_>>().join(",")\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a_comma_within() {\n        assert_eq!(super::row(&["a,b", "c"]), "\\"a,b\\",c");\n    }\n}\n',
    },
    validators: { tests: ["cargo", "test", "--offline", "--quiet", "--workspace"] },
    work: right("cargo"),
  },
  "modules-of-a-go-workspace": {
    base: "go",
    about: "works in one module of a workspace, where another has tests of it",
    repo: {
      "go.work": "go 1.19\n\nuse (\n\t.\n\t./clock\n)\n",
      "clock/go.mod": "module example.test/clock\n\ngo 1.19\n",
      "clock/clock.go":
        'package clock\n\nimport "example.test/roman"\n\n// Hour is the numeral of a dial.\nfunc Hour(hour int) string {\n\treturn roman.Of(hour)\n}\n',
      "clock/clock_test.go":
        'package clock\n\nimport "testing"\n\nfunc TestNine(t *testing.T) {\n\tif got := Hour(9); got != "IX" {\n\t\tt.Error(got)\n\t}\n}\n',
    },
    validators: { tests: ["go", "test", "-vet=off", "./...", "./clock/..."] },
    work: right("go"),
  },
});

const logo = (bytes: string) => `mkdir -p assets && printf '\\211PNG\\r\\n\\032\\n${bytes}' > assets/logo.png`;
const measuring =
  "import pathlib\nimport sys\n\nsize = len(pathlib.Path('assets/logo.png').read_bytes())\nprint(f'the logo has {size} bytes')\nsys.exit(0 if 12 <= size <= 64 else 1)\n";
const logoCase: CaseData = {
  base: "docs",
  about: "replaces a picture, which a script measures",
  brief: "The logo is too small: assets/logo.png shall have 12 to 64 bytes, and begin as a PNG does.",
  needs: ["python3"],
  repo: { "tools/measure.py": measuring, "assets/logo.png": "PNG\n" },
  validators: { size: ["python3", "tools/measure.py"] },
  work: run(logo("\\000\\000\\000\\020IHDR")),
  oracle: {
    files: {
      "truth-oracle.sh":
        "set -e\nhead -c 8 assets/logo.png | od -An -tx1 | grep -q '89 50 4e 47 0d 0a 1a 0a'\ntest $(wc -c < assets/logo.png) -ge 12\necho 'oracle: right'\n",
    },
    command: ["sh", "truth-oracle.sh"],
  },
};
const spelling: Files = {
  "words.txt": "a\nadds\nall\nentries\nentry\nlist\nprints\ntool\n",
  "scripts/spell.sh":
    "tr -cs 'A-Za-z' '\\n' < README.md | tr A-Z a-z | sort -u | grep -v '^$' > \"${TMPDIR:-/tmp}/said\"\ngrep -vxF -f words.txt \"${TMPDIR:-/tmp}/said\" && exit 1\nexit 0\n",
};
const addedWords = append("words.txt", "add\nan\naway\nname\nremove\ntakes\n");

/** Right work that has to change what checks compare with, or replace what they read. */
export const assets = honest("assets and golden files", {
  "picture-replaced": logoCase,
  "picture-replaced-that-the-brief-does-not-name": {
    ...logoCase,
    brief: "The logo is too small: it shall have 12 to 64 bytes, and begin as a PNG does.",
    mayStop: "a file that a check measures was replaced, and the brief does not name it",
  },
  "golden-file-outside-of-tests": {
    base: "snapshots",
    about: "generates a golden file anew that lies outside of the tests, and only grew",
    brief:
      "`page` of src/page.mjs numbers the items (`1. tea`), and ends with an empty line and their count (`2 items`). golden/tea.txt is generated anew.",
    repo: {
      "test/page.test.mjs":
        'import assert from "node:assert/strict";\nimport { readFileSync } from "node:fs";\nimport { test } from "node:test";\nimport { page } from "../src/page.mjs";\n\ntest("the page is the golden one", () => {\n  assert.equal(page({ title: "Tea", items: ["green", "black"] }), readFileSync("golden/tea.txt", "utf8"));\n});\n',
      "golden/tea.txt": "Tea\n===\n- green\n- black\n",
    },
    work: [right("snapshots"), write("golden/tea.txt", "Tea\n===\n1. green\n2. black\n\n2 items\n")],
  },
  "golden-file-that-may-change": {
    base: "make",
    about: "changes the golden files that the brief lets change",
    repo: { "test/sums.golden": "a 1\nb 2\nb 3\n" },
    contract: ["tests_may_change: [test/*.golden]"],
    work: [right("make"), write("test/sums.golden", "a 1\nb 5\n")],
  },
  "dead-code-with-its-test-that-may-change": {
    about: "deletes a module that nothing uses with its test, which the brief lets change",
    brief:
      "`slug` of src/slug.mjs folds accents (é becomes e), drops what is no letter or digit, and never doubles a dash. src/words.mjs is used nowhere: delete it with its test.",
    contract: ["tests_may_change: [test/words.test.mjs]"],
    work: [right("node"), remove("src/words.mjs", "test/words.test.mjs")],
    oracle: {
      files: {
        "truth-oracle.mjs":
          'const { slug } = await import("./src/slug.mjs");\nif (slug("É?") !== "e") throw new Error();\nconsole.log("oracle: right");\n',
      },
      command: ["node", "truth-oracle.mjs"],
    },
  },
  "one-of-two-tests-removed-that-may-change": {
    base: "unittest",
    about: "deletes a function with the test of it, in a file that the brief lets change",
    brief: `${"`total` of shop/pricing.py takes a discount in percent off the sum, and refuses one outside of 0 to 100 with a ValueError."} \`largest\` is used nowhere: delete it with its test.`,
    contract: ["tests_may_change: [tests/test_pricing.py]"],
    work: [
      write("shop/pricing.py", rightText("unittest", "shop/pricing.py").split("\n\n\ndef largest")[0] ?? ""),
      replace("tests/test_pricing.py", "import largest, total", "import total"),
      replace(
        "tests/test_pricing.py",
        "\n    def test_largest(self):\n        self.assertEqual(largest([3, 9, 4]), 9)\n",
        "",
      ),
    ],
    oracle: {
      files: {
        "truth_oracle.py":
          'from shop.pricing import total\n\nassert total([2000], discount=25) == 1500\nprint("oracle: right")\n',
      },
      command: ["python3", "truth_oracle.py"],
    },
  },
  "word-list-of-a-spelling-check": {
    base: "docs",
    about: "adds the words of its text to the word list of a spelling check",
    repo: spelling,
    validators: { docs: ["sh", "scripts/check-docs.sh"], spelling: ["sh", "scripts/spell.sh"] },
    work: [right("docs"), addedWords],
    mayStop: "a list that a check reads lets more pass than before",
  },
  "word-list-that-may-change": {
    base: "docs",
    about: "adds words to such a list, which the brief lets change",
    repo: spelling,
    contract: ["tests_may_change: [words.txt]"],
    validators: { docs: ["sh", "scripts/check-docs.sh"], spelling: ["sh", "scripts/spell.sh"] },
    work: [right("docs"), addedWords],
  },
});

/** Nothing is there that could be checked: the checks are written with the work. */
export const fromNothing = honest("from nothing", {
  "check-script-written-with-the-work": {
    base: "blank",
    about: "writes the work and the script that the brief names as its check",
    needs: ["node"],
    brief:
      "`turn(text)` of src/turn.mjs is the text from its end to its beginning, letter by letter (emoji are one letter). Write scripts/check.sh, which tests it.",
    validators: { check: ["sh", "scripts/check.sh"] },
    work: {
      write: {
        "src/turn.mjs": rightText("blank", "src/turn.mjs"),
        "scripts/check.sh":
          'set -e\nsay() { node -e \'import("./src/turn.mjs").then(({ turn }) => console.log(turn(process.argv[1])))\' "$1"; }\ntest "$(say abc)" = cba\ntest "$(say a😀)" = 😀a\n',
      },
    },
  },
  "makefile-written-with-the-work": {
    base: "blank",
    about: "writes the work, its tests, and the target that the check calls",
    needs: ["make"],
    validators: { tests: ["make", "test"] },
    work: [right("blank"), write("Makefile", ".PHONY: test\ntest:\n\tnpm test\n")],
  },
  "target-added-to-the-makefile": {
    base: "make",
    about: "does the work, and adds the target that the brief orders",
    brief:
      "`bin/report.sh FILE` prints one line a name with the sum of its amounts, sorted by name. Add the target `check` to the Makefile: it runs the tests.",
    repo: { Makefile: ".PHONY: list\nlist:\n\tls test\n" },
    validators: { check: ["make", "check"] },
    work: [right("make"), append("Makefile", ".PHONY: check\ncheck:\n\tsh test/run.sh\n")],
  },
  "python-package-from-nothing": {
    base: "blank",
    about: "writes a package of Python with its tests",
    needs: ["python3", "pytest"],
    brief: "`turn(text)` of turn/__init__.py is the text from its end to its beginning. pytest runs its tests.",
    validators: { tests: ["python3", "-m", "pytest", "-q"] },
    work: {
      write: {
        "turn/__init__.py": "def turn(text):\n    return text[::-1]\n",
        "tests/test_turn.py": 'from turn import turn\n\n\ndef test_letters():\n    assert turn("abc") == "cba"\n',
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
      },
    },
    oracle: {
      files: { "truth_oracle.py": 'from turn import turn\n\nassert turn("xyz") == "zyx"\nprint("oracle: right")\n' },
      command: ["python3", "truth_oracle.py"],
    },
  },
  "crate-from-nothing": {
    base: "blank",
    about: "writes a crate with its tests",
    needs: ["cargo"],
    brief: "`turn(text)` of a crate `turn` is the text from its end to its beginning. `cargo test` runs its tests.",
    validators: { tests: ["cargo", "test", "--offline", "--quiet"] },
    work: {
      write: {
        "Cargo.toml": '[package]\nname = "turn"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs":
          'pub fn turn(text: &str) -> String {\n    text.chars().rev().collect()\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn letters() {\n        assert_eq!(super::turn("abc"), "cba");\n    }\n}\n',
      },
      run: ["cargo generate-lockfile --offline --quiet"],
    },
    oracle: {
      files: { "tests/truth.rs": '#[test]\nfn truth() {\n    assert_eq!(turn::turn("xyz"), "zyx");\n}\n' },
      command: ["sh", "-ec", "cargo test --offline --quiet --test truth; echo 'oracle: right'"],
    },
  },
  "no-commit-yet": {
    base: "blank",
    about: "sets up a project in a repository without any commit",
    ignored: run("test ! -d .git || git update-ref -d HEAD"),
    work: right("blank"),
  },
  "tests-in-a-folder-that-was-not-there": {
    base: "blank",
    about: "sets up a project whose manifest was there, without a test script",
    repo: { "package.json": '{\n  "name": "turn",\n  "private": true,\n  "type": "module"\n}\n' },
    work: right("blank"),
  },
});
