import { extname } from "node:path";
import { otherPart, wrongStrings } from "./line-edits.ts";
import { type LineVersion, swaps } from "./line-versions.ts";

/** Sources and data without a grammar here, whose lines can be made wrong all the same. */
const scripts =
  /\.(?:sh|bash|zsh|bats|mk|rb|rake|p[lm]|psgi|lua|[rR]|ex|exs|kt|kts|scala|swift|cs|fs|dart|groovy|vue|svelte)$|(?:^|\/)(?:GNU)?[Mm]akefile$|(?:^|\/)Rakefile$/;
const data = /\.(?:json|csv|tsv|sql|proto|graphql)$/;
const numbers = /(?<![\w.$])\d+(?![\w.])/g;
const strings = /"(?:[^"\\\n]|\\.)+"|'(?:[^'\\\n]|\\.)+'/g;
/** In shell and make these are redirections, patterns and commands. */
const withOperators = /\.(?:rb|rake|p[lm]|psgi|lua|[rR]|exs?|kts?|scala|swift|cs|fs|dart|groovy)$|(?:^|\/)Rakefile$/;
/** Between spaces, so that no part of another operator, a type or a pattern is one. */
const operators = /(?<=\s)(?:[-+]=?|[*/%]|\*\*|[=!]==?|~=|[<>]=?|&&|\|\||and|or|eq|ne)(?=\s)/g;
/** The class that a class comes from. */
const superclass = /^\s*class\s.*/;
/**
 * Comments and strings, of several lines too, by the names of files: what looks like an operator there is none. One that never
 * ends takes the rest.
 */
const withoutCode: readonly (readonly [files: RegExp, text: RegExp])[] = [
  [
    /\.(?:rb|rake|p[lm]|psgi|[rR]|exs?)$|(?:^|\/)Rakefile$/,
    /<<(?:[-~](?=["'`\w])|(?=["'A-Z_]))(["'`]?)(\w+)\1[^\n]*\n[\s\S]*?(?:^[ \t]*\2$|(?![\s\S]))|"""[\s\S]*?(?:"""|(?![\s\S]))|(?<!\S)#.*|'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\]|\\[\s\S])*"?/gm,
  ],
  [/\.lua$/, /(?:--)?\[(=*)\[[\s\S]*?(?:\]\1\]|(?![\s\S]))|--.*|'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?/g],
  [
    /\.(?:kts?|scala|swift|cs|fs|dart|groovy)$/,
    /("""|''')[\s\S]*?(?:\1|(?![\s\S]))|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|\/\/.*|@"(?:[^"]|"")*"?|'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?/g,
  ],
];
/** Ruby and Perl: a line that begins with `@` is a statement, and not an annotation or a silent command. */
const withSigils = /\.(?:rb|rake|p[lm]|psgi)$|(?:^|\/)Rakefile$/;
/**
 * Documentation of several lines, by the names of files; in Ruby and Perl also the text after the end of the program. One
 * that never ends takes the rest, since a search for each end that is missing would take minutes.
 */
const documentation: readonly (readonly [files: RegExp, text: RegExp])[] = [
  [/\.(?:rb|rake)$|(?:^|\/)Rakefile$/, /^=begin\b[\s\S]*?(?:^=end\b.*$|(?![\s\S]))|^__END__$[\s\S]*(?![\s\S])/gm],
  [/\.(?:p[lm]|psgi)$/, /^=[a-z][\s\S]*?(?:^=cut\b.*$|(?![\s\S]))|^__(?:END|DATA)__$[\s\S]*(?![\s\S])/gm],
  [/\.(?:kts?|scala|swift|cs|dart|groovy|vue|svelte|sql|proto)$/, /^[ \t]*\/\*[\s\S]*?(?:\*\/|(?![\s\S]))/gm],
  [/\.fs$/, /^[ \t]*\(\*(?!\))[\s\S]*?(?:\*\)|(?![\s\S]))/gm],
  [/\.(?:vue|svelte)$/, /^[ \t]*<!--[\s\S]*?(?:-->|(?![\s\S]))/gm],
  [/\.lua$/, /^[ \t]*--\[(=*)\[[\s\S]*?(?:\]\1\]|(?![\s\S]))/gm],
  [/\.exs?$/, /^[ \t]*@\w*doc\s+(?:~[sS])?"""[\s\S]*?(?:"""|(?![\s\S]))/gm],
  [/\.graphql$/, /"""[\s\S]*?(?:"""|(?![\s\S]))/g],
];
/** A line that a script can do without, and still be one. */
const droppable =
  /^\s*(?![#@}\])]|\/\/|(?:then|else|elif|fi|do|done|esac|end|case|if|unless|for|while|until|repeat|begin|function|def(?:p|macrop?|module)?|class|module)\b|(?:my|our|state)\s*[$@%(]|(?:sub|package)\s+\w|(?:use|no)\s.*;$)\S.*[^\\{([,|&]$/;
/** A function of Perl on one line. */
const ownLine = /^(\s*sub\s+\w+\s*\{)(.*\S.*)\}\s*$/;
/** It opens a block that ends on another line. */
const opening =
  /(?:(?<![\w.:$])(?:do|begin)|[-=]>|\bfunction\b[^()]*\([^()]*\))\s*$|=\s*(?:if|unless|case|while|until|for)\b(?!.*\b(?:end\b|do:))/;
/** Ruby, Elixir: what is put into a string, which may have strings of its own. */
const nested = /#\{(?:[^{}]|\{[^{}]*\})*\}/g;
/** String interpolation in the common languages, including names with parts taken out of them. */
const holes =
  /(?<!\\)(?:[#$@]\{(?:[^{}]|\{[^{}]*\})*\}|[$\\]\((?:[^()]|\([^()]*\))*\)|\$\w+(?:(?:->)?(?:\{[^{}]*\}|\[[^[\]]*\]))*)/g;

/** Languages in which a function gives what its last line comes to. */
const givesLast = /\.(?:rb|rake|exs?|p[lm]|psgi|[rR]|scala)$/;
/** A longer one is data. */
const longestLine = 1_000;
/** A line that only computes, and changes nothing. */
const computes =
  /^\s*(?!.*(?:<<|(?<![=!<>])=(?![=~>])|\w!))(?:\(?[\w@$"'[{][^;]*\s(?:[-+*/%<>]|%[^%\s]{1,9}%|[<>=!]=|&&|\|\|)\s[^;]*|[\w@$.]+|"[^"]*"|\[.*\]);?$/;

/** Whether the lines of a file without a grammar can be made wrong. */
export function isPlainSource(path: string, text: string): boolean {
  return scripts.test(path) || data.test(path) || (extname(path) === "" && text.startsWith("#!"));
}

/** The versions of a file that is read line by line: a number, a string, an operator, or a line of a script that is left out. */
export function listPlainVersions(path: string, text: string, changed: ReadonlySet<number>): LineVersion[] {
  const found: LineVersion[] = [];
  let start = 0;
  const without = (all: string, [files, block]: readonly [RegExp, RegExp]) =>
    files.test(path) ? all.replace(block, blank) : all;
  const code = documentation.reduce(without, text);
  const lines = code.split("\n");
  const operations = withoutCode.reduce(without, code.replace(nested, blank)).split("\n");
  for (const [index, whole] of lines.entries()) {
    const line = whole.replace(/\r$/, "");
    if (changed.has(index + 1) && !/^\s*(?:#|\/\/|--|1;$)/.test(line))
      found.push(...versionsOf(path, line, index + 1, start, lines, operations[index] ?? ""));
    start += whole.length + 1;
  }
  return found;
}

function versionsOf(
  path: string,
  line: string,
  number: number,
  start: number,
  lines: readonly string[],
  operations: string,
): LineVersion[] {
  const next = () => {
    let at = number;
    while (lines[at]?.trim() === "") at += 1;
    return lines[at] ?? "";
  };
  // Without its result a function gives nothing, as an emptied one does.
  const isResult =
    /^\s*return\b/.test(line) ||
    (givesLast.test(path) && line.length <= longestLine && computes.test(line) && /^\s*(?:end\b|\})/.test(next()));
  const gone = isResult ? "nothing" : "dropped";
  const version = (at: number, was: string, made: string, change: LineVersion["change"] = "value"): LineVersion => ({
    line: number,
    was: was.trim(),
    made: made.trim() === "" ? "nothing" : made,
    edit: { from: start + at, to: start + at + was.length, text: made },
    change,
  });
  const found = [
    ...[...line.matchAll(numbers)].map((match) => version(match.index, match[0], String(BigInt(match[0]) + 1n))),
    ...[...line.replace(nested, blank).matchAll(strings)].flatMap(({ index, 0: { length } }) => {
      const was = line.slice(index, index + length);
      const filled = data.test(path)
        ? []
        : [...was.matchAll(holes)].map(({ index: from, 0: hole }) => ({
            from,
            to: from + hole.length,
            text: otherPart,
          }));
      return wrongStrings(was, { from: 1, to: length - 1 }, filled).map((made) => version(index, was, made));
    }),
  ];
  if (withOperators.test(path) && line.length <= longestLine)
    for (const { index, 0: was } of operations.replace(strings, blank).replace(superclass, blank).matchAll(operators))
      found.push(version(index, was, swaps[was] ?? ""));
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  if (scripts.test(path) && isStatement(withSigils.test(path) ? line.replace(/^(\s*)@/, "$1_") : line))
    found.push(version(indent, line.slice(indent), ":".repeat(isShell(path)), gone));
  const [, head = "", body = ""] = ownLine.exec(line) ?? [];
  if (body !== "") found.push(version(head.length, body, " ", gone));
  return found;
}

/** Whether a line is a statement as a whole, which closes what it opens. */
function isStatement(line: string): boolean {
  const plain = line.replace(strings, "");
  const count = (brackets: RegExp) => plain.replace(brackets, "").length;
  return droppable.test(line) && !opening.test(plain) && count(/[([{]/g) === count(/[)\]}]/g);
}

function blank(part: string): string {
  return part.replace(/[^\n]/g, " ");
}

function isShell(path: string): number {
  return /\.(?:sh|bash|zsh|bats)$/.test(path) ? 1 : 0;
}
