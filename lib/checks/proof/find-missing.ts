import { dirname, join, normalize } from "node:path";
import { statEntry } from "../../store/folder.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { scriptOf } from "../runs/find-trouble.ts";
import { isCode, isForeign, testClass } from "../watch/test-paths.ts";
import type { CopyContents } from "./clean-copy.ts";

const mostBytes = 1024 * 1024;
const mostWords = 20_000;
const mostNamed = 3;
const mostTests = 2_000;
const mostFolders = 20;
/** A word of an output that may be a path. */
const pathWord = /(?:[\w@+~.-]*\/)*[\w@+~.-]*\w/g;
/** Where yarn wrote which packages there are, each by its path from the repo: a copy needs its own. */
export const packageMap = ".pnp.cjs";
/** What makes it, from the lockfile. */
export const installPackages = ["yarn", "install", "--immutable"];
/** Folders that a build makes. */
const builds = /^(?:dist|build|out|lib|target|generated|gen|\.next|\.output|\.svelte-kit)$/;

/**
 * Files and folders that an output names and the repo has, but no copy: git ignores them, or they are not committed.
 * Repo paths; a build folder represents its contents.
 */
export function findMissing(
  repo: string,
  contents: CopyContents,
  copy: string,
  logs: readonly string[],
): readonly string[] {
  const texts = logs.map((log) => ({ text: readEnd(log).replaceAll(`${copy}/`, ""), folder: "" }));
  const hasMap = (folder: string) => statEntry(join(folder, packageMap)) !== null;
  return hasMap(repo) && !hasMap(copy) ? [packageMap] : findNamed(repo, contents, texts, copy);
}

/** Like `findMissing` for what the tests name: a test that skips itself for lack of a file prints nothing about it. */
export function findUnread(repo: string, contents: CopyContents): readonly string[] {
  const tests = [...contents.keys()].filter((path) => testClass(path) !== null && isCode(path)).slice(0, mostTests);
  const texts = tests.map((path) => ({ text: readEnd(join(repo, path)), folder: dirname(path) }));
  return findNamed(repo, contents, texts).filter((path) => !isForeign(`${path}/`));
}

function readEnd(path: string): string {
  const read = readRegularFile(path, 32 * mostBytes);
  return read.kind === "file" ? read.bytes.subarray(-mostBytes).toString("utf8") : "";
}

function findNamed(
  repo: string,
  contents: CopyContents,
  texts: readonly { readonly text: string; readonly folder: string }[],
  copy: string | null = null,
): readonly string[] {
  const folders = new Set<string>();
  for (const path of contents.keys())
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      folders.add(path.slice(0, end));
  const isHeld = (path: string): boolean =>
    contents.has(path) || folders.has(path) || (copy !== null && statEntry(join(copy, path)) !== null);
  const found = new Set<string>();
  for (const { text, folder } of texts) {
    const words = [...new Set([...text.matchAll(pathWord)].map(([word]) => word))]
      .filter(mayBePath)
      .slice(0, mostWords);
    // A program says what it could not load as it was written, such as `../local.json`: beside a file that it names too.
    const beside = words.some((one) => one.startsWith("."))
      ? words.filter((one) => contents.has(one)).map(dirname)
      : [];
    const from = [...new Set([folder, ...beside])].slice(0, mostFolders);
    for (const word of new Set(
      words.flatMap((one) => [normalize(one), ...(one.startsWith(".") ? from : [folder]).map((at) => join(at, one))]),
    )) {
      if (word.startsWith("/") || word.split("/").includes("..") || /^\.(?:git)?(?:\/|$)/.test(word) || isHeld(word))
        continue;
      if (statEntry(join(repo, word)) === null) continue;
      const parts = word.split("/");
      const build = parts.findIndex((part, index) => builds.test(part) && !isHeld(parts.slice(0, index + 1).join("/")));
      found.add(build === -1 ? word : parts.slice(0, build + 1).join("/"));
    }
  }
  return [...found].sort().slice(0, mostNamed);
}

/** Where a task says it; a change without one says it below `defaults` of task-phase.yaml. */
export const intoBrief = "into README.md";

/** A line with a dot for each test is none: no system has such names. */
function mayBePath(word: string): boolean {
  return word.length < 4096 && word.split("/").every((part) => part.length <= 255);
}

/** What the copy lacks, and what to do so that it has it. */
export function renderMissing(
  repo: string,
  missing: readonly string[],
  undelivered: readonly { readonly path: string; readonly why: string }[],
): string {
  const isLoose = (path: string) => undelivered.some((one) => one.path === path || one.path.startsWith(`${path}/`));
  const loose = missing.filter(isLoose);
  const ignored = missing.filter((path) => !isLoose(path));
  return [
    ...(ignored.length === 0 ? [] : [renderIgnored(repo, ignored)]),
    ...(loose.length === 0 ? [] : [`the copy lacks ${loose.join(", ")}, which nobody committed: commit it`]),
  ].join("; ");
}

function renderIgnored(repo: string, missing: readonly string[]): string {
  return `the copy lacks ${missing.join(", ")}, which git ignores; ${renderRemedy(repo, missing)}`;
}

/** What to write so that a copy has these ignored paths. */
export function renderRemedy(repo: string, missing: readonly string[]): string {
  const built = missing.filter((path) => builds.test(path.split("/").at(-1) ?? ""));
  const remedy = missing.includes(packageMap)
    ? `proof: { prepare: [[${installPackages.join(", ")}]] }`
    : built.length > 0 && scriptOf(repo, "build") !== ""
      ? "proof: { prepare: [[npm, run, build]] }"
      : `proof: { carry: [node_modules, ${missing.join(", ")}] }`;
  return `write \`${remedy}\` ${intoBrief}`;
}
