/**
 * An https or http address written in one way, without a slash at its end: a host, and a path of plain segments.
 * Null for anything else, such as one with a user, a query, a fragment or a dot segment: no parser is asked to repair
 * it, since then another address would be linked than the one that is read.
 */
export function cleanWebAddress(text: string): string | null {
  const parts = /^(https?):\/\/([^\s/@?#\\%]+)(\/[\x21-\x7e]*)?$/i.exec(text);
  const [, scheme = "", host = "", path = ""] = parts ?? [];
  if (parts === null || /[@?#\\]/.test(path) || !URL.canParse(`${scheme}://${host}`)) return null;
  const url = new URL(`${scheme}://${host}`);
  if (!/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/.test(url.host)) return null;
  const segments = decodeAll(path.replace(/^\/|\/+$/g, ""));
  if (segments === null) return null;
  return segments.length === 0 ? url.origin : joinSegments(url.origin, segments);
}

/** The path of an address from a path with `/`; null if that is absolute, empty, or steps out of its folder. */
export function encodePath(path: string): string | null {
  return joinSegments(null, path.split("/"));
}

function joinSegments(before: string | null, segments: readonly string[]): string | null {
  // A lone half of a pair has no bytes of its own, so that no file's name can be meant.
  if (segments.some((segment) => /^\.{0,2}$|\p{Surrogate}/u.test(segment))) return null;
  return [...(before === null ? [] : [before]), ...segments.map(encodeAll)].join("/");
}

/** Everything but letters, digits, `.`, `_`, `-` and `~`: the others mean something in addresses or in Markdown. */
function encodeAll(segment: string): string {
  const code = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(segment).replace(/[!'()*]/g, code);
}

/** Null if something is not a percent-encoded text, or hides a control character. */
function decodeAll(path: string): string[] | null {
  if (path === "") return [];
  try {
    const segments = path.split("/").map(decodeURIComponent);
    return segments.some((segment) => /\p{Cc}/u.test(segment)) ? null : segments;
  } catch {
    return null;
  }
}
