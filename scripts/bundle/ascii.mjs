// esbuild writes ASCII in strings, but leaves regular expressions and tagged templates as they stand in the source.

/**
 * The code with `\uXXXX` for every character beyond ASCII: the same code in a regular expression and in the cooked text
 * of a template. Throws where that would change what it says: behind a backslash.
 */
export function toAscii(code) {
  return code.replace(/[^\0-\x7f]+/g, (text, at) => {
    const slashes = /\\*$/.exec(code.slice(Math.max(0, at - 100), at))[0].length;
    if (slashes % 2 === 1) throw new Error(`cannot write ${shown(code, at)} in ASCII: a backslash is before ${text}`);
    return text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  });
}

/** Throws if a template that is read raw holds a character beyond ASCII, which no escape can stand for. */
export function requireAsciiRaw(path, text) {
  const found = /\b(?:String\.)?raw\s*`(?:\\[\s\S]|[^`\\])*?(?<beyond>[^\0-\x7f])/.exec(text);
  if (found !== null) throw new Error(`${path}: a raw template holds ${found.groups.beyond}; write \\u in a string`);
}

/** Throws if a file that is shipped holds a byte beyond ASCII. */
export function requireAscii(path, text) {
  const at = text.search(/[^\0-\x7f]/);
  if (at >= 0) throw new Error(`${path} holds a character beyond ASCII: ${shown(text, at)}`);
}

function shown(text, at) {
  return JSON.stringify(text.slice(Math.max(0, at - 30), at + 10));
}
