/**
 * The token shapes of big providers. Every pattern is bounded in what it matches and in what it looks at, since a
 * stream can only hold back so much, and none looks at what follows the match: whether something is a token must
 * not depend on what was redacted beside it.
 */
export interface TokenShape {
  /** Stands in the replacement: lower case, digits, hyphens. */
  readonly shape: string;
  /** Source of a regular expression without captures. */
  readonly source: string;
  /** The pattern cannot match where none of these stands; in lower case, looked for without regard to case. */
  readonly needles: readonly string[];
  /** The characters that go on belonging to the token where it is longer than the bound; as in a character class. */
  readonly tail: string | null;
}

const word = "A-Za-z0-9";
const wordLine = String.raw`A-Za-z0-9_\-`;

/**
 * A token starts where no letter or digit stands before it. The `n` of a `\n` in JSON, the digits of a `%3A` in a
 * URL and the `m` of a colour sequence are no such letters.
 */
const start = String.raw`(?:(?<![${word}])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\x1b\[[0-9;]{0,12}m))`;

const pemLabel = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
const pemGap = String.raw`(?:[\s"',+>|*#]|\\[nr]){0,16}`;

export const tokenShapes: readonly TokenShape[] = [
  {
    shape: "private-key",
    needles: ["private key"],
    // Whole with its footer; or, where it was cut off, as many lines of base64 as follow. A header alone is no key.
    source:
      `-----BEGIN ${pemLabel}(?:(?:(?!-----BEGIN)[${word}+/=:,.()\\s\\\\"'>|*#-]){1,8192}?-----END ${pemLabel}` +
      `|(?:${pemGap}[${word}+/=]{16,128}){1,160})`,
    tail: null,
  },
  token("anthropic", ["sk-ant-"], "sk-ant-", wordLine, 16),
  token("openai", ["sk-"], "sk-(?:proj|svcacct|admin|None|or-v1)-", wordLine, 16),
  token("openai", ["sk-"], "sk-", word, 20),
  token("github", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], "gh[pousr]_", `${word}_`, 20),
  token("github", ["github_pat_"], "github_pat_", `${word}_`, 20),
  token("gitlab", ["gl"], "gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|rtr)-", `${wordLine}.`, 16),
  token("aws", ["akia", "asia"], "(?:AKIA|ASIA)", "A-Z0-9", 16),
  token("google", ["aiza"], "AIza", wordLine, 30),
  token("google", ["ya29."], String.raw`ya29\.`, wordLine, 20),
  token("slack", ["xox"], "xox[a-z]-", `${word}\\-`, 10),
  token("slack", ["xapp-"], "xapp-", `${word}\\-`, 20),
  token("npm", ["npm_"], "npm_", word, 30),
  token("stripe", ["k_live_", "k_test_"], "[sr]k_(?:live|test)_", word, 10),
  token("stripe", ["whsec_"], "whsec_", `${word}+/=`, 20),
  token("huggingface", ["hf_"], "hf_", word, 30),
  token("pypi", ["pypi-age"], "pypi-AgE", wordLine, 16),
  {
    shape: "jwt",
    needles: ["eyj"],
    // Not after `-` or `_`: of a long row of such starts, each would be followed to its bound.
    source: `(?=eyJ)(?<![_-])${start}eyJ[${wordLine}]{8,1024}\\.eyJ[${wordLine}]{4,8192}\\.[${wordLine}]{0,2048}`,
    tail: `${wordLine}.`,
  },
  after(
    "bearer",
    ["authorization"],
    `${anyCase("authorization")}["']{0,2}\\s{0,4}[:=]\\s{0,4}["']?(?:${schemes()})\\s{1,4}`,
    `${word}._~+/=\\-`,
    8,
  ),
  after("api-key", ["x-api-key"], `${anyCase("x-api-key")}["']{0,2}\\s{0,4}[:=]\\s{0,4}["']?`, `${word}._~+/=\\-`, 8),
  after(
    "aws",
    ["aws_secret_access_key"],
    `${anyCase("aws_secret_access_key")}["']{0,2}\\s{0,4}[:=]\\s{0,4}["']?`,
    `${word}/+=`,
    30,
  ),
  {
    shape: "url-password",
    needles: ["://"],
    source: String.raw`(?<=[A-Za-z0-9+.-]:\/\/[^\s\/@:?#"']{0,256}:)(?:(?!\[redacted:)[^\s\/?#"'<>]){1,512}(?=@)`,
    tail: null,
  },
];

function token(
  shape: string,
  needles: readonly string[],
  prefix: string,
  characters: string,
  atLeast: number,
): TokenShape {
  // The look ahead only makes the search fast: V8 skips by the first characters of an alternative.
  const source = `(?=${prefix})${start}${prefix}[${characters}]{${atLeast},512}`;
  return { shape, needles, source, tail: characters };
}

/** A value that only what stands before it makes a secret. */
function after(
  shape: string,
  needles: readonly string[],
  before: string,
  characters: string,
  atLeast: number,
): TokenShape {
  return { shape, needles, source: `(?<=${before})[${characters}]{${atLeast},512}`, tail: characters };
}

function schemes(): string {
  return ["bearer", "basic", "token", "digest"].map(anyCase).join("|");
}

function anyCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
