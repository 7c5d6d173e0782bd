import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { readRow } from "../../lib/process/proc-table.ts";
import { makeWorld, programWords, type World } from "../cli/arrange.ts";
import { briefFile } from "../cli/brief-file.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { patienceMs } from "../patience.ts";

/** A repo with its tasks in it, a person's commits, and the state folder, all on one disk. */
export interface ForgettingWorld extends World {
  taskPath(id: string, ...parts: string[]): string;
  addTask(id: string): Promise<void>;
  start(bin: string, args: readonly string[], options?: StartOptions): StartedCommand;
  /** Programs that start from now on find that the machine was started again. */
  reboot(): void;
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A module that is loaded before the program. */
  readonly preload?: string | undefined;
}

export interface CommandEnd {
  readonly code: number | null;
  /** Both streams, as far as they were written. */
  readonly told: string;
}

export interface StartedCommand {
  readonly end: Promise<CommandEnd>;
  /** What it has written so far. */
  told(): string;
  /** Ends it and all that it started, and starts the machine again: none of them can do anything that reaches the disk. */
  killAll(): Promise<CommandEnd>;
}

const booted = pathToFileURL(path.join(import.meta.dirname, "booted.js")).href;

/** `settings`: lines of task-phase.yaml beside its models. */
export function makeForgettingWorld(t: TestContext, folder: string, settings: string): ForgettingWorld {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  const world = makeWorld(t);
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  mkdirSync(world.path("tmp"));
  const env = { ...world.env, TMPDIR: world.path("tmp") };
  world.initRepo({
    "src/kept.mjs": "export const kept = true;\n",
    "test/answer.test.mjs": check,
    "tasks/task-phase.yaml": configFile(settings),
  });
  let boots = 1;
  const reboot = (): void => {
    boots += 1;
  };
  const start: ForgettingWorld["start"] = (bin, args, options = {}) => {
    const modules = [booted, ...(options.preload === undefined ? [] : [options.preload])];
    const loads = modules.flatMap((module) => ["--import", module]);
    const child = spawn(process.execPath, [...loads, ...programWords(bin), ...args], {
      cwd: world.folder,
      env: { ...env, ...options.env, TASK_PHASE_TEST_BOOT: String(boots) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    world.watch(child);
    let told = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        told += text;
      });
    const end = new Promise<CommandEnd>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, told }));
    });
    const killAll = async (): Promise<CommandEnd> => {
      child.kill("SIGKILL");
      reboot();
      await endAll(world.folder);
      return await end;
    };
    return { end, told: () => told, killAll };
  };
  const taskPath = (id: string, ...parts: string[]) => world.path("repo", "tasks", id, ...parts);
  return {
    ...world,
    env,
    start,
    reboot,
    taskPath,
    async addTask(id) {
      world.write(`repo/tasks/${id}/README.md`, briefOf(id));
      const { code, told } = await start("task-phase-init", ["--task-dir", taskPath(id), "--id", id]).end;
      assert.equal(code, 0, told);
      rmSync(taskPath(id, "TASKS.md"), { force: true });
      // A lock that a commit left when the power went: git tells a person to remove it.
      for (const name of readdirSync(world.path("repo", ".git"), { recursive: true, encoding: "utf8" }))
        if (name.endsWith(".lock")) rmSync(world.path("repo", ".git", name), { force: true });
      world.git("repo", "add", "--all");
      world.git("repo", "commit", "--quiet", `--message=${id} is wanted`);
    },
  };
}

/** Kills every process that has the folder in its words or its environment, until none is left. */
export async function endAll(folder: string): Promise<void> {
  for (let count = 0, quiet = 0; quiet < 2; count += 1) {
    assert(count < patienceMs / 10, "processes live on");
    const living = listLiving(folder);
    quiet = living.length === 0 ? quiet + 1 : 0;
    for (const pid of living) endOne(pid);
    await setTimeout(10);
  }
}

function listLiving(folder: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => ["cmdline", "environ"].some((name) => readProc(pid, name).includes(folder)))
    .filter((pid) => readRow(pid)?.ended === false);
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(path.join("/proc", String(pid), name), "latin1");
  } catch {
    return "";
  }
}

function endOne(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

const check = `import assert from "node:assert/strict";
const { answer } = await import(\`../src/\${process.argv[2]}.mjs\`);
assert.equal(answer, 42);
`;

function briefOf(id: string): string {
  const validator = `{ name: tests, command: [node, test/answer.test.mjs, ${id}], timeout: 90s }`;
  return briefFile([`id: ${id}`, `title: Answer ${id}`, "repo: ../..", `validators: [${validator}]`], `Answer ${id}`);
}

function configFile(settings: string): string {
  const models = { honest: "honest.mjs", careful: "syncs-its-work.mjs" };
  const items = Object.entries(models).map(([name, file]) => {
    const command = JSON.stringify([process.execPath, agentPath(file)]);
    return `  - { name: ${name}, adapter: command, command: ${command}, env: [AGENT_SOURCE, AGENT_BROKEN] }\n`;
  });
  // It works on many tasks at a time, each with a file of its own.
  const each = `AGENT_SOURCE=src/$(basename "$TASK_PHASE_TASK_DIR").mjs exec ${process.execPath} ${agentPath("syncs-its-work.mjs")}`;
  items.push(`  - { name: each, adapter: command, command: ${JSON.stringify(["/bin/sh", "-c", each])} }\n`);
  return `models:\n${items.join("")}${settings}`;
}
