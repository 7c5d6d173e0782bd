import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { execa, execaSync } from "execa";
import type { CommandName } from "../../lib/cli/command-table.ts";
import type { InputStream } from "../../lib/cli/io.ts";
import { runCli } from "../../lib/cli/run-cli.ts";
import { endChildrenAfter } from "./end-children.ts";
import { requireReportShape } from "./report-shape.ts";

/** The folder of package.json, from wherever this file was compiled to. */
export const projectRoot = findProjectRoot(import.meta.dirname);

/**
 * The first words after Node's that start a program of bin/. TASK_PHASE_TEST_SOURCES=1 has the compiled files of lib/
 * started instead of the bundle: `scripts/run-tests.mjs --sources` sets it.
 */
export function programWords(bin: string): readonly string[] {
  return process.env.TASK_PHASE_TEST_SOURCES === "1"
    ? [path.join(import.meta.dirname, "from-sources.js"), bin]
    : [path.join(projectRoot, "bin", bin)];
}

interface ExecaEnd {
  readonly exitCode?: number | undefined;
  readonly signal?: NodeJS.Signals | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** stdout as the one JSON document that it must be. */
  json(): Record<string, unknown>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Relative to the world; the world itself without it. */
  readonly cwd?: string;
  /** Called with the child as soon as it runs, for tests that signal it or close its streams. */
  readonly onStart?: (child: ChildProcess) => void;
}

export interface CallOptions extends Pick<RunOptions, "env" | "cwd"> {
  /** The present time, or who tells it; that of the machine without it. */
  readonly now?: Date | (() => Date);
  /** Nothing without it. */
  readonly stdin?: InputStream;
  /** Both streams are a terminal with so many columns. */
  readonly columns?: number;
  /** In the place of sleeping; without it no time goes by. `told` is what stderr has got by then. */
  readonly sleep?: (ms: number, told: () => string) => Promise<void>;
}

/** A temporary world: a folder with its own home, state folder and git settings. Gone when the test ends. */
export interface World {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  path(...parts: string[]): string;
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
  exists(name: string): boolean;
  /** Runs a built command of bin/, as `task-phase` or `task-phase-run`. */
  run(bin: string, args: readonly string[], options?: RunOptions): Promise<RunEnd>;
  /**
   * The same call, answered in this process by the function behind bin/: a tenth of the time. For what depends on
   * words, files and exit codes; what depends on processes, signals and memory takes `run`.
   */
  call(bin: string, args: readonly string[], options?: CallOptions): Promise<RunEnd>;
  /** A git repo with one commit that holds these files; the folder is relative to the world. Returns its path. */
  initRepo(files: Readonly<Record<string, string>>, folder?: string): string;
  git(folder: string, ...args: string[]): string;
  /** Ends this child when the test is over, where it still runs then. */
  watch(child: ChildProcess): void;
}

export function makeWorld(t: TestContext): World {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-test-")));
  const children = endChildrenAfter(t);
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = cleanEnvironment(folder);
  mkdirSync(path.join(folder, "home"));
  const inside = (...parts: string[]) => path.join(folder, ...parts);
  const write = (name: string, content: string | Uint8Array) => {
    mkdirSync(path.dirname(inside(name)), { recursive: true });
    writeFileSync(inside(name), content);
    return inside(name);
  };
  const git = (where: string, ...args: string[]) =>
    execaSync("git", args, { cwd: inside(where), env, extendEnv: false, stdin: "ignore", stripFinalNewline: false })
      .stdout;
  const begin = (options: RunOptions) => (child: ChildProcess) => {
    children.watch(child);
    options.onStart?.(child);
  };
  return {
    folder,
    env,
    path: inside,
    write,
    read: (name) => readFileSync(inside(name), "utf8"),
    exists: (name) => existsSync(inside(name)),
    watch: children.watch,
    run: (bin, args, options = {}) => runBin(bin, args, { ...options, onStart: begin(options) }, folder, env),
    call: (bin, args, options = {}) => callBin(bin, args, options, folder, env),
    initRepo: (files, where = "repo") => {
      mkdirSync(inside(where), { recursive: true });
      for (const [name, content] of Object.entries(files)) write(path.join(where, name), content);
      git(where, "init", "--quiet", "--initial-branch=main");
      git(where, "add", "--all");
      git(where, "commit", "--quiet", "--allow-empty", "--message=start");
      return inside(where);
    },
    git,
  };
}

async function runBin(
  bin: string,
  args: readonly string[],
  options: RunOptions,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<RunEnd> {
  const child = execa(process.execPath, [...programWords(bin), ...args], {
    cwd: path.join(folder, options.cwd ?? ""),
    env: { ...env, ...options.env },
    extendEnv: false,
    input: options.input ?? "",
    stripFinalNewline: false,
    reject: false,
  });
  options.onStart?.(child);
  return readEnd(await child);
}

/** The result of execa without `reject`; throws it if the program did not start. */
export function readEnd(result: ExecaEnd): RunEnd {
  const { exitCode = null, signal = null, stdout, stderr } = result;
  if (exitCode === null && signal === null) throw result;
  return { code: exitCode, signal, stdout, stderr, json: () => readOneObject(stdout) };
}

async function callBin(
  bin: string,
  args: readonly string[],
  options: CallOptions,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<RunEnd> {
  const streams = { stdout: "", stderr: "" };
  const { columns } = options;
  const stream = (name: keyof typeof streams) => ({
    ...(columns === undefined ? {} : { isTTY: true, columns }),
    write: (text: string) => {
      streams[name] += text;
    },
  });
  const fixed = bin === "task-phase" ? null : (bin.replace("task-phase-", "") as CommandName);
  const code = await runCli(fixed, args, {
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    env: { ...env, ...options.env },
    cwd: path.join(folder, options.cwd ?? ""),
    now: () => (typeof options.now === "function" ? options.now() : (options.now ?? new Date())),
    sleep: async (ms) => options.sleep?.(ms, () => streams.stderr),
  });
  return { code, signal: null, ...streams, json: () => readOneObject(streams.stdout) };
}

function readOneObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`no JSON object: ${text}`);
  const report = value as Record<string, unknown>;
  requireReportShape(report);
  return report;
}

/** Nothing of the caller's own settings; only what finds programs, and the variable that counts coverage. */
export function cleanEnvironment(folder: string): Record<string, string> {
  const person = { NAME: "Test", EMAIL: "test@example.invalid", DATE: "2026-01-01T00:00:00Z" };
  const identity = Object.entries(person).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  return {
    ...Object.fromEntries(identity),
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    HOME: path.join(folder, "home"),
    XDG_STATE_HOME: path.join(folder, "state"),
    XDG_CONFIG_HOME: path.join(folder, "config"),
    TMPDIR: os.tmpdir(),
    LANG: "C.UTF-8",
    TZ: "UTC",
    // Most tests write their tasks by hand; those about trust take it out.
    TASK_PHASE_TRUST: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
  };
}

function findProjectRoot(from: string): string {
  return existsSync(path.join(from, "package.json")) ? from : findProjectRoot(path.dirname(from));
}
