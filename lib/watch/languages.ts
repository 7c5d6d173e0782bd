import type { Language } from "./language.ts";
import { moreLanguages } from "./languages-more.ts";
import { scriptLanguages } from "./languages-script.ts";
import { typedLanguages } from "./languages-typed.ts";

/** One row a language. */
export const languages: readonly Language[] = [...scriptLanguages, ...typedLanguages, ...moreLanguages];

/** The language of a file by the last part of its path; null where the table has none. */
export function languageOf(baseName: string): Language | null {
  return languages.find(({ files }) => files.test(baseName)) ?? null;
}
