/** No `helper::…`, which is a program; no unknown scheme, option or control character. */
export function isPlainUrl(url: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (url === "" || url.startsWith("-") || /[\x00-\x1f\x7f]/.test(url) || /^[A-Za-z0-9+.-]*::/.test(url)) return false;
  const scheme = schemeOf(url);
  return scheme === null || ["https", "http", "ssh", "git", "file"].includes(scheme);
}

/** In words that follow the key's name. Messages never quote the text, since it may contain a password. */
export function problemOfSharedUrl(url: string): string | null {
  if (!isPlainUrl(url)) return "must be the URL of a repository";
  const scheme = schemeOf(url);
  if (scheme === null) {
    if (/^[^/]*:[^/]*@/.test(url)) return holdsSecret;
    return url.startsWith("/") || /^[^/]+:./.test(url) ? null : "must be a URL or an absolute path";
  }
  const user = /^[^/]*@/.exec(url.slice(`${scheme}://`.length))?.[0];
  const isWeb = scheme === "http" || scheme === "https";
  if (user !== undefined && (isWeb || user.includes(":"))) return holdsSecret;
  return isWeb && /[?#]/.test(url) ? holdsSecret : null;
}

const holdsSecret = "must not contain a user name, password, query or fragment: many people read this file";

function schemeOf(url: string): string | null {
  return /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url)?.[1]?.toLowerCase() ?? null;
}
