/**
 * A secret recognised by its form or by what precedes it. Patterns bound their match and lookbehind, since a stream can
 * hold back only so much. None looks behind the match, so that neighbouring redactions change nothing.
 */
export interface TokenShape {
  /** In the replacement: lower case, digits, hyphens. */
  readonly shape: string;
  /** A regular expression without captures. */
  readonly source: string;
  /** A match needs one of these, at least three characters long. */
  readonly needles: readonly string[];
  /** They match any case; lower case here. */
  readonly anyCase?: boolean;
  /** Further characters of a longer token, as in a character class. */
  readonly tail: string | null;
}

export const word = "A-Za-z0-9";
export const wordLine = String.raw`A-Za-z0-9_\-`;
const base64 = `${word}+/=`;
const anyToken = `${word}._~+/=\\-`;

/**
 * No letter or digit precedes a token. The `n` of `\n` in JSON, the digits of `%3A` in a URL and the `m` of a colour do
 * not count.
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
    // With its footer or, if cut off, as many lines of base64 as follow. A header alone is no key.
    source:
      `-----BEGIN ${pemLabel}(?:(?:(?!-----BEGIN)[${word}+/=:,.()\\s\\\\"'>|*#-]){1,8192}?-----END ${pemLabel}` +
      `|(?:${pemGap}[${word}+/=]{16,128}){1,160})`,
    tail: null,
  },
  {
    shape: "jwt",
    needles: ["eyJ"],
    // Not after `-` or `_`: each start in a long row would be followed to its bound.
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
  // Programs and documents use such names with words behind them: require a digit in the value.
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

/** Secret only by what precedes it. */
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
