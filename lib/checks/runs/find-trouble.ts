import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CheckResult } from "../../rules/check-run.ts";
import { readText } from "../../store/read-file.ts";
import { findIgnoreList } from "../../text/ignore-lists.ts";
import { asObject, parseObject } from "../../text/json-object.ts";
import { nearestWord } from "../../text/nearest.ts";

/** What is known of the repo where a check ran. */
export interface TroubleGround {
  /** Absolute. */
  readonly repo: string;
  /** Whether a file of tests is in it. */
  readonly hasTests: boolean;
  /** The tasks root in the repo; null if it is not there. */
  readonly tasks: string | null;
}

/** Where programs that a test talks to listen by default: nothing that the work itself would start. */
const services =
  /(?:ECONNREFUSED|[Cc]onnection refused|could not connect|Can't connect)[^\n]*\b(?:5432|3306|6379|27017|5672|9092|9200|11211)\b/;
const portTaken = /EADDRINUSE|[Aa]ddress already in use/;
const watches =
  /Watch Usage|[Ww]atching for file changes|Waiting for file changes|press (?:h|q|a|`?h`?) (?:to|for)|› Press|--watch\b/;
const asksInput = /\[[Yy]\/[Nn]\]|\(y\/n\)|[Pp]assword:\s*$|\? .*›\s*$/m;

/**
 * Why a check that failed cannot work here, whatever the work is: a program, module, script or service that the repo
 * takes for granted and this machine does not have, or a command that waits. In words of its output; null if it is a
 * failing test, or if what is missing is the work's to make: a file of the repo, a first script, a first test.
 */
export function findTrouble(result: CheckResult, ground: TroubleGround): string | null {
  const { status, excerpt, exit_code: code, command } = result;
  if (status === "pass") return null;
  if (status === "timeout")
    return watches.test(excerpt) || asksInput.test(excerpt) ? lineWith(excerpt, [watches, asksInput]) : null;
  const line = (pattern: RegExp) => lineWith(excerpt, [pattern]);
  return (
    aboutTasksAlone(excerpt, ground) ??
    missingProgram(excerpt, code) ??
    missingModule(excerpt, ground.repo) ??
    missingScript(excerpt, command, ground.repo) ??
    (/node_modules missing, did you mean to install|Cannot find (?:module|package) '[^./]/.test(excerpt) &&
    lacksPackages(ground.repo)
      ? `node_modules is not there: ${line(/Cannot find (?:module|package)|node_modules missing/)}`
      : null) ??
    (services.test(excerpt) ? line(services) : null) ??
    (portTaken.test(excerpt) ? line(portTaken) : null) ??
    (ground.hasTests && (result.tests?.ran ?? 0) === 0 && noTests.test(excerpt) ? line(noTests) : null)
  );
}

/** What to do about a formatter or linter that reads the whole repo, and dislikes nothing but the files of tasks; else null. */
export function aboutTasksAlone(
  excerpt: string,
  { repo, tasks }: Pick<TroubleGround, "repo" | "tasks">,
): string | null {
  if (tasks === null) return null;
  const words = excerpt.replaceAll(`${repo}/`, "").match(/[\w@.-]+(?:\/[\w@.-]+)*\.\w+/g) ?? [];
  const named = words.filter((word) => existsSync(join(repo, word)));
  const [first] = named;
  if (first === undefined || !named.every((path) => path.startsWith(`${tasks}/`))) return null;
  const list = findIgnoreList(excerpt);
  const way =
    list === undefined
      ? `put ${tasks}/ on the ignore list of that tool`
      : `write \`${list.line(tasks)}\` into ${list.file}`;
  return `it dislikes files of the tasks alone, such as ${first}: ${way}`;
}

const noTests = /no tests ran|No tests? found|no test files|NO TESTS RAN/i;

function lineWith(text: string, patterns: readonly RegExp[]): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.find((line) => patterns.some((pattern) => pattern.test(line))) ?? lines.at(-1) ?? "";
}

/** A program by its bare name; one with a slash is a file, which the work may have to make. */
function missingProgram(excerpt: string, code: number | null): string | null {
  if (code !== 126 && code !== 127) return null;
  const found = /^.*?(?:^|[\s:])([\w.+-]+): (?:command )?not found\b.*$/m.exec(excerpt);
  if (found !== null) return found[0].trim();
  const refused = /^.*[Pp]ermission denied.*$/m.exec(excerpt);
  return code === 126 && refused !== null ? refused[0].trim() : null;
}

/** A module that the command itself names, or that the repo's own manifest does; others may be the work's to write. */
function missingModule(excerpt: string, repo: string): string | null {
  const runs = /^\S*python[\d.]*(?:\.exe)?: No module named '?([\w.]+)'?.*$/m.exec(excerpt);
  if (runs !== null) return isOwn(runs[1] ?? "", repo) ? null : `No module named ${runs[1]}`;
  const python = /\b(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?/
    .exec(excerpt)?.[1]
    ?.split(".")[0];
  if (python !== undefined && !isOwn(python, repo) && namedIn(repo, pythonManifests, python))
    return `No module named ${python}`;
  const node = /Cannot find (?:module|package) '((?:@[\w.-]+\/)?[\w.-]+)/.exec(excerpt)?.[1];
  return node !== undefined && packagesOf(repo).includes(node) && !existsSync(join(repo, "node_modules", node))
    ? `Cannot find package ${node}`
    : null;
}

const pythonManifests = [
  "requirements.txt",
  "requirements-dev.txt",
  "dev-requirements.txt",
  "pyproject.toml",
  "setup.cfg",
  "setup.py",
  "Pipfile",
  "tox.ini",
];

function isOwn(module: string, repo: string): boolean {
  const path = module.replaceAll(".", "/");
  const [top = ""] = path.split("/");
  return [`${path}.py`, path, `src/${path}.py`, `src/${path}`, `${top}.py`].some((one) => existsSync(join(repo, one)));
}

function namedIn(repo: string, files: readonly string[], word: string): boolean {
  const pattern = new RegExp(`(?<![\\w.-])${word.replaceAll(/[_-]/g, "[_-]")}(?![\\w-])`, "i");
  return files.some((file) => pattern.test(textOf(join(repo, file))));
}

/** A script, target or task that is not there where one like it is: most likely a slip of the hand. */
function missingScript(excerpt: string, command: readonly string[], repo: string): string | null {
  const found =
    /Missing script: ["'`]?([\w:.-]+)|No rule to make target ['`"]?([\w:.-]+)|Command "([\w:.-]+)" not found|(?:Script not found|script named) ["'`]?([\w:.-]+)/.exec(
      excerpt,
    );
  const name = found?.slice(1).find((group) => group !== undefined);
  if (name === undefined || !command.some((word) => word.split(/\s+/).includes(name))) return null;
  const near = nearestWord(name, [...scriptsOf(repo), ...targetsOf(repo)]);
  return near === null ? null : `no script or target ${name}; did you mean ${near}?`;
}

function lacksPackages(repo: string): boolean {
  return packagesOf(repo).length > 0 && !existsSync(join(repo, "node_modules"));
}

function manifestOf(repo: string) {
  return parseObject(textOf(join(repo, "package.json"))) ?? {};
}

/** The names of the packages that package.json asks for. */
export function packagesOf(repo: string): string[] {
  const manifest = manifestOf(repo);
  const keys = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const;
  return keys.flatMap((key) => Object.keys(asObject(manifest[key]) ?? {}));
}

export function scriptsOf(repo: string): string[] {
  return Object.keys(asObject(manifestOf(repo).scripts) ?? {});
}

/** The line of a script; empty if there is none. */
export function scriptOf(repo: string, name: string): string {
  const line = asObject(manifestOf(repo).scripts)?.[name];
  return typeof line === "string" ? line : "";
}

export function targetsOf(repo: string): string[] {
  const text = ["Makefile", "makefile", "GNUmakefile"].map((name) => textOf(join(repo, name))).join("\n");
  return [...text.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)/gm)].map(([, name = ""]) => name);
}

const maxBytes = 1 << 20;

/** Empty if it cannot be read. */
function textOf(path: string): string {
  return readText(path, maxBytes) ?? "";
}
