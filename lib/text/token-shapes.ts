/**
 * What is secret by its form or by what is before it, whoever made it. Every pattern is bounded in what it matches
 * and in what it looks at, since a stream can only hold back so much, and none looks at what follows the match:
 * whether something is a token must not depend on what was redacted beside it.
 */
export interface TokenShape {
  /** Stands in the replacement: lower case, digits, hyphens. */
  readonly shape: string;
  /** Source of a regular expression without captures. */
  readonly source: string;
  /** The pattern cannot match unless one of these occurs; three characters or more. */
  readonly needles: readonly string[];
  /** True if they may be written in any case; they are here in lower case. */
  readonly anyCase?: boolean;
  /** The characters that continue belonging to the token if it is longer than the bound; as in a character class. */
  readonly tail: string | null;
}

/** Classes of characters, as in a regular expression. */
export const word = "A-Za-z0-9";
export const wordLine = String.raw`A-Za-z0-9_\-`;
const base64 = `${word}+/=`;
const anyToken = `${word}._~+/=\\-`;

/**
 * A token starts where no letter or digit is before it. The `n` of a `\n` in JSON, the digits of a `%3A` in a
 * URL and the `m` of a colour sequence are no such letters.
 */
export const start = String.raw`(?:(?<![${word}])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\x1b\[[0-9;]{0,12}m))`;

const pemLabel = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";
const pemGap = String.raw`(?:[\s"',+>|*#]|\\[nr]){0,16}`;
/** JSON within JSON escapes its quotes, and HTML spells them. */
const quotes = String.raw`(?:[\\"']|&quot;|&#39;){0,6}`;
const gives = `${quotes}\\s{0,4}[:=]\\s{0,4}${quotes}`;

const hasDigit = String.raw`(?=[A-Za-z._~+/=\-]{0,64}[0-9])`;
const headers = ["api-key", "private-token", "job-token", "auth-token", "vault-token", "access-token"];

export const tokenShapes: readonly TokenShape[] = [
  {
    shape: "private-key",
    needles: ["PRIVATE KEY"],
    // Whole with its footer; or, if it was cut off, as many lines of base64 as follow. A header alone is not a key.
    source:
      `-----BEGIN ${pemLabel}(?:(?:(?!-----BEGIN)[${word}+/=:,.()\\s\\\\"'>|*#-]){1,8192}?-----END ${pemLabel}` +
      `|(?:${pemGap}[${word}+/=]{16,128}){1,160})`,
    tail: null,
  },
  {
    shape: "jwt",
    needles: ["eyJ"],
    // Not after `-` or `_`: of a long row of such starts, each would be followed to its bound.
    source: `(?=eyJ)(?<![_-])${start}eyJ[${wordLine}]{8,1024}\\.eyJ[${wordLine}]{4,8192}\\.[${wordLine}]{0,2048}`,
    tail: `${wordLine}.`,
  },
  after(
    "bearer",
    ["authorization"],
    `${anyCase("authorization")}${gives}(?:${names(["bearer", "basic", "token", "digest"])})\\s{1,4}`,
    anyToken,
    8,
  ),
  after("api-key", ["x-api-key"], `${anyCase("x-api-key")}${gives}`, anyToken, 8),
  after("aws", ["secret_access_key"], `${anyCase("secret_access_key")}${gives}`, base64, 30),
  // Such names are in programs and documents too, with words behind them: a digit must be in the value.
  after(
    "aws",
    ["secretaccesskey", "session_token", "sessiontoken"],
    `(?:${names(["secretaccesskey", "session_token", "sessiontoken"])})${gives}`,
    base64,
    30,
    hasDigit,
  ),
  after("api-key", headers, `(?:${names(headers)})${gives}`, anyToken, 16, hasDigit),
  after("azure", ["AccountKey", "SharedAccessKey"], `(?:Account|SharedAccess)Key${gives}`, base64, 40),
  after("azure", ["sig="], String.raw`(?:[?&;]|\\u0026)sig=`, `${base64}%_\\-`, 40),
  after("npm", [":_auth", ":_password"], String.raw`:_(?:authToken|auth|password)\s{0,2}=\s{0,2}["']?`, anyToken, 8),
  after("slack", ["hooks.slack.com"], String.raw`hooks\.slack\.com\/(?:services|workflows|triggers)\/`, `${word}/`, 20),
  after(
    "discord",
    ["/webhooks/"],
    String.raw`discord(?:app)?\.com\/api\/(?:v[0-9]{1,2}\/)?webhooks\/[0-9]{5,25}\/`,
    wordLine,
    30,
  ),
  after("microsoft", ["/webhookb2/"], String.raw`webhook\.office\.com\/webhookb2\/`, `${word}@/\\-`, 30),
  {
    shape: "url-password",
    needles: ["://"],
    source: String.raw`(?<=[A-Za-z0-9+.-]:\/\/[^\s\/@:?#"']{0,256}:)(?:(?!\[redacted:)[^\s\/?#"'<>]){1,512}(?=@)`,
    tail: null,
  },
];

/** A value that only what is before it makes a secret. */
function after(
  shape: string,
  needles: readonly string[],
  before: string,
  characters: string,
  atLeast: number,
  condition = "",
): TokenShape {
  const anyCase = needles.every((needle) => needle === needle.toLowerCase());
  const source = `${condition}(?<=${before})[${characters}]{${atLeast},512}`;
  return { shape, needles, anyCase, source, tail: characters };
}

export function names(words: readonly string[]): string {
  return words.map(anyCase).join("|");
}

export function anyCase(text: string): string {
  return text.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
