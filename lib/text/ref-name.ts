/** Git writes NAME.lock, and file names have at most 255 bytes. */
const mostBytes = 250;

/** In words that follow "it", by git-check-ref-format(1) and a bound on length. */
export function problemOfRefName(name: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const wrong = /[\x00-\x20\x7f~^:?*[\\]/.exec(name)?.[0];
  if (wrong !== undefined) return `contains ${nameCharacter(wrong)}`;
  if (name.includes("..")) return "contains `..`";
  if (name.includes("@{")) return "contains `@{`";
  if (name.endsWith(".")) return "ends with a dot";
  const parts = name.split("/");
  if (parts.includes("")) return "has an empty part beside a slash";
  if (parts.some((part) => part.startsWith("."))) return "has a part that begins with a dot";
  if (parts.some((part) => part.endsWith(".lock"))) return "has a part that ends with `.lock`";
  // Lone surrogates would be replaced, so that two of them coincide.
  if (/\p{Cs}/u.test(name)) return "contains half of a character";
  const bytes = Buffer.byteLength(name);
  return bytes > mostBytes ? `has ${bytes} bytes as a ref; the most is ${mostBytes}` : null;
}

/** A branch must not look like an option of git either. */
export function problemOfBranch(branch: string): string | null {
  if (branch.startsWith("-")) return "begins with a hyphen";
  return branch === "HEAD" ? "is the word HEAD" : problemOfRefName(`refs/heads/${branch}`);
}

/** `main` for `refs/heads/main`; other refs unchanged. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

function nameCharacter(character: string): string {
  if (character === " ") return "a space";
  return character < " " || character === "\x7f" ? "a control character" : `\`${character}\``;
}
