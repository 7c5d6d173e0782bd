import { dirname } from "node:path";
import { parseObject } from "../../text/json-object.ts";
import { readRepoText } from "./manifests.ts";
import { namedFile } from "./places.ts";
import type { WatchedThing, WatchInput } from "./record.ts";
import { fileOf } from "./settings.ts";
import { isCode, isForeign } from "./test-paths.ts";

const runners = /(?:^|[/.#])(?:jest|vitest|vite|ava|mocha|mocharc|taprc|playwright|cypress|karma|wdio|jasmine)\b[^/]*$/;
/** What such settings load before the tests: one word, a list, or the lines of one. */
const loaded =
  /\b(?:setupFiles\w*|global(?:Setup|Teardown)|require|import)["']?\s*[:=]\s*(\[[^\]]{0,2000}|[^\n,]{0,300}(?:\n[ \t]*- [^\n]{0,300}){0,50})/g;
const word = /[\w@.+-]*(?:\/[\w@.+-]+)+|[\w@.+-]+\.\w+/g;
const ends = ["", ".js", ".ts", ".mjs", ".cjs", ".mts", ".tsx"];
/** Where work is, unless the rest of the path says otherwise. */
const work = /^(?:packages\/[^/]+\/)?(?:src|lib|app|bin)\/(?!.*(?:setup|test|mock))/i;

/** The code of the repo that settings of test runners load before the tests, such as `config/globals.js`: repo paths. */
export function findSetupFiles({ repo }: WatchInput, settings: readonly WatchedThing[]): string[] {
  const found = settings.flatMap(({ name }) => {
    const file = fileOf(name);
    const all = runners.test(name) ? readRepoText(repo, file) : null;
    const text = all === null || file === name ? all : JSON.stringify(parseObject(all)?.[name.slice(file.length + 1)]);
    const values = [...(text ?? "").matchAll(loaded)].map(([, value = ""]) => value.replaceAll("<rootDir>/", "./"));
    const words = values.flatMap((value) => value.match(word) ?? []);
    return words.flatMap((one) =>
      [dirname(file), ""].flatMap((folder) => ends.flatMap((end) => namedFile(repo, folder, one + end) ?? [])),
    );
  });
  return found.filter((path) => isCode(path) && !isForeign(path) && !work.test(path));
}
