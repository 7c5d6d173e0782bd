import { isUtf8 } from "node:buffer";

/** Unambiguous: UTF-8 as it is, else `//` and the bytes with all but printable ASCII as `\xNN`. */
export function pathKey(path: Buffer): string {
  return isUtf8(path) ? path.toString("utf8") : `//${escapeBytes(path)}`;
}

/** The inverse of `pathKey`. */
export function pathBytes(key: string): Buffer {
  if (!key.startsWith("//")) return Buffer.from(key);
  const text = key.slice(2).replace(/\\x([0-9a-f]{2})|\\\\/g, (_whole, hex: string | undefined) => {
    return hex === undefined ? "\\" : String.fromCharCode(Number.parseInt(hex, 16));
  });
  return Buffer.from(text, "latin1");
}

const slash = Buffer.from("/");

/** `folder/name` as bytes; the name alone if the folder is empty. */
export function joinBytes(folder: Buffer, name: Buffer): Buffer {
  if (folder.length === 0) return name;
  if (name.length === 0) return folder;
  return folder.at(-1) === slash[0] ? Buffer.concat([folder, name]) : Buffer.concat([folder, slash, name]);
}

/** The absolute bytes of a key's path in a folder. */
export function bytesIn(folder: string, key: string): Buffer {
  return joinBytes(Buffer.from(folder), pathBytes(key));
}

/** A folder as git begins the paths in it: its bytes as latin1, with a slash at its end; empty for the top. */
export function pathPrefix(folder: string): string {
  return folder === "" ? "" : `${Buffer.from(folder).toString("latin1")}/`;
}

function escapeBytes(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replaceAll("\\", "\\\\")
    .replace(/[^\x20-\x7e]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
