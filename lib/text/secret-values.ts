/** Shorter values would hit words of ordinary text. */
const shortestSecret = 8;
/** Longer values are looked for in pieces of this length, so that a stream holds back little. */
const longestPiece = 8192;

const secretPart =
  /^(?:.*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL)S?|(?:.*(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION|AUTH))?KEYS?|AUTH|PASS|PWD|PAT|CREDS?)$/;
/** The last word of names that hold a place or a label, not the secret itself. */
const placePart = /^(?:PATHS?|FILES?|FILENAME|DIR|FOLDER|HOME|SOCK|SOCKET|HOST|PORT|URL|URI|ENDPOINT|NAME|TYPE|TTL)$/;
const publicNames = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK", "GOOGLE_APPLICATION_CREDENTIALS"]);

/** True where a word of the variable's name says that its value is a secret. */
export function namesSecret(name: string): boolean {
  if (publicNames.has(name.toUpperCase())) return false;
  const parts = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((part) => part !== "");
  const last = parts.at(-1);
  if (last === undefined || placePart.test(last)) return false;
  return parts.some((part) => secretPart.test(part));
}

/**
 * The secret values of an environment, as they stand and as JSON and URLs write them, longest first so that a value
 * which is part of another one does not cut it.
 */
export function secretValues(env: NodeJS.ProcessEnv): string[] {
  const values = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !namesSecret(name)) continue;
    for (const form of forms(value.trim())) {
      for (let at = 0; at < form.length; at += longestPiece) {
        const piece = form.slice(at, at + longestPiece);
        if (piece.length >= shortestSecret) values.add(piece);
      }
    }
  }
  return [...values].sort((left, right) => right.length - left.length || (left < right ? -1 : 1));
}

function forms(value: string): string[] {
  if (value.length < shortestSecret) return [];
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(Buffer.from(value).toString())];
}
