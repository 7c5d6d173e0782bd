import {
  findMakefile,
  isShellFile,
  readIncludes,
  readPathFolders,
  readProgram,
  readRecipes,
  readShebang,
  readSourcedBeside,
} from "./command-files.ts";
import { foldersUp, isBuilt, matchesScript, namedByCheck, withoutPrefixes } from "./command-words.ts";
import { listManifests, nearestManifest, readRepoText, readScripts } from "./manifests.ts";
import { type PackageCall, readPackageCall } from "./package-words.ts";
import { folderFrom, lastPart, namedFile, namedFolder } from "./places.ts";
import type { WatchInput } from "./record.ts";
import { readShellCommands } from "./shell-commands.ts";
import { isTested, isTestedLibrary } from "./tested-programs.ts";
import { nothingUnfolded, type Unfolded, type Where } from "./unfolded.ts";

const deepest = 8;
const mostNames = 5_000;
const mostStarted = 500;

/** Follows the commands of the checks through package scripts, shells and Makefiles, at most 8 deep. Runs nothing. */
export function unfoldChecks(input: WatchInput, checks: WatchInput["checks"] = input.checks): Unfolded {
  const found = nothingUnfolded();
  const unfolder = createUnfolder(input, found);
  for (const { command } of checks)
    unfolder.run(command, { folder: "", depth: 0, plain: true, binsFirst: false, from: null });
  unfolder.end();
  return found;
}

function createUnfolder(input: WatchInput, found: Unfolded) {
  const { repo } = input;
  /** Programs that a text starts by their names, and repo folders that a text puts on PATH. */
  const started = new Set<string>();
  const onPath = new Set<string>();
  const seen = new Set<string>();
  const shadowed = new Set<string>();
  let shadows = 0;

  function runText(text: string, where: Where): void {
    // The end of a subshell is unknown, so after a `cd` a command is followed in both folders.
    let moved: string | null = null;
    for (const folder of readPathFolders(text)) onPath.add(folder);
    for (const { words, feeds } of readShellCommands(text)) {
      run(words, where, feeds);
      if (moved !== null) run(words, { ...where, folder: moved }, feeds);
      if (words[0] === "cd") moved = namedFolder(repo, moved ?? where.folder, words[1] ?? "") ?? moved;
    }
  }

  function run(all: readonly string[], where: Where, feeds = false): void {
    const words = withoutPrefixes(all, (wrapper) => addWord(wrapper, where, true));
    const [head, ...rest] = words;
    if (head === undefined || where.depth > deepest || found.bins.size - shadows + found.files.size > mostNames) return;
    const named = namedByCheck(head, rest);
    if (isWork(head, where, feeds) || (named.script !== null && isWork(named.script, where, feeds))) return;
    addWord(head, where, true);
    if (!where.plain && /^[\w.+-]{1,60}$/.test(head) && started.size < mostStarted) started.add(head);
    if (where.binsFirst) addShadows(where.folder);
    for (const word of rest) addWord(word, where, false);
    for (const word of [...named.parts, ...(named.script === null ? [] : [named.script])]) addFile(word, where);
    for (const word of named.operands) addFile(word, where, true);
    const next = { ...where, depth: where.depth + 1 };
    const call = readPackageCall(words);
    if (call !== null) runCall(call, next);
    if (/^(?:ba|z|da|k)?sh$/.test(lastPart(head))) runShell(rest, next);
    if (/^(?:python[\d.]*|py|pypy\d?)$/.test(lastPart(head))) addModule(rest, where);
    if (/^(?:g?make|just)$/.test(lastPart(head))) runMake(rest, next);
    if (head.includes("/")) runFile(head, next);
    if (head === "source" || head === ".") runSourced(rest[0] ?? "", next);
  }

  /** A program that is tested is no part of a check, and what it runs is not either. */
  function isWork(word: string, where: Where, feeds: boolean): boolean {
    const path = where.depth === 0 ? null : namedFile(repo, where.folder, word);
    return path !== null && isTested(path, { feeds, from: where.from });
  }

  function addWord(word: string, where: Where, first: boolean): void {
    const name = lastPart(word).replace(/\.(?:[cm]?js|py|cmd|exe)$/, "");
    if (/^[\w@][\w@.+-]{0,60}$/.test(name)) found.tools.add(name);
    if (first && (where.plain || word.includes("/"))) {
      if (where.plain) found.programs.add(word);
      else addFile(word, where);
    }
    // A word that contains a secret is kept nowhere.
    if (!/^[\w@][\w@.+-]{0,60}$/.test(word) || input.redact(word) !== word) return;
    const bins = foldersUp(where.folder).map((folder) => `${folder}node_modules/.bin/${word}`);
    for (const bin of bins) found.bins.add(bin);
    const ran = first && where.binsFirst ? bins.find((bin) => namedFile(repo, "", bin) !== null) : undefined;
    if (ran !== undefined) runProgram(ran, { ...where, depth: where.depth + 1 });
  }

  function addFile(word: string, where: Where, onlyIgnored = false): void {
    const path = namedFile(repo, where.folder, word);
    if (path === null || isBuilt(path) || (onlyIgnored && input.entries.has(path))) return;
    if (/(?:^|\/)node_modules\/\.bin\/[^/]+$/.test(path)) found.bins.add(path);
    else found.files.add(path);
  }

  function runCall(call: PackageCall, where: Where): void {
    const inside = call.folder === null ? where.folder : folderFrom(repo, where.folder, call.folder);
    if (inside === null) return;
    const manifests = call.everywhere ? listManifests(input.entries) : [];
    const nearest = nearestManifest(repo, inside);
    for (const script of call.scripts) {
      const ran = [...new Set([nearest, ...manifests])].filter((path) => runScripts(path, script, where));
      if (ran.length === 0 && !script.includes("*")) found.missing.add(`${nearest}#scripts.${script}`);
    }
    if (call.command !== null) run(call.command, { ...where, folder: inside, plain: false, binsFirst: true });
  }

  /** False if there is no such script. */
  function runScripts(manifest: string, pattern: string, where: Where): boolean {
    const scripts = readScripts(repo, manifest);
    const names = [...scripts.keys()].filter((name) => matchesScript(name, pattern));
    const folder = manifest.slice(0, Math.max(0, manifest.lastIndexOf("/")));
    for (const name of names.flatMap((one) => [`pre${one}`, one, `post${one}`])) {
      const text = scripts.get(name);
      const id = `${manifest}\0${name}`;
      if (text === undefined || seen.has(id)) continue;
      seen.add(id);
      found.scripts.add(`${manifest}#scripts.${name}`);
      found.folders.add(folder);
      runText(text, { folder, depth: where.depth, plain: false, binsFirst: true, from: null });
    }
    return names.length > 0;
  }

  function runShell(words: readonly string[], where: Where): void {
    const at = words.findIndex((word) => /^-[a-z]*c$/.test(word));
    if (at >= 0) runText(words[at + 1] ?? "", { ...where });
    else runFile(words.find((word) => !word.startsWith("-")) ?? "", where, true);
  }

  /** A file whose lines a shell reads as if they were in the text. */
  function runSourced(word: string, where: Where): void {
    const path = namedFile(repo, where.folder, word);
    if (path !== null && isTestedLibrary(path, readProgram(repo, path) ?? "", where.from)) return;
    addFile(word, where);
    runFile(word, where, true);
  }

  function runFile(word: string, where: Where, isShell = false): void {
    const path = namedFile(repo, where.folder, word);
    if (path !== null) runProgram(path, where, isShell);
  }

  /** The interpreter of its first line, and its commands if it is a shell script. */
  function runProgram(path: string, where: Where, isShell = false): void {
    const id = `${where.folder}\0${path}`;
    if (seen.has(id)) return;
    const text = readProgram(repo, path);
    if (text === null) return;
    seen.add(id);
    // Its paths start where the command works, not where the file is.
    const inside = { ...where, plain: false, from: path };
    const starter = isShell ? [] : readShebang(text);
    if (starter.length > 0) run(starter, inside);
    if (!isShell && !isShellFile(path, text)) return;
    runText(text, inside);
    const beside = { ...inside, folder: path.slice(0, Math.max(0, path.lastIndexOf("/"))) };
    for (const name of readSourcedBeside(text)) runSourced(name, beside);
  }

  function runMake(words: readonly string[], where: Where): void {
    const at = words.findIndex((word) => word === "-C" || word === "--directory");
    const folder = at < 0 ? where.folder : folderFrom(repo, where.folder, words[at + 1] ?? "");
    if (folder === null) return;
    found.folders.add(folder);
    const path = findMakefile(repo, folder, words);
    if (path !== null) readMakefile(path, { ...where, folder, plain: false });
  }

  function readMakefile(path: string, where: Where): void {
    if (seen.has(path) || isBuilt(path)) return;
    seen.add(path);
    found.files.add(path);
    const text = readRepoText(repo, path) ?? "";
    for (const one of readPathFolders(text)) onPath.add(one);
    runText(readRecipes(text), { ...where, from: null });
    const { files, missing } = readIncludes(text, repo, where.folder);
    for (const file of files) readMakefile(file, where);
    for (const file of missing) found.shadows.add(file);
  }

  /** `python -m pytest` runs a pytest.py of the repo if there is one. */
  function addModule(words: readonly string[], where: Where): void {
    const name = words[words.indexOf("-m") + 1];
    if (!words.includes("-m") || name === undefined || !/^\w{1,60}$/.test(name)) return;
    const base = where.folder === "" ? name : `${where.folder}/${name}`;
    for (const path of [`${base}.py`, `${base}/__main__.py`]) found.shadows.add(path);
  }

  /** Bins that no command names, and that would be run before those of PATH, were they there. */
  function addShadows(from: string): void {
    for (const folder of foldersUp(from).filter((one) => !shadowed.has(one))) {
      shadowed.add(folder);
      for (const bin of oftenStarted.map((name) => `${folder}node_modules/.bin/${name}`)) {
        if (shadows >= mostShadows || found.bins.has(bin)) continue;
        found.bins.add(bin);
        shadows += 1;
      }
    }
  }

  /** A program of that name in such a folder would be run in place of the one that the checks mean. */
  function end(): void {
    for (const folder of onPath) {
      for (const name of started) if (found.shadows.size < mostNames) found.shadows.add(`${folder}/${name}`);
    }
  }

  return { run, end };
}

/** More than the packages of the largest workspaces need. */
const mostShadows = 20_000;
/** The interpreters of programs in node_modules/.bin, or programs that they start by name. */
const oftenStarted = "node nodejs npm npx pnpm yarn bun deno sh bash dash zsh env python python3 ruby perl php".split(
  " ",
);
