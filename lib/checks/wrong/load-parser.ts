import type { Parser } from "@lezer/common";
import type { Language } from "./grammars.ts";

const loaders: Readonly<Record<Language, (end: string) => Promise<Parser>>> = {
  javascript: async (end) => {
    const dialect = [/^\.[mc]?ts|^\.tsx/.test(end) ? "ts" : "", /x$|^\.js/.test(end) ? "jsx" : ""].join(" ").trim();
    const { parser } = await import("@lezer/javascript");
    return parser.configure({ dialect });
  },
  python: async () => (await import("@lezer/python")).parser,
  go: async () => (await import("@lezer/go")).parser,
  rust: async () => (await import("@lezer/rust")).parser,
  java: async () => (await import("@lezer/java")).parser,
  cpp: async () => (await import("@lezer/cpp")).parser,
  php: async () => (await import("@lezer/php")).parser,
};

/**
 * The parser of a language; `end` is that of the file's name, with the dot. The build puts this module and the grammars
 * into dist/grammars.cjs, so that only a command that makes wrong versions pays for them.
 */
export async function loadParser(language: Language, end: string): Promise<Parser> {
  return await loaders[language](end);
}
