import { type ChangedFile, keptLines } from "../wrong/changed-lines.ts";

const call = String.raw`(?:\((?:[^()]|\([^()]*\))*\))?`;
const decorator = String.raw`^[ \t]*@(?:(?:pytest\.)?mark\.xfail${call}|(?:unittest\.)?expectedFailure)[ \t]*\r?\n`;

/** How a test says that it has to fail, by the names of files; `plain`: what is there without that, if anything. */
const marks: readonly { readonly of: RegExp; readonly mark: RegExp; readonly plain?: (mark: string) => string }[] = [
  { of: /\.py$/, mark: new RegExp(decorator, "gm") },
  { of: /\.py$/, mark: new RegExp(String.raw`,\s*marks=(?:pytest\.)?mark\.xfail${call}(?=\s*[,)])`, "g") },
  { of: /\.rb$/, mark: /^[ \t]*pending(?:[ (](?:"[^"\n]*"|'[^'\n]*')\)?)?[ \t]*\r?\n/gm },
  { of: /\.rb$/, mark: /,[ \t]*(?::pending|pending: *(?:true|"[^"\n]*"|'[^'\n]*'))(?=[ \t]*(?:,|do\b|\{|\)))/g },
  {
    of: /\.rb$/,
    mark: /^[ \t]*pending(?=[ (]["'][^\n]*(?:\bdo|\{)[ \t]*\r?$)/gm,
    plain: (mark) => mark.replace("pending", "it"),
  },
  {
    of: /\.[cm]?[jt]sx?$/,
    mark: /\b(?:test|it)\.(?:failing|fails)\b/g,
    plain: (mark) => mark.slice(0, mark.indexOf(".")),
  },
];

/**
 * Tests of pass 1 without the marks of a known failure that the present ones dropped: runners refuse a test that passes in
 * spite of its mark. One that names what has to be raised is a test of its own, and stays. `paths`: those that are taken as
 * at pass 1. By path, only those that differ.
 */
export function withoutEndedFailures(files: readonly ChangedFile[], paths: readonly string[]): Map<string, string> {
  return new Map(
    files.flatMap(({ path, text, before }): [string, string][] => {
      if (before === null || !paths.includes(path)) return [];
      const own = marks.filter(({ of }) => of.test(path));
      const plain = own.reduce((old, { mark, plain = () => "" }) => endMarks(old, text, mark, plain), before);
      return plain === before ? [] : [[path, plain]];
    }),
  );
}

function endMarks(old: string, text: string, mark: RegExp, plain: (mark: string) => string): string {
  if (old.search(mark) < 0) return old;
  const lines = old.split("\n");
  const kept = keptLines(text.split("\n"), lines);
  return old.replace(mark, (found, at: number) => {
    const first = old.slice(0, at).split("\n").length - 1;
    const own = lines.slice(first, first + found.trimEnd().split("\n").length);
    const isDropped = own.every((_line, index) => !kept.has(first + index));
    return isDropped && !/\braises\b/.test(found) ? plain(found) : found;
  });
}
