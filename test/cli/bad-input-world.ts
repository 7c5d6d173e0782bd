import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, fork, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Finding } from "../../lib/text/finding.ts";
import { patienceMs } from "../patience.ts";
import { cleanEnvironment } from "./arrange.ts";
import type { DriverAnswer, DriverCall } from "./bad-input-driver.ts";
import { briefFile } from "./brief-file.ts";

/** A good world that a test spoils: a repo with tasks/T-1 at intake, a model that answers, and a state folder. */
export interface BadWorld {
  readonly folder: string;
  readonly repo: string;
  readonly task: string;
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the folder. */
  path(...parts: string[]): string;
  /** Writes a file of the task folder, or of the world where the name begins with a slash. */
  put(name: string, content: string | Uint8Array): void;
  /** Removes a file of the task folder and gives its path, free for something else. */
  clear(name: string): string;
  read(name: string): string;
}

export interface CallEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Call {
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Drivers {
  call(call: Call & { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): Promise<CallEnd>;
  close(): Promise<void>;
}

/**
 * Two drivers, since more do not help on two cores. One that does not answer in time is ended, and the call fails. Those
 * that wait for a call keep this process from nothing, and end with it.
 */
export function startDrivers(count = 2): Drivers {
  const free: Driver[] = Array.from({ length: count }, startDriver);
  const waiting: ((driver: Driver) => void)[] = [];
  const take = () => {
    const driver = free.pop();
    return driver !== undefined ? Promise.resolve(driver) : new Promise<Driver>((resolve) => waiting.push(resolve));
  };
  const give = (driver: Driver) => {
    const next = waiting.shift();
    if (next === undefined) free.push(driver);
    else next(driver);
  };
  return {
    async call(call) {
      const driver = await take();
      try {
        const end = await driver.ask(call);
        give(driver);
        return end;
      } catch (error) {
        driver.child.kill("SIGKILL");
        give(startDriver());
        throw error;
      }
    },
    async close() {
      await Promise.all(free.map((driver) => driver.end()));
    },
  };
}

interface Driver {
  readonly child: ChildProcess;
  ask(call: Omit<DriverCall, "id" | "fixed">): Promise<CallEnd>;
  end(): Promise<void>;
}

let lastId = 0;

function startDriver(): Driver {
  const child = fork(path.join(import.meta.dirname, "bad-input-driver.js"), {
    execArgv: ["--enable-source-maps"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.unref();
  child.channel?.unref();
  return {
    child,
    ask: ({ argv, cwd, env }) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const shown = `task-phase ${argv.join(" ")}`;
        const timer = setTimeout(
          () => settle(() => reject(new Error(`${shown}: no answer within ${patienceMs} ms`))),
          patienceMs,
        );
        const onExit = () => settle(() => reject(new Error(`${shown}: the process ended in the middle of the call`)));
        const onMessage = (message: unknown) => {
          const said = message as DriverAnswer;
          if (said.id === id) settle(() => resolve(said));
        };
        function settle(how: () => void) {
          clearTimeout(timer);
          child.off("message", onMessage);
          child.off("exit", onExit);
          how();
        }
        child.on("message", onMessage);
        child.once("exit", onExit);
        child.send({ id, fixed: null, argv, cwd, env } satisfies DriverCall);
      }),
    end: () => {
      child.ref();
      if (child.connected) child.disconnect();
      return ended;
    },
  };
}

/** Makes worlds as copies of two templates: one without a journal, one after a pass. */
export interface WorldMaker {
  readonly folder: string;
  make(kind: "fresh" | "adopted"): BadWorld;
  remove(): void;
}

export async function makeTemplates(drivers: Drivers): Promise<WorldMaker> {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-bad-")));
  const fresh = worldAt(path.join(folder, "fresh"));
  mkdirSync(fresh.path("home"), { recursive: true });
  mkdirSync(fresh.repo);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: fresh.repo, env: fresh.env, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main", "--template=");
  fresh.put("/repo/src/answer.mjs", "export const answer = 42;\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  const made = await drivers.call({ argv: ["init", "--task-dir", fresh.task], cwd: fresh.folder, env: fresh.env });
  assert.equal(made.code, 0, made.stderr);
  fresh.put("README.md", goodBrief);
  fresh.put("TASKS.md", "- [ ] one step\n");
  fresh.put("/repo/tasks/task-phase.yaml", goodConfig);
  cpSync(fresh.folder, path.join(folder, "adopted"), { recursive: true });
  const adopted = worldAt(path.join(folder, "adopted"));
  const pass = await drivers.call({ argv: ["run", "--task-dir", adopted.task], cwd: adopted.folder, env: adopted.env });
  assert.equal(pass.code, 23, pass.stderr);
  let count = 0;
  return {
    folder,
    make(kind) {
      count += 1;
      const target = path.join(folder, String(count));
      cpSync(path.join(folder, kind), target, { recursive: true, verbatimSymlinks: true });
      return worldAt(target);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const goodCheck = "validators: [{ name: tests, command: [test, -d, src] }]";
export const goodBrief = briefFile(["id: T-1", "title: One task", "repo: ../..", goodCheck], "One task");
export const goodConfig = "models:\n  - { name: mine, adapter: command, command: [sh, -c, echo hello] }\n";

function worldAt(folder: string): BadWorld {
  const task = path.join(folder, "repo", "tasks", "T-1");
  const at = (name: string) => (name.startsWith("/") ? path.join(folder, name) : path.join(task, name));
  return {
    folder,
    repo: path.join(folder, "repo"),
    task,
    env: cleanEnvironment(folder),
    path: (...parts) => path.join(folder, ...parts),
    put(name, content) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
    },
    clear(name) {
      rmSync(at(name), { recursive: true, force: true });
      return at(name);
    },
    read: (name) => readFileSync(at(name), "utf8"),
  };
}

/** Leaves a socket that nobody listens on. Bound by its name alone, since an address has room for 107 bytes. */
export function makeSocket(at: string): void {
  const code = "require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
  spawnSync(process.execPath, ["-e", code, path.basename(at)], { cwd: path.dirname(at) });
  assert(lstatSync(at).isSocket());
}

/** Every path below the folder: kind, mode, and for a file its bytes and whether it is the same file untouched. */
export function readTree(folder: string): Map<string, string> {
  const tree = new Map<string, string>();
  const walk = (at: string) => {
    const stats = lstatSync(at);
    tree.set(path.relative(folder, at), describe(at, stats));
    if (stats.isDirectory()) for (const name of readdirSync(at)) walk(path.join(at, name));
  };
  walk(folder);
  return tree;
}

function describe(at: string, stats: NonNullable<ReturnType<typeof lstatSync>>): string {
  const mode = Number(stats.mode).toString(8);
  if (stats.isSymbolicLink()) return `${mode} ${readlinkSync(at)}`;
  if (!stats.isFile()) return mode;
  const bytes = createHash("sha256").update(readFileSync(at)).digest("hex");
  return `${mode} ${bytes} ${stats.ino} ${stats.mtimeMs}`;
}

/** The paths that differ between two trees. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

/** What a call may leave that got as far as locking: the lock files, and the empty folder of the anchor. */
export function isLockDebris(name: string): boolean {
  const inRoot = /^repo\/tasks\/\.task-phase(\/locks(\/(T-1\.lock|\.gitignore))?)?$/;
  const inState =
    /^state(\/task-phase(\/sweep\.lock|\/(tasks|repos)(\/[0-9a-f]{32}(\.lock|\/task\.lock|\/copies(\/blobs)?)?)?)?)?$/;
  return inRoot.test(name) || inState.test(name);
}

/** What writes stands last, so that one world does for all calls. */
export const callNames = [
  "status",
  "status root",
  "check",
  "check root",
  "dry",
  "dry root",
  "run",
  "run root",
  "evidence",
  "resume",
  "init",
] as const;
export type CallName = (typeof callNames)[number];

/** The words of one call; `taskDir` and `tasksRoot` as a person would name them. */
export function wordsOf(name: CallName, taskDir: string, tasksRoot: string): string[] {
  const [command = "", root] = name.split(" ");
  const target = root === undefined ? ["--task-dir", taskDir] : ["--tasks-root", tasksRoot];
  if (command === "dry") return ["run", "--dry-run", ...target];
  if (command === "resume") return ["resume", ...target, "--to", "shape", "--reason", "it goes on"];
  return [command, ...target];
}

/** One line for one end: exit code, and the first error's code and place. */
export function showEnd(end: CallEnd, world: BadWorld): string {
  const found = firstError(end);
  if (found === undefined) return String(end.code);
  const file = found.file === null ? null : path.relative(world.folder, found.file);
  const place = [file, found.line, found.column].filter((part) => part !== null).join(":");
  return [end.code, found.code, place].filter((part) => part !== "").join(" ");
}

export function findingsOf(end: CallEnd): readonly Finding[] {
  return (JSON.parse(end.stdout) as { findings: Finding[] }).findings;
}

function firstError(end: CallEnd): Finding | undefined {
  return findingsOf(end).find((finding) => finding.severity === "error");
}
