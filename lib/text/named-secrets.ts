import { anyCase, names, type TokenShape } from "./token-shapes.ts";

/** Characters of a value with and without quotes, as in a character class. */
const quoted = String.raw`^"'\\\n\r`;
const bare = String.raw`^\s"'\\\x60<>&;,(){}\[\]|`;
/** Without a dot, as in a program's `token = parser.next2`. */
const word = `${bare}.`;
/** References and earlier redactions are no values. */
const noReference = String.raw`(?!\[redacted:|[$<{(*%])`;

/** JSON within JSON escapes its quotes. */
const gives = String.raw`(?:\\?["'])?\s{0,4}[:=]\s{0,4}`;

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
  value(passwords, `(?:${names(passwords)})${gives}\\\\?["']`, quoted, "[0-9!#$%*+=@^_~.-]"),
  value(passwords, `(?:${names(passwords)})${gives}`, word, "[0-9]"),
  value(keys, `(?:${names(keys)})${gives}\\\\?["']`, quoted, "[0-9]"),
  value(keys, `(?:${names(keys)})${gives}`, word, "[0-9]"),
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
