import { lastPart } from "./places.ts";

/** The program that a call of a package manager or a script runner runs. */
export interface PackageCall {
  /** Scripts by name, `build:*` for several. */
  readonly scripts: readonly string[];
  /** A command of its own, with what is in node_modules/.bin before PATH. */
  readonly command: readonly string[] | null;
  /** The working folder that the command line gives, relative; null for its own. */
  readonly folder: string | null;
  /** In every package of the repo. */
  readonly everywhere: boolean;
}

const flagsWithValue = new Set([
  "-w",
  "--workspace",
  "--prefix",
  "-C",
  "--dir",
  "--cwd",
  "--filter",
  "-F",
  "-p",
  "--package",
  "--userconfig",
  "--loglevel",
  "--max-parallel",
  "--concurrency",
  "-n",
  "--names",
  "-c",
  "--prefix-colors",
  "--call",
  "--scope",
  "--parallel-limit",
]);
const folderFlags = new Set(["--prefix", "-C", "--dir", "--cwd"]);
const everywhereFlags = /^(?:-w|-r|-ws|--workspaces?|--recursive|--filter|-F|--scope)(?:=|$)/;
const managers = new Set(["npm", "pnpm", "yarn", "bun"]);
const starters = new Set(["npx", "bunx", "pnpx", "pnpm-exec"]);
const runners = new Set("npm-run-all npm-run-all2 run-s run-p concurrently turbo nx lerna wsrun ultra".split(" "));
const builtIn: Readonly<Record<string, string>> = {
  t: "test",
  tst: "test",
  test: "test",
  start: "start",
  stop: "stop",
  restart: "restart",
};
const runWords = new Set(["run", "run-script", "rum", "urn"]);
const execWords = new Set(["exec", "x", "dlx"]);

/** Null if the words call no package manager and no script runner. */
export function readPackageCall(words: readonly string[]): PackageCall | null {
  const name = lastPart(words[0] ?? "")
    .replace(/\.(?:c?js|cmd|exe)$/, "")
    .replace(/^(npm|npx)-cli$/, "$1");
  if (name === "node") return readNodeRun(words);
  if (managers.has(name)) return readManager(name, words.slice(1));
  if (starters.has(name)) {
    return { scripts: [], command: readFlags(words.slice(1)).rest, folder: null, everywhere: false };
  }
  if (!runners.has(name)) return null;
  const { rest, folder } = readFlags(words.slice(1));
  const scripts = rest.map((word) => word.replace(/^(?:npm|pnpm|yarn|bun):/, "")).filter((word) => !word.includes(" "));
  const lines = rest.filter((word) => word.includes(" "));
  return { scripts, command: lines.length === 0 ? null : ["sh", "-c", lines.join("\n")], folder, everywhere: true };
}

function readManager(name: string, words: readonly string[]): PackageCall | null {
  const { rest, folder, everywhere } = readFlags(words);
  const [verb, ...more] = rest;
  if (verb === undefined) return null;
  const call = { folder, everywhere, scripts: [], command: null };
  if (runWords.has(verb)) {
    const own = readFlags(more);
    const script = own.rest[0];
    if (script === undefined) return null;
    return {
      scripts: [script],
      command: name === "npm" ? null : own.rest,
      folder: folder ?? own.folder,
      everywhere: everywhere || own.everywhere,
    };
  }
  if (execWords.has(verb)) return { ...call, command: readFlags(more).rest };
  if (verb === "workspace") return readManager(name, more.slice(1).length === 0 ? [] : ["-r", ...more.slice(1)]);
  if (verb === "workspaces") return readManager(name, ["-r", ...more.filter((word) => word !== "foreach")]);
  // `bun test` is a test runner of its own.
  if (name === "bun" && verb === "test") return { ...call, scripts: ["test"] };
  const script = builtIn[verb];
  if (script !== undefined) return { ...call, scripts: [script] };
  return name === "npm" ? null : { ...call, scripts: [verb], command: rest };
}

function readNodeRun(words: readonly string[]): PackageCall | null {
  const at = words.findIndex((word) => word === "--run" || word.startsWith("--run="));
  if (at < 0) return null;
  const script = words[at]?.includes("=") === true ? (words[at]?.slice(6) ?? "") : (words[at + 1] ?? "");
  return { scripts: [script], command: null, folder: null, everywhere: false };
}

function readFlags(words: readonly string[]): { rest: string[]; folder: string | null; everywhere: boolean } {
  let folder: string | null = null;
  let everywhere = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") return { rest: words.slice(at + 1), folder, everywhere };
    if (!word.startsWith("-")) {
      // The words after the script's name are for the script, but npm reads its own flags there too.
      const late = words.slice(at + 1);
      const end = late.indexOf("--");
      const own = readOwn(end < 0 ? late : late.slice(0, end));
      return { rest: words.slice(at), folder: folder ?? own.folder, everywhere: everywhere || own.everywhere };
    }
    if (everywhereFlags.test(word)) everywhere = true;
    const [flag = "", value] = splitFlag(word);
    if (folderFlags.has(flag)) folder = value ?? words[at + 1] ?? null;
    if (value === undefined && flagsWithValue.has(flag)) at += 1;
  }
  return { rest: [], folder, everywhere };
}

function readOwn(words: readonly string[]): { folder: string | null; everywhere: boolean } {
  const at = words.findIndex((word) => folderFlags.has(splitFlag(word)[0] ?? ""));
  const folder = at < 0 ? null : (splitFlag(words[at] ?? "")[1] ?? words[at + 1] ?? null);
  return { folder, everywhere: words.some((word) => everywhereFlags.test(word)) };
}

function splitFlag(word: string): string[] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
