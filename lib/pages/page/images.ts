import { basename } from "node:path/posix";

export type ImageType = "png" | "jpeg" | "gif" | "webp";

/** Bytes of one picture that is in the page, of all together, and how many at most. */
export const imageLimits = { each: 400_000, all: 1_200_000, count: 30 } as const;

/** So many bytes tell what a file is. */
export const magicBytes = 12;

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const jpeg = Buffer.from([0xff, 0xd8, 0xff]);

/**
 * What kind of picture a file is by its first bytes, whatever its name says; null for all else. SVG is none: it can
 * hold scripts and addresses.
 */
export function imageTypeOf(start: Uint8Array): ImageType | null {
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, magicBytes));
  if (head.subarray(0, 8).equals(png)) return "png";
  if (head.subarray(0, 3).equals(jpeg)) return "jpeg";
  const text = head.toString("latin1");
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "gif";
  return text.startsWith("RIFF") && text.slice(8, 12) === "WEBP" ? "webp" : null;
}

/** Words for who cannot see the picture, from the name of its file: `shots/login-page.png` is `login page`. */
export function altOf(path: string): string {
  const name = basename(path).replace(/\.[A-Za-z0-9]{1,5}$/, "");
  return name.replace(/[-_.\s]+/g, " ").trim() || "picture without a name";
}

const kinds: readonly (readonly [kind: string, ending: RegExp])[] = [
  ["log", /\.(?:log|out|err)$/],
  ["patch", /\.(?:patch|diff)$/],
  ["JSON", /\.(?:json|jsonl|ndjson)$/],
  ["Markdown", /\.(?:md|markdown)$/],
  ["text", /\.(?:txt|csv|tsv|ya?ml|toml|xml|html?|tap|ini|conf|sh|sql|[cm]?[jt]sx?|py|css)$/],
];

/** The kind of an artifact in a word: by its bytes if it is a picture, else by the ending of its name. */
export function artifactKind(path: string, image: ImageType | null): string {
  if (image !== null) return "image";
  const name = path.toLowerCase();
  return kinds.find(([, ending]) => ending.test(name))?.[0] ?? "other";
}

/** True if a look at the first bytes can show a picture: no other ending names the file. */
export function couldBeImage(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)$/i.test(path) || !/\.[A-Za-z0-9]{1,8}$/.test(basename(path));
}
