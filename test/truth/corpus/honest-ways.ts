import { append, honest, replace, write } from "../case.ts";
import { right, rightText } from "./right.ts";

const wrongSlug = 'export function slug(title) {\n  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-");\n}\n';
const wrongField = 'pub fn field(text: &str) -> String {\n    format!("\\"{}\\"", text)\n}\n';
const refactoring = { brief: "Make src/words.mjs easier to read. Its behaviour stays as it is." };
const wordsOracle = {
  files: {
    "truth-oracle.mjs":
      'const { words } = await import("./src/words.mjs");\nif (words(" a  b ").join() !== "a,b") throw new Error();\nconsole.log("oracle: right");\n',
  },
  command: ["node", "truth-oracle.mjs"],
};

/** A first candidate that is wrong, and a repair that puts it right. */
export const repairs = honest("repairs", {
  "node-repairs": {
    about: "forgets the accents at first",
    script: { implement: [write("src/slug.mjs", wrongSlug)], repair: [right("node")] },
  },
  "pytest-repairs": {
    base: "pytest",
    about: "forgets the limits of a discount at first",
    script: {
      implement: [replace("shop/pricing.py", "return sum(prices)", "return sum(prices) * (100 - discount) // 100")],
      repair: [right("pytest")],
    },
  },
  "cargo-repairs": {
    base: "cargo",
    about: "quotes everything at first",
    script: { implement: [write("src/lib.rs", wrongField)], repair: [right("cargo")] },
  },
  "make-repairs": {
    base: "make",
    about: "forgets to sort at first",
    script: {
      implement: [write("bin/report.sh", rightText("make", "bin/report.sh").replace(" | sort", " | sort -r"))],
      repair: [right("make")],
    },
  },
  "syntax-error-repaired": {
    base: "runner",
    about: "leaves a syntax error at first",
    script: {
      implement: [write("src/range.mjs", "export function range(from, to {\n")],
      repair: [right("runner")],
    },
  },
  "docs-repairs": {
    base: "docs",
    about: "forgets a command at first",
    script: {
      implement: [write("README.md", rightText("docs", "README.md").split("## remove")[0] ?? "")],
      repair: [right("docs")],
    },
  },
  "go-does-not-compile-at-first": {
    base: "go",
    about: "leaves an unused import at first",
    script: {
      implement: [replace("roman.go", "package roman", 'package roman\n\nimport "strings"')],
      repair: [right("go")],
    },
  },
  "types-repairs": {
    base: "types",
    about: "leaves an error at first",
    script: {
      implement: [replace("src/user.ts", "initials(user)", "initials(user: User)")],
      repair: [right("types")],
    },
  },
});

/** No check fails before the work: that nothing broke is all that they can show, and it is true. */
export const kept = honest("nothing broke", {
  "node-refactors": {
    base: "node-green",
    about: "writes a function in another way",
    ...refactoring,
    work: write(
      "src/words.mjs",
      "/** The words of a text, without the space between them. */\nexport function words(text) {\n  return text.match(/\\S+/g) ?? [];\n}\n",
    ),
    oracle: wordsOracle,
  },
  "node-renames-within": {
    base: "node-green",
    about: "renames a parameter",
    ...refactoring,
    work: write(
      "src/words.mjs",
      "export function words(sentence) {\n  return sentence.split(/\\s+/).filter(Boolean);\n}\n",
    ),
    oracle: wordsOracle,
  },
  "pytest-adds-type-hints": {
    base: "pytest",
    about: "adds type hints to source that passes",
    repo: { "shop/pricing.py": rightText("pytest", "shop/pricing.py") },
    brief: "Add type hints to shop/pricing.py.",
    work: replace("shop/pricing.py", "def largest(prices):", "def largest(prices: list[int]) -> int:"),
  },
  "cargo-documents": {
    base: "cargo",
    about: "documents source that passes",
    repo: { "src/lib.rs": rightText("cargo", "src/lib.rs") },
    brief: "Document the crate.",
    work: replace("src/lib.rs", "/// One field", "//! Lines of CSV.\n\n/// One field"),
  },
  "make-comments-only": {
    base: "make",
    about: "explains a script that passes",
    repo: { "bin/report.sh": rightText("make", "bin/report.sh") },
    brief: "Explain bin/report.sh.",
    work: replace("bin/report.sh", "awk", "# Lines without two words are left out.\nawk"),
  },
  "coverage-raised": {
    base: "node-green",
    about: "adds tests of what is there already",
    brief: "Test what words does with nothing.",
    work: append(
      "test/words.test.mjs",
      '\ntest("nothing has no words", () => {\n  assert.deepEqual(words("  "), []);\n});\n',
    ),
    oracle: wordsOracle,
  },
});
