import { basename, extname } from "node:path";

/** The words of one language that make a line a mark, by what they do; see `Mark`. */
export interface MarkWords {
  /** The imports that bind names whose members a test must not set. */
  readonly tools?: "script" | "python";
  /** Missing: only the words that silence a tool are known of the language. */
  readonly ends?: RegExp;
  /**
   * A line that is only a comment. It excludes quotes, backslashes, brackets and the like, which could mean that the
   * line is inside a string or that code follows.
   */
  readonly comment?: RegExp;
  /** Ends that can only fail a check: with a literal code from 1 to 255, or by a signal. */
  readonly fails?: RegExp;
  readonly patches?: RegExp;
  /** Patterns that span a line and the two after it: an object that equals everything passes each comparison. */
  readonly patchesOver?: RegExp;
  readonly silences: readonly Silence[];
}

/** Words in a source that have a tool pass over a line, and the tools that do, as the checks call them. */
interface Silence {
  readonly words: RegExp;
  readonly by: string;
}

/** A code as an exit status: 256 would be 0 again. */
const failing = "(?:[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";

const plain = "[^\"'`{}<>*\\\\?\\r\\u2028\\u2029]*$";
const slashes = new RegExp(`^\\s*//${plain}`, "u");

function fails(calls: string, more = ""): RegExp {
  return new RegExp(`(?:${calls})\\(\\s*${failing}\\s*\\)${more}`, "g");
}

const script: MarkWords = {
  tools: "script",
  fails: fails(
    "\\bprocess\\??\\.(?:exit|reallyExit)|\\bDeno\\.exit",
    `|\\bprocess\\.abort\\(\\s*\\)|\\bprocess\\.exitCode\\s*=\\s*${failing}(?=\\s*(?:[;})]|$))`,
  ),
  comment: slashes,
  ends: /\bprocess(?:\?)?\.(?:exit|reallyExit|abort|kill)\b|\bprocess(?:\?\.)?\[\s*["'`](?:exit|reallyExit|abort|kill)["'`]|\b(?:exit|reallyExit|abort|kill)\b[^;\n]{0,80}\}\s*(?:=\s*(?:globalThis\.|global\.)?process\b|(?:from|=\s*(?:await\s+import|require)\()\s*["'](?:node:)?process["'])|\bprocess\.(?:on|once|addListener|prependListener)\(\s*["'`](?:exit|beforeExit|uncaughtException|unhandledRejection)|\bprocess\.exitCode\s*=[^=]|\bDeno\.exit\b/,
  // Covers globals and the modules of test frameworks: an assigned member, all members at once, and a name joined from
  // two strings to escape a search.
  patches:
    /(?:\b(?:assert|expect|chai|sinon|jest|vi|fs|fsp|Module)\b(?:\.[\w$]{1,60}|\[[^\]\n]{1,60}\]){1,4}|\b(?:test|it|describe)\.[\w$]{1,60}|\b(?:Object|Array|String|Number|Boolean|Symbol|Function|RegExp|Date|Map|Set|Promise|Reflect|JSON)\.[\w$.]{1,60})\s*=[^=>]|\bsyncBuiltinESMExports\b|\w\[\s*["'`][\w$:/-]{0,40}["'`]\s*\+\s*["'`]|\(\s*["'`][\w$:/-]{1,40}["'`]\s*\+\s*["'`][\w$:/-]{1,40}["'`]\s*\)|\b(?:Object|Reflect)\.(?:assign|definePropert(?:y|ies)|setPrototypeOf)\(\s*(?:assert|expect|chai|globalThis|global|fs|(?:Object|Array|String|Number|Function|Error|Map|Set|Promise)(?:\.prototype)?)\s*,/,
  silences: [
    {
      words: /\b(?:eslint|oxlint)-disable/,
      by: "eslint eslint_d oxlint xo standard semistandard ts-standard neostandard next",
    },
    {
      words: /@ts-(?:ignore|nocheck|expect-error)/,
      by: "tsc vue-tsc tsgo svelte-check tsd ts-node ts-jest astro next ng",
    },
    { words: /\bbiome-ignore\b/, by: "biome rome ultracite" },
    { words: /\b(?:istanbul|c8|v8) ignore\b/, by: "c8 nyc istanbul jest vitest" },
  ],
};
const python: MarkWords = {
  tools: "python",
  fails: fails(
    "\\bos\\._exit|\\bsys\\.exit|\\braise SystemExit|(?<![\\w.])(?:exit|quit)",
    `|\\bos\\.abort\\(\\s*\\)|(?:\\bsys\\.exit|\\braise SystemExit)\\(\\s*f?(?:"[^"\\\\\\n]+"|'[^'\\\\\\n]+')\\s*\\)`,
  ),
  comment: new RegExp(`^\\s*#${plain}`, "u"),
  ends: /\bfrom os import [^\n]*\b(?:_exit|abort|kill)\b|\bos\.(?:_exit|abort|kill)\b|\bsys\.exit\b|\batexit\.register\b|\braise SystemExit\b|(?:^|[\s:;])(?:exit|quit)\(|\bsys\.excepthook\s*=/,
  patches:
    /\b(?:unittest|pytest|_pytest|pluggy|builtins|__builtins__)\b[\w.]{1,60}\s*=[^=]|\bsetattr\(\s*(?:unittest|pytest|_pytest|pluggy|builtins|__builtins__)\b|\bsys\.modules\[[^\]\n]{1,60}\]\s*=[^=]|\bsys\.exit\s*=[^=]/,
  patchesOver: /^\s*def __eq__\([^)\n]*\)[^:\n]*:(?:\s*#[^\n]*)?\s*return True\s*(?:#|\n|$)/,
  silences: [
    { words: /#\s*type:\s*ignore/i, by: "mypy dmypy pyright basedpyright pyrefly pyre ty pytype" },
    { words: /#\s*noqa/i, by: "flake8 ruff pycodestyle pydocstyle pylama" },
    { words: /#\s*pylint:\s*disable/i, by: "pylint" },
    { words: /#\s*pyright:\s*ignore/i, by: "pyright basedpyright" },
    { words: /#\s*mypy:\s*ignore/i, by: "mypy dmypy" },
    { words: /#\s*pragma:\s*no cover/i, by: "coverage pytest py.test" },
    { words: /#\s*nosec/i, by: "bandit ruff" },
  ],
};
const jvm: MarkWords = {
  comment: slashes,
  ends: /\bSystem\.exit\b|\bexitProcess\(|\bRuntime\.getRuntime\(\)\.(?:halt|exit|addShutdownHook)\b/,
  fails: fails("\\bSystem\\.exit|\\bexitProcess|\\bRuntime\\.getRuntime\\(\\)\\.(?:halt|exit)"),
  silences: [
    { words: /@Suppress(?:Warnings)?\b/, by: "gradle gradlew mvn mvnw javac kotlinc sbt detekt ktlint checkstyle" },
    { words: /\bNOSONAR\b/, by: "sonar-scanner gradle gradlew mvn mvnw" },
  ],
};
const native: MarkWords = {
  comment: slashes,
  ends: /\b(?:_?exit|_Exit|quick_exit|abort|atexit)\s*\(/,
  fails: fails("\\b(?:_?exit|_Exit|quick_exit)", "|\\b_?exit\\s*\\(\\s*EXIT_FAILURE\\s*\\)|\\babort\\s*\\(\\s*\\)"),
  silences: [
    { words: /\bNOLINT/, by: "clang-tidy run-clang-tidy cpplint" },
    {
      words: /#\s*pragma (?:GCC|clang) diagnostic ignored/,
      by: "cc c++ gcc g++ clang clang++ make gmake cmake ctest ninja meson",
    },
  ],
};
const go: MarkWords = {
  comment: slashes,
  // Flags of the test program that choose which tests run.
  patches: /["`]-{0,2}test\.(?:run|skip|list|short|fuzz|bench|count)\b/,
  ends: /\bos\.Exit\(|\bsyscall\.Exit\(|\bruntime\.Goexit\(/,
  fails: fails("\\b(?:os|syscall)\\.Exit"),
  silences: [{ words: /\/\/\s*nolint\b/, by: "golangci-lint staticcheck revive" }],
};
const rust: MarkWords = {
  comment: slashes,
  ends: /\bprocess::(?:exit|abort)\b/,
  fails: fails("\\bprocess::exit", "|\\bprocess::abort\\(\\s*\\)"),
  silences: [{ words: /#!?\[allow\b/, by: "clippy cargo-clippy" }],
};
const rubyTools = "\\b(?:Mini[Tt]est|RSpec|Test::Unit)\\b(?:::\\w{1,40}){0,4}";
const ruby: MarkWords = {
  ends: /\bat_exit\b|\bexit!|\babort\b|(?:^|\s)exit\b/,
  // A module of a test framework that is opened again, or that gets another one put before it.
  patches: new RegExp(
    `^\\s*(?:module|class)\\s+${rubyTools}|${rubyTools}\\.(?:prepend|include|extend|\\w+_eval|\\w+_exec|send|public_send|__send__|(?:re)?define_\\w+|alias_method|remove_method|undef_method)\\b|\\b(?:using|refine)\\b[ (]*${rubyTools}`,
  ),
  patchesOver: /^\s*def ==\(\w+\)\s*;?\s*true\b/,
  fails: fails(
    "\\bexit!?",
    `|\\babort\\b|\\bexit!? *\\(? *false\\b\\)?|\\bexit!? +${failing}(?= *(?:$|#|if\\b|unless\\b))`,
  ),
  silences: [{ words: /\brubocop:disable\b/, by: "rubocop standardrb standard" }],
};
const perl: MarkWords = {
  comment: new RegExp(`^\\s*#${plain}`, "u"),
  ends: /\bEND\s*\{|\b_exit\b|(?:^|[\s;{])exit\b/,
  fails: fails("\\b(?:_exit|exit)", `|\\b_?exit +${failing}(?= *(?:$|[;}#]|if\\b|unless\\b))`),
  // Another sub under a name of a test module or of the language, also by a string, or such a module as a whole.
  patches:
    /\*(?:\{\s*["']?)?(?:(?:main|CORE)::)?(?:Test2?|TAP|GLOBAL)::[\w:]{1,60}|^\s*package\s+(?:Test::(?:More|Simple|Builder|Harness)|Test2|TAP)\b|\$INC\{\s*["']?(?:Test2?|TAP)\//,
  silences: [{ words: /##\s*no critic\b/, by: "perlcritic" }],
};
const php: MarkWords = {
  ends: /\b(?:exit|die)\s*[(;]|\bregister_shutdown_function\(/,
  fails: fails("\\b(?:exit|die)"),
  silences: [
    { words: /\bphpcs:(?:ignore|disable)/, by: "phpcs" },
    { words: /@phpstan-ignore/, by: "phpstan" },
    { words: /@psalm-suppress/, by: "psalm" },
  ],
};

/** Languages of which only the words that silence a tool are known: their files, the words, and the tools. */
const silencesOnly: readonly (readonly [string, RegExp, string])[] = [
  [".sh .bash .ksh .dash", /#\s*shellcheck\s+disable\b/, "shellcheck"],
  [".yml .yaml", /#\s*yamllint\s+disable\b/, "yamllint"],
  [".yml .yaml", /#\s*noqa\b/, "ansible-lint"],
  [".tf", /#\s*(?:tflint-ignore|tfsec:ignore|checkov:skip)\b/, "tflint tfsec checkov trivy"],
  [".sql", /--\s*noqa\b/, "sqlfluff"],
  [".md .markdown", /<!--\s*markdownlint-(?:disable|configure)/, "markdownlint markdownlint-cli2 mdl"],
  [".css .scss .less", /\bstylelint-disable\b/, "stylelint"],
  [".swift", /\bswiftlint:disable\b/, "swiftlint"],
  [".lua", /--\s*luacheck:/, "luacheck"],
  [".ex .exs", /#\s*credo:disable\b/, "credo mix"],
  ["Dockerfile", /#\s*hadolint\s+(?:global\s+)?ignore\b/, "hadolint"],
];

function onlySilences(): Record<string, MarkWords> {
  const found: Record<string, { silences: Silence[] }> = {};
  for (const [files, words, by] of silencesOnly)
    for (const file of files.split(" ")) found[file] = { silences: [...(found[file]?.silences ?? []), { words, by }] };
  return found;
}

const wordsOf: Readonly<Record<string, MarkWords>> = {
  ...onlySilences(),
  ...Object.fromEntries([".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"].map((one) => [one, script])),
  ...Object.fromEntries([".py", ".pyi"].map((one) => [one, python])),
  ...Object.fromEntries([".java", ".kt", ".kts", ".scala", ".groovy"].map((one) => [one, jvm])),
  ...Object.fromEntries([".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"].map((one) => [one, native])),
  ".go": go,
  ".rs": rust,
  ".rb": ruby,
  ...Object.fromEntries([".pl", ".pm"].map((one) => [one, perl])),
  ".php": php,
};

/** The marks for the language of a source file, by its name; undefined if its language has none. */
export function markWordsOf(path: string): MarkWords | undefined {
  return wordsOf[extname(path) || basename(path)];
}
