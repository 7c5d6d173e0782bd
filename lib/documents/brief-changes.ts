import { isDeepStrictEqual } from "node:util";
import { frontMatterOf } from "./brief.ts";

/**
 * What differs between two briefs: the keys of the front matter, sorted, and `text` if what is below it differs.
 * Null if one of them cannot be read.
 */
export function briefChanges(before: Buffer, after: Buffer): string[] | null {
  const [was, now] = [frontMatterOf(before), frontMatterOf(after)];
  if (was === null || now === null) return null;
  const names = [...new Set([...Object.keys(was.keys), ...Object.keys(now.keys)])].sort();
  const keys = names.filter((name) => !isDeepStrictEqual(was.keys[name], now.keys[name]));
  return was.body === now.body ? keys : [...keys, "text"];
}
