import { orElse } from "./attempt.ts";

/**
 * A normalized https or http address without a final slash. Null for anything but a host and plain path segments, such
 * as a user, query, fragment or dot segment: repairing it would link another address than the one written.
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

/** Null for an absolute or empty path, or one that leaves its folder. */
export function encodePath(path: string): string | null {
  return joinSegments(null, path.split("/"));
}

function joinSegments(before: string | null, segments: readonly string[]): string | null {
  // A lone surrogate has no bytes, so it is in no file's name.
  if (segments.some((segment) => /^\.{0,2}$|\p{Surrogate}/u.test(segment))) return null;
  return [...(before === null ? [] : [before]), ...segments.map(encodeAll)].join("/");
}

/** Encodes what has meaning in addresses or Markdown: all but letters, digits, `.`, `_`, `-` and `~`. */
function encodeAll(segment: string): string {
  const code = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(segment).replace(/[!'()*]/g, code);
}

/** Null for illegal percent-encoding or a control character. */
function decodeAll(path: string): string[] | null {
  if (path === "") return [];
  const segments = orElse(() => path.split("/").map(decodeURIComponent), null);
  return segments?.some((segment) => /\p{Cc}/u.test(segment)) === true ? null : segments;
}
