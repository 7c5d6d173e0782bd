/**
 * The address of a file for a link, relative to the folder `from`; both are relative to the task folder, with `/`.
 * Every segment is percent-encoded, so that no name can bring a scheme, a host, a query or a fragment.
 * Null if the path is absolute, empty, or steps out of the task folder.
 */
export function relativeHref(path: string, from = ""): string | null {
  const target = path.split("/");
  if (target.at(-1) === "") target.pop();
  if (target.length === 0 || target.some((segment) => segment === "" || segment === "." || segment === ".."))
    return null;
  const base = from.split("/").filter((segment) => segment !== "");
  let shared = 0;
  while (shared < base.length && shared < target.length - 1 && base[shared] === target[shared]) shared += 1;
  const up = base.slice(shared).map(() => "..");
  return [...up, ...target.slice(shared).map(encodeName)].join("/");
}

function encodeName(name: string): string {
  return /^[A-Za-z0-9._-]+$/.test(name) ? name : encodeSegment(Buffer.from(name, "utf8"));
}

/** Percent-encodes every byte of one name but letters, digits, `.`, `_` and `-`. */
export function encodeSegment(name: Uint8Array): string {
  return [...name]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
