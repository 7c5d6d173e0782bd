import { aboveRows } from "./above-rows.ts";
import { settingRows } from "./setting-rows.ts";

const known = new Set([
  ...[...settingRows, ...aboveRows].flatMap(({ tools }) => tools ?? []),
  // Those that only a part of a file is for.
  ..."eslint xo standard prettier stylelint knip clippy tox mypy flake8 pylint isort pycodestyle pydocstyle".split(" "),
  ..."ruff black bandit pyright basedpyright pyrefly ty".split(" "),
]);

/** Those of the words that have settings of their own. */
export function knownTools(words: ReadonlySet<string>): string[] {
  return [...words].filter((word) => known.has(word)).sort();
}
