import { languages } from "./languages.ts";

/** Made by tools, or somebody else's code. */
export const foreignFolders = ["node_modules", "vendor", "dist", "bower_components", "site-packages", ".venv", "venv"];

const foreign = new RegExp(`(?:^|/)(?:${foreignFolders.map((name) => name.replace(".", "\\.")).join("|")})/`);
/** Folders that hold tests and what tests need, with any name in front as in `Shop.Tests/`. */
const folders =
  /(?:^|\/)(?:[^/]*[.\-_])?(?:tests?|specs?|__tests__|__mocks__|__fixtures__|__snapshots__|e2e|cypress|testdata|fixtures)\//i;
const snapshotFiles = /\.(?:snap|ambr|approved\.\w+|snap\.\w+)$/;
/** Settings and scripts in such folders are what a test reads, not what runs it. */
const fixtures = /(?:^|\/)(?:__fixtures__|fixtures?|testdata|test-data|__mocks__)\//i;

export function isForeign(path: string): boolean {
  return foreign.test(path);
}

export function isFixture(path: string): boolean {
  return fixtures.test(path);
}

export function isSnapshot(path: string): boolean {
  return snapshotFiles.test(path);
}

/** Why a repo path is a test: its own name, or only the folder it stands in; null where it is none. */
export function testClass(path: string): "name" | "folder" | null {
  if (isForeign(path)) return null;
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (isTestName(name) || isSnapshot(name)) return "name";
  return folders.test(path) ? "folder" : null;
}

export function isTestName(name: string): boolean {
  return languages.some(({ testFiles }) => testFiles?.test(name) === true);
}
