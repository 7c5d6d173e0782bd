import { sha256 } from "../../text/sha256.ts";

/**
 * The name of a model's changelog. No two names share one, not even if upper and lower case are the same to the
 * file system: a name that is not a plain word, or that ends like a digest, gets some digits of its own.
 */
export function changelogName(model: string): string {
  const slug = model
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (slug === model && slug !== "" && !/(?:^|-)[0-9a-f]{12}$/.test(slug)) return `${slug}.md`;
  return `${[slug, sha256(model).slice(0, 12)].filter((part) => part !== "").join("-")}.md`;
}
