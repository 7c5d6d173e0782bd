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

/** No letter or digit precedes a token, apart from JSON's `\n`, a URL's `%3A` and a colour's `m`. */
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

/** Characters of a value with and without quotes, as in a character class. */
const quoted = String.raw`^"'\\\n\r`;
const bare = String.raw`^\s"'\\\x60<>&;,(){}\[\]|`;
/** Without a dot, as in a program's `token = parser.next2`. */
const valueWord = `${bare}.`;
/** References and earlier redactions are no values. */
const noReference = String.raw`(?!\[redacted:|[$<{(*%])`;

/** JSON within JSON escapes its quotes. */
const assigns = String.raw`(?:\\?["'])?\s{0,4}[:=]\s{0,4}`;

const passwords = ["password", "passwd", "passphrase", "passcode"];
const keys = [
  "secret",
  "token",
  "api_key",
  "apikey",
  "api-key",
  "access_key",
  "accesskey",
  "private_key",
  "privatekey",
];

/**
 * Values that a name before them marks as secret, as in files and command lines: `DB_PASSWORD=…`, `"password": "…"`,
 * `api_key: …`, `--token …`, docker's `auth`, .netrc, .pgpass. Programs and documents use such names too: unless the
 * name is a password variable in capitals, the value needs a digit, or between quotes a mark.
 */
export const namedSecrets: readonly TokenShape[] = [
  // A program's name continues in lower case.
  ...both(passwords, "(?<![A-Za-z0-9])(?:[A-Z0-9]{1,32}_){0,6}[A-Z0-9]{0,16}?(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE)="),
  ...both(["_pass", "_pwd"], "(?<![A-Za-z0-9])(?:[A-Z0-9]{1,32}_){1,6}(?:PASS|PWD)="),
  value(passwords, `(?:${names(passwords)})${assigns}\\\\?["']`, quoted, "[0-9!#$%*+=@^_~.-]"),
  value(passwords, `(?:${names(passwords)})${assigns}`, valueWord, "[0-9]"),
  value(keys, `(?:${names(keys)})${assigns}\\\\?["']`, quoted, "[0-9]"),
  value(keys, `(?:${names(keys)})${assigns}`, valueWord, "[0-9]"),
  ...both([...passwords, ...keys], `--[a-z0-9-]{0,24}(?:${names([...passwords, ...keys])})[= ]`, "[0-9]"),
  value(["auth"], String.raw`["'\s]${anyCase("auth")}["']?\s{0,4}:\s{0,4}["']`, "A-Za-z0-9+/=", "[0-9=]", 12),
  value(["password"], String.raw`(?:login|user|account)\s{1,8}\S{1,100}\s{1,8}password\s{1,8}`, bare),
  value([":5432:", ":*:"], String.raw`[\w.*-]{1,100}:(?:5432|\*):[\w.*-]{1,63}:[\w.*-]{1,63}:`, bare),
];

/** With quotes and without; the value must contain `needed`. */
function both(needles: readonly string[], before: string, needed = ""): TokenShape[] {
  return [value(needles, `${before}\\\\?["']`, quoted, needed), value(needles, before, bare, needed)];
}

function value(needles: readonly string[], before: string, characters: string, needed = "", atLeast = 8): TokenShape {
  const condition = needed === "" ? "" : `(?=[${characters}]{0,511}?${needed})`;
  const source = `(?<=${before})${noReference}${condition}[${characters}]{${atLeast},512}`;
  return { shape: "named", needles, anyCase: true, source, tail: characters };
}
