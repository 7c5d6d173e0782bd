import { isObject } from "../text/json-object.ts";
import { digestValue } from "./manifests.ts";
import { parseToml, type ReadParts, readSections } from "./setting-parts.ts";
import { splitShellCommands } from "./shell-commands.ts";

/** The settings by which pytest finds tests. */
const finders = [
  ..."testpaths python_files python_classes python_functions norecursedirs".split(" "),
  ..."collect_ignore collect_ignore_glob collect_imported_tests".split(" "),
];
/** Flags that leave tests out, or that take plugins, settings or hooks away. */
const hidingFlag =
  /^(?:-k|-m|-p|-c|-o)|^--(?:ignore|ignore-glob|deselect|co|collect-only|lf|last-failed|sw|stepwise|noconftest|config-file|override-ini|rootdir|confcutdir|import-mode|setup-only|setup-plan|no-cov|cov-fail-under|suppress-no-test-exit-code)(?:=|$)/;
const withValue =
  /^(?:-[kmpco]|--(?:ignore|ignore-glob|deselect|config-file|override-ini|rootdir|confcutdir|import-mode|cov-fail-under))$/;

/** Flags whose value may look like a path to tests. */
const takesText =
  /^-[kmpcoW]$|^--(?:cov|cov-config|cov-report|junit-?xml|basetemp|html|log-file|pythonwarnings|ignore|ignore-glob|deselect|config-file|rootdir|confcutdir)$/;

type Values = Readonly<Record<string, unknown>>;

/** Only the settings of an INI section that can hide tests; markers, warnings and the like are work. */
export function pytestSection(section: string): ReadParts {
  return (text) => hidingPart(section, readValues(readSections(text).get(section) ?? []));
}

/** The same of pyproject.toml and pytest.toml. */
export function pytestTable(path: string): ReadParts {
  return (text) => {
    let table: unknown = parseToml(text);
    if (!isObject(table)) return null;
    for (const key of path.split(".")) table = isObject(table) ? table[key] : undefined;
    if (!isObject(table)) return new Map();
    return hidingPart(path, { ...table, ...(isObject(table.ini_options) ? table.ini_options : {}) });
  };
}

function hidingPart(name: string, values: Values): Map<string, string> {
  const kept: [string, unknown][] = finders.flatMap((key) =>
    values[key] === undefined ? [] : [[key, wordsOf(values[key])]],
  );
  const flags = hidingFlags(wordsOf(values.addopts));
  if (flags.length > 0) kept.push(["addopts", flags]);
  return kept.length === 0 ? new Map() : new Map([[name, digestValue(Object.fromEntries(kept))]]);
}

/** Paths among the flags are what is run instead of everything. */
function hidingFlags(words: readonly string[]): string[] {
  return words.flatMap((word, index) => {
    if (hidingFlag.test(word)) return withValue.test(word) ? [word, words[index + 1] ?? ""] : [word];
    const isPath = /\/|::|\.py$/.test(word) && !word.startsWith("-");
    return isPath && !takesText.test(words[index - 1] ?? "") ? [word] : [];
  });
}

function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" ? splitShellCommands(value.replace(/\s+/g, " ")).flat() : [];
}

/** `key = value` with the indented lines behind it. */
function readValues(lines: readonly string[]): Values {
  const values = new Map<string, string>();
  let last = "";
  for (const line of lines) {
    const match = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(line);
    if (match !== null) {
      last = match[1] ?? "";
      values.set(last, match[2] ?? "");
    } else if (/^\s/.test(line)) values.set(last, `${values.get(last) ?? ""} ${line.trim()}`);
  }
  return Object.fromEntries(values);
}
