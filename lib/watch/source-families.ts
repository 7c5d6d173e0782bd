/** How a family of languages writes comments and strings. */
export interface SourceFamily {
  /** Finds the next comment or string: a match with the group `comment` is one. */
  readonly next: RegExp;
  /** A block comment may hold another one. */
  readonly nests: boolean;
  /** Template strings with code in them, and patterns between slashes. */
  readonly script: boolean;
}

/** What is never closed goes on to the end of its line, so that one odd quote does not hide the rest of the file. */
const double = String.raw`"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?`;
const single = double.replaceAll('"', "'");
const longDouble = String.raw`"[^"\\]*(?:\\[\s\S][^"\\]*)*"`;
const longSingle = longDouble.replaceAll('"', "'");
/** No more than one character: what stands after a quote alone is a lifetime in Rust. */
const character = String.raw`'(?:\\[^'\n]{1,12}|[^'\\\n])'`;
const triple = String.raw`"""[\s\S]*?(?:"""|$(?![\s\S]))`;
const singleTriple = triple.replaceAll('"', "'");
const slashes = String.raw`\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))`;
const hash = String.raw`#[^\n]*`;

function family(comment: string, strings: readonly string[], more: Partial<SourceFamily> = {}): SourceFamily {
  return {
    next: new RegExp(`(?<comment>${comment})|${strings.join("|")}`, "gm"),
    nests: false,
    script: false,
    ...more,
  };
}

export const families = {
  script: family(slashes, [double, single, "`", "[{}/]"], { script: true }),
  python: family(hash, [triple, singleTriple, double, single]),
  go: family(slashes, ["`[^`]*`?", double, character]),
  java: family(slashes, [triple, double, character]),
  rust: family(slashes, [String.raw`\br(?<marks>#{0,3})"(?:[\s\S]*?"\k<marks>|[\s\S]*)`, longDouble, character], {
    nests: true,
  }),
  swift: family(slashes, [triple, double], { nests: true }),
  sharp: family(slashes, [String.raw`\$?@\$?"(?:[^"]|"")*"`, triple, double, character]),
  // From PHP 8 on `#[` opens an attribute.
  php: family(String.raw`${slashes}|#(?!\[)[^\n]*`, [longDouble, longSingle]),
  dart: family(slashes, [triple, singleTriple, double, single]),
  ruby: family(String.raw`^=begin\b[\s\S]*?(?:^=end\b[^\n]*|$(?![\s\S]))|${hash}`, [double, single]),
  elixir: family(hash, [triple, singleTriple, double]),
  // `$#` and `a#b` open no comment.
  shell: family(String.raw`(?<![^\s;&|()])#[^\n]*`, [longDouble, "'[^']*'"]),
} as const satisfies Readonly<Record<string, SourceFamily>>;
