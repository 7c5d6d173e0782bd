/** Words of a text as a part of a folder's name: small letters and digits of any script, joined by dashes. */
export function slugOfTitle(title: string, most = 40): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  if ([...words].length <= most) return words;
  const cut = [...words].slice(0, most).join("");
  // At a whole word, unless the first one is longer than all that is kept.
  return cut.includes("-") ? cut.slice(0, cut.lastIndexOf("-")) : cut;
}

/** `US-001` and `Add a column` → `US-001-add-a-column`, with no character that a file system or a shell minds. */
export function folderName(id: string, title: string): string {
  const key = id
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  const name = [key, slugOfTitle(title)].filter((part) => part !== "").join("-");
  return cutBytes(name === "" ? "story" : name, 120);
}

/** The name, or the first free one of `name-2`, `name-3` …, ignoring case: some file systems do. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let count = 1; ; count += 1) {
    const tried = count === 1 ? name : `${name}-${count}`;
    if (!isTaken(tried.toLowerCase())) return tried;
  }
}

/** File systems bound names to 255 bytes. */
function cutBytes(text: string, most: number): string {
  let kept = "";
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > most) break;
    kept += character;
  }
  return kept.replace(/[-.]+$/, "");
}
