import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { findExecutable } from "../../process/find-executable.ts";
import { lookOr } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import { nearestWord } from "../../text/nearest.ts";
import { watches } from "../../text/watching.ts";
import { findGitQuestion } from "./asks-git.ts";
import { packagesOf, scriptOf, scriptsOf, targetsOf } from "./find-trouble.ts";

/** A check that will not work, and what to do about it. */
interface Foretold {
  /** Follows "the check NAME". */
  readonly problem: string;
  readonly fix: string;
}

interface CheckPlace {
  /** Absolute. */
  readonly repo: string;
  /** PATH and PYTHONPATH count. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
  /** Whether the runner commits each pass before the next one; null: the check runs in copies, where the work is staged. */
  readonly commits: boolean | null;
  /** The tasks root in the repo; null if it is not there. */
  readonly tasks: string | null;
}

/**
 * What the files of the repo show of a check before it runs: a script, makefile or manifest that is not there, packages
 * that are not installed, a Python module that is not there, a command that watches, or one that
 * takes the work itself for a fault. Null if nothing is seen.
 */
export function foretellTrouble(command: readonly string[], place: CheckPlace): Foretold | null {
  const { repo, env } = place;
  const isCi = (env.CI ?? "") !== "" || command.some((word) => /^CI=./.test(word));
  const words =
    command[0] === "env" ? command.slice(command.findIndex((word, i) => i > 0 && !word.includes("="))) : command;
  const [program = "", ...rest] = words;
  const name = basename(program);
  const there = (...files: readonly string[]) => files.some((file) => stands(repo, file));
  const isPackages = ["npm", "pnpm", "yarn", "bun"].includes(name);
  // To a package manager `-w` is a workspace, unless it is handed on to the script behind `--`.
  const isWorkspace = (word: string, i: number) => isPackages && word === "-w" && !words.slice(0, i).includes("--");
  if (watches(words.filter((word, i) => !isWorkspace(word, i)).join(" "), isCi)) return waits(words.join(" "));
  if (isPackages) return ofPackage(name, rest, repo, isCi) ?? ofGit(command, place);
  if (/^python[\d.]*$/.test(name)) return ofPython(program, rest, place);
  if (name === "cargo" && !there("Cargo.toml")) return needs("Cargo.toml");
  if (name === "go" && !there("go.mod", "go.work")) return needs("go.mod");
  if (name === "make" && !rest.includes("-f") && !rest.includes("-C"))
    return ofMake(rest, repo) ?? ofGit(command, place);
  return ofGit(command, place);
}

/** A warning for each of these checks of which the files show that it will not work. */
export function foretellTroubles(
  checks: readonly { readonly name: string; readonly command: readonly string[] }[],
  place: CheckPlace,
  file: string,
): Finding[] {
  return checks.flatMap(({ name, command }) => {
    const found = foretellTrouble(command, place);
    if (found === null) return [];
    return [warningFinding("TP_CHECK_TROUBLE", `the check ${name} ${found.problem}`, { file, fix: found.fix })];
  });
}

/** Work is a change until it is committed, and so is what the runner writes about a pass while the checks run. */
function ofGit(command: readonly string[], { repo, commits, tasks }: CheckPlace): Foretold | null {
  const asked = findGitQuestion(command, repo);
  const isAboutTasks = asked?.isBroad === true && tasks !== null;
  if (asked === null || (commits === true && !isAboutTasks)) return null;
  const problem = `asks git for changes (\`${asked.words}\`), and the work is one until it is committed`;
  if (commits === null)
    return /\bstatus\b|\s(?:HEAD|--cached|--staged)\b/.test(asked.words)
      ? { problem, fix: "ask only what the check itself changed, for example: git diff --exit-code" }
      : null;
  const lines = [
    ...(commits ? [] : ["`checkpoint: commit` in task-phase.yaml, which commits a pass before the next one"]),
    ...(isAboutTasks ? [`no look at the tasks, as in: git diff --exit-code -- . ":!${tasks}"`] : []),
  ];
  return { problem, fix: `it needs ${lines.join("; and ")}` };
}

function needs(file: string): Foretold {
  const problem = `needs ${file}, and the repo has none`;
  return { problem, fix: "correct `command`, or `repo`, unless the task is to make it" };
}

function waits(line: string): Foretold {
  return {
    problem: `runs \`${line}\`, which watches and does not end`,
    fix: "leave the flag out, or use the one that runs once, for example --run or --watchAll=false",
  };
}

/** The script is one of another package, or of several. */
const otherPackage = /^(?:-w|-ws|-r|-C|-F|--workspaces?|--recursive|--prefix|--dir|--cwd|--filter)(?:=|$)/;

function ofPackage(name: string, rest: readonly string[], repo: string, isCi: boolean): Foretold | null {
  const [first = "", second = ""] = rest.filter((word) => !word.startsWith("-"));
  const script = ["run", "run-script"].includes(first) ? second : ["test", "t", "tst"].includes(first) ? "test" : "";
  if (!stands(repo, "package.json")) return needs("package.json");
  const scripts = scriptsOf(repo);
  const inOther = ["workspace", "workspaces"].includes(first) || rest.some((word) => otherPackage.test(word));
  if (script !== "" && !inOther && !scripts.includes(script)) {
    const near = nearestWord(script, scripts);
    const meant = near === null ? "" : `; did you mean ${near}?`;
    const problem = `runs the script ${script}, which package.json does not have`;
    return { problem, fix: `correct \`command\`${meant}` };
  }
  const packages = packagesOf(repo);
  if (packages.length > 0 && !stands(repo, "node_modules") && !stands(repo, ".pnp.cjs"))
    return { problem: "needs packages that are not installed: there is no node_modules", fix: `run: ${name} install` };
  const line = inOther ? "" : scriptOf(repo, script);
  return watches(line, isCi) ? waits(line) : null;
}

function ofPython(program: string, rest: readonly string[], { repo, env, home }: CheckPlace): Foretold | null {
  const module = rest[rest.indexOf("-m") + 1] ?? "";
  const interpreter = findExecutable(program, repo, env.PATH ?? "");
  if (!rest.includes("-m") || interpreter === null || (env.PYTHONPATH ?? "") !== "") return null;
  if (!lacksModule(interpreter, module, home)) return null;
  const problem = `needs ${module}, which ${interpreter} does not have`;
  return { problem, fix: `run: ${program} -m pip install ${module}` };
}

function ofMake(rest: readonly string[], repo: string): Foretold | null {
  const target = rest.find((word) => !word.startsWith("-") && !word.includes("="));
  if (!["Makefile", "makefile", "GNUmakefile"].some((file) => stands(repo, file))) return needs("a makefile");
  const targets = targetsOf(repo);
  const near = target === undefined || targets.includes(target) ? null : nearestWord(target, targets);
  // A target may also come from a pattern or an included file.
  return near === null
    ? null
    : { problem: `makes ${target}, which the makefile does not name`, fix: `did you mean ${near}?` };
}

/** In the repo or in a folder above it: tools look there too. */
function stands(folder: string, name: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (statEntry(join(at, name)) !== null) return true;
    if (at === dirname(at)) return false;
  }
}

/** What a person runs with `python -m` and has to install; all else may be the repo's own or the language's. */
const installed = new Set("pytest tox nox mypy ruff black flake8 pylint coverage".split(" "));

/**
 * Whether the files of an interpreter show that it cannot run such a module: those of a virtual environment that shares
 * nothing with the system, or of the system's own Python. False if that is not known, as for a shim. Runs nothing.
 *
 * @param interpreter absolute, as it is called: the links of an environment lead to the system
 */
function lacksModule(interpreter: string, module: string, home: string): boolean {
  if (!installed.has(module)) return false;
  const folders = modulesOf(resolve(interpreter, "../.."), home);
  const names = folders.flatMap((folder) => namesIn(folder));
  return names.length > 0 && !names.some((name) => name === module || name === `${module}.py`);
}

/** Where its modules are; empty if that is not known. */
function modulesOf(prefix: string, home: string): string[] {
  const settings = readRegularFile(join(prefix, "pyvenv.cfg"), 1 << 16);
  if (settings.kind === "file")
    return /^include-system-site-packages\s*=\s*true/im.test(settings.bytes.toString("utf8"))
      ? []
      : modulesBelow(prefix);
  return prefix === "/usr" && statEntry("/usr/bin/python3") !== null
    ? [prefix, "/usr/local", join(home, ".local")].flatMap(modulesBelow)
    : [];
}

function modulesBelow(prefix: string): string[] {
  return ["lib", "lib64"].flatMap((lib) =>
    namesIn(join(prefix, lib))
      .filter((name) => /^python3(?:\.\d+)?$/.test(name))
      .flatMap((name) => ["site-packages", "dist-packages"].map((folder) => join(prefix, lib, name, folder))),
  );
}

/** Empty if it is no folder that can be read. */
function namesIn(folder: string): string[] {
  return lookOr(() => readdirSync(folder), []);
}
