import { lastPart } from "./places.ts";

/** Made by tools, or someone else's code. */
export const foreignFolders = ["node_modules", "vendor", "dist", "bower_components", "site-packages", ".venv", "venv"];

const foreign = new RegExp(`(?:^|/)(?:${foreignFolders.map((name) => name.replace(".", "\\.")).join("|")})/`);
/** Folders that hold tests and what tests need, with any name in front as in `Shop.Tests/`. */
const folders =
  /(?:^|\/)(?:[^/]*[.\-_])?(?:tests?|specs?|__tests__|__mocks__|__fixtures__|__snapshots__|e2e|cypress|test[-_]?data|test-d|typetests(?:__)?|fixtures|step[-_]definitions)\/|^(?:features\/(?:steps|support)|x?t)\//i;
const snapshotFiles = /\.(?:snap|ambr|approved\.\w+|snap\.\w+)$/;
/** Settings and scripts in such folders are what a test reads, not what runs it. */
const fixtures = /(?:^|\/)(?:__fixtures__|fixtures?|testdata|test-data|__mocks__)\//i;

/** The names of test files, wherever they are: one row for each family of languages. */
const testNames: readonly RegExp[] = [
  /(?:[.\-_](?:test|tests|spec|specs|tst|e2e|cy)|^(?:test|tests|spec))(?:-d)?\.[cm]?[jt]sx?$/,
  /^(?:test_.*|.*_test|tests?)\.py$/,
  /_test\.(?:go|dart|exs?)$/,
  /(?:Tests?|IT|Spec|TestCase)\.(?:java|kt|kts|groovy|scala)$|^Test\w*\.java$/,
  /_(?:spec|test)\.rb$|^(?:test|spec)_\w+\.rb$/,
  /(?:^|_)tests?\.rs$/,
  /(?:Tests?|Specs?|Fixture)\.(?:cs|fs|vb)$/,
  /(?:Test|Cest|Cept|Spec)\.php$|\.phpt$/,
  /(?:Tests?|Spec)\.swift$/,
  /(?:[_.-](?:test|tests|unittest|spec)|Tests?|^tests?)\.(?:c|cc|cpp|cxx|m|mm)$|^test_.*\.(?:c|cc|cpp|cxx)$/,
  /\.t$|(?:_(?:spec|test)|^test_.*)\.lua$/,
  /\.bats$|(?:[._-]test|^test[._-].*)\.(?:sh|bash)$/,
  /\.(?:feature(?:\.md)?|robot|hurl)$/,
];

/** The names of what tests load, which may be there before the first test. */
const helperNames =
  /^(?:setup[-_]?tests?|tests?[-_]?(?:utils?|helpers?|setup)|(?:jest|vitest)[.-]setup)\.[cm]?[jt]sx?$|^conftest\.py$/i;

const codeFiles =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|java|kts?|groovy|scala|rb|rs|cs|fs|vb|phpt?|exs?|swift|cc?|cpp|cxx|hh?|hpp|mm?|dart|bats|sh|bash|zsh|pl|pm|t|lua)$|^Rakefile$/;

export function isForeign(path: string): boolean {
  return foreign.test(path);
}

export function isFixture(path: string): boolean {
  return fixtures.test(path);
}

/** Whether a repo path is source code by its name. */
export function isCode(path: string): boolean {
  return codeFiles.test(lastPart(path));
}

/** Whether it is a file that holds snapshots by their names. */
export function isSnapshot(path: string): boolean {
  return snapshotFiles.test(path);
}

/** Why a repo path is a test: its own name, or only that tests need it or the folder it is in; null if it is not one. */
export function testClass(path: string): "name" | "folder" | null {
  if (isForeign(path)) return null;
  const name = lastPart(path);
  if (isSnapshot(name) || testNames.some((one) => one.test(name))) return "name";
  return helperNames.test(name) || folders.test(path) ? "folder" : null;
}
