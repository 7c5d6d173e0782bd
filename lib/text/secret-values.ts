import { orElse } from "./attempt.ts";
import { withoutMarks } from "./terminal-marks.ts";

/** Shorter values would hit ordinary words. */
const shortestSecret = 8;
/** Longer values are searched in pieces, so that a stream holds back little. */
const longestPiece = 8192;
/** A line of a longer value, or a URL's password, counts only if it looks like a secret. */
const tellingPart = /^(?=.*[A-Za-z])(?=.*\d)\S{12,}$/;

const secretPart =
  /^(?:.*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSCODE|PASSPHRASE|CREDENTIAL)S?|(?:.*(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION|AUTH))?KEYS?|AUTH|AUTHORIZATION|BEARER|COOKIE|JWT|MNEMONIC|PASS|PWD|PAT|CREDS?)$/;
/** Last words of names for a place or label. */
const placePart = /^(?:PATHS?|FILES?|FILENAME|DIR|FOLDER|HOME|SOCK|SOCKET|HOST|PORT|URL|URI|ENDPOINT|NAME|TYPE|TTL)$/;
/** Words of names for an amount, such as `MAX_OUTPUT_TOKENS`, if the value is a number. */
const amountPart = /^(?:AGE|BUDGET|COUNT|EXPIRY|LENGTH|LIMIT|MAX|MIN|NUM|NUMBER|SIZE|TIMEOUT|TOTAL|WINDOW)$/;
const publicNames = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK", "GOOGLE_APPLICATION_CREDENTIALS"]);

export function namesSecret(name: string): boolean {
  if (publicNames.has(name.toUpperCase())) return false;
  const parts = wordsOf(name);
  const last = parts.at(-1);
  if (last === undefined || placePart.test(last)) return false;
  return parts.some((part) => secretPart.test(part));
}

/**
 * Secret values of an environment, also as JSON, HTML, URLs and base64 write them, longest first so that none cuts
 * another. A URL's password counts under any name if it looks like a secret.
 */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  const values = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const secrets = isSecret(name, value) ? [value.trim(), ...linesOf(value)] : passwordsOf(value);
    for (const form of secrets.flatMap(formsOf)) {
      for (let at = 0; at < form.length; at += longestPiece) {
        const piece = form.slice(at, at + longestPiece);
        if (piece.length >= shortestSecret) values.add(piece);
      }
    }
  }
  return [...values].sort((left, right) => right.length - left.length || (left < right ? -1 : 1));
}

function isSecret(name: string, value: string): boolean {
  const isAmount = /^\d+$/.test(value.trim()) && wordsOf(name).some((part) => amountPart.test(part));
  return namesSecret(name) && !isAmount;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((part) => part !== "");
}

/** A diff or quote puts its marks before each line. */
function linesOf(value: string): string[] {
  const lines = value.trim().split(/\r?\n/);
  return lines.length === 1 ? [] : lines.map((line) => line.trim()).filter((line) => tellingPart.test(line));
}

function passwordsOf(value: string): string[] {
  const password = /^[A-Za-z][A-Za-z0-9+.-]{0,40}:\/\/[^\s/:@]{0,256}:([^\s/]{12,512})@/.exec(value.trim())?.[1] ?? "";
  const decoded = orElse(() => decodeURIComponent(password), password);
  return [password, decoded].filter((text) => tellingPart.test(text));
}

function formsOf(value: string): string[] {
  if (value.length < shortestSecret) return [];
  const bytes = Buffer.from(value, "utf8");
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(bytes.toString("utf8"));
  return [
    value,
    // For a file read byte by byte.
    bytes.toString("latin1"),
    json,
    json.replace(/[^ -~]|[<>&]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
    json.replaceAll("/", "\\/"),
    url,
    // Every mark encoded, as in links of the evidence.
    url.replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    new URLSearchParams({ "": value }).toString().slice(1),
    ...["'", "&#39;", "&#x27;"].map((quote) => inHtml(value, quote)),
    withoutMarks(value),
    ...base64Of(bytes),
  ];
}

function inHtml(value: string, quote: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", quote);
}

/** Base64 turns three bytes into four characters: the position decides between three forms. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    // Only characters that depend on the value alone.
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
