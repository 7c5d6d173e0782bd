import { dirname } from "node:path";
import { parseObject } from "../../text/json-object.ts";
import { readRepoText } from "./manifests.ts";
import { namedFile } from "./places.ts";
import type { WatchedThing, WatchInput } from "./record.ts";
import { fileOf } from "./settings.ts";
import { loadsBeside } from "./test-modules.ts";
import { isCode, isForeign, testClass } from "./test-paths.ts";

const runners = /(?:^|[/.#])(?:jest|vitest|vite|ava|mocha|mocharc|taprc|playwright|cypress|karma|wdio|jasmine)\b[^/]*$/;
/** What such settings load before the tests: one word, a list, or the lines of one. */
const loaded =
  /\b(?:setupFiles\w*|global(?:Setup|Teardown)|require|import)["']?\s*[:=]\s*(\[[^\]]{0,2000}|[^\n,]{0,300}(?:\n[ \t]*- [^\n]{0,300}){0,50})/g;
const word = /[\w@.+-]*(?:\/[\w@.+-]+)+|[\w@.+-]+\.\w+/g;
const ends = ["", ".js", ".ts", ".mjs", ".cjs", ".mts", ".tsx"];
/** Where work is, unless the rest of the path says otherwise. */
const work = /(?:^|\/)(?:src|lib|app|bin)\/(?!.*(?:setup|test|mock))/i;

/**
 * The code of the repo that settings of test runners load before the tests, such as `config/globals.js`, and that no source
 * beside or above it loads: repo paths.
 */
export function findSetupFiles({ repo, entries }: WatchInput, settings: readonly WatchedThing[]): string[] {
  const named = settings.flatMap(({ name }) => {
    const file = fileOf(name);
    const all = runners.test(name) ? readRepoText(repo, file) : null;
    const text = all === null || file === name ? all : JSON.stringify(parseObject(all)?.[name.slice(file.length + 1)]);
    const values = [...(text ?? "").matchAll(loaded)].map(([, value = ""]) => value.replaceAll("<rootDir>/", "./"));
    const words = values.flatMap((value) => value.match(word) ?? []);
    return words.flatMap((one) =>
      [dirname(file), ""].flatMap((folder) => ends.flatMap((end) => namedFile(repo, folder, one + end) ?? [])),
    );
  });
  const found = [...new Set(named)];
  const own = new Set([...found, ...settings.map(({ name }) => fileOf(name))]);
  const isSource = (path: string) => isCode(path) && testClass(path) === null && !own.has(path);
  const isLoaded = (path: string) =>
    [...entries.keys()]
      .filter((one) => path.startsWith(`${dirname(one)}/`) && isSource(one))
      .some((one) => loadsBeside({ path: one, text: readRepoText(repo, one) ?? "" }, path));
  return found.filter((path) => isCode(path) && !isForeign(path) && !work.test(path) && !isLoaded(path));
}
