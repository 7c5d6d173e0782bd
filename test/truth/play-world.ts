import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { renderState } from "../../lib/documents/templates/render-task-files.ts";
import { projectRoot } from "../cli/arrange.ts";
import { bases } from "./bases/bases.ts";
import type { Base, Edits, TruthCase } from "./case.ts";
import type { Toolbox } from "./tools.ts";

/** One case on disk: its repo with a first commit, a task at intake, and folders of its own for all that is no repo. */
export interface PlayWorld {
  readonly folder: string;
  readonly repo: string;
  readonly taskDir: string;
  /** What the scripted agent reads. */
  readonly plan: string;
  readonly base: Base;
  readonly validators: Readonly<Record<string, readonly string[]>>;
  readonly env: Readonly<Record<string, string>>;
  /** The base's files that git ignores, for another copy of the repo. */
  fillIgnored(folder: string): void;
  remove(): void;
}

export const agentProgram = path.join(projectRoot, "test", "truth", "scripted-agent.mjs");

export function makePlayWorld(one: TruthCase, tools: Toolbox): PlayWorld {
  const base = bases[one.base];
  if (base === undefined) throw new Error(`${one.name}: there is no base ${one.base}`);
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "task-phase-truth-")));
  const inside = (...parts: string[]) => path.join(folder, ...parts);
  const folders = {
    repo: inside("place/repo"),
    task: inside("place/repo/tasks/T-1"),
    above: inside("place"),
    config: inside("config"),
    home: inside("home"),
    tmp: inside("tmp"),
  };
  for (const made of [...Object.values(folders), inside("hidden")]) mkdirSync(made, { recursive: true });
  const env = worldEnvironment(folder, tools);
  const validators = one.validators ?? base.validators;
  const title = one.title ?? base.title;
  const fillIgnored = (where: string) => {
    for (const edits of [base.ignored, one.ignored]) if (edits !== undefined) applyAtStart(where, edits, env);
  };

  for (const [name, text] of Object.entries({ ...base.files, ...one.repo })) {
    if (text !== null) writeText(path.join(folders.repo, name), text);
  }
  for (const [name, text] of Object.entries(one.hidden ?? {})) writeText(inside("hidden", name), text);
  writeText(path.join(folders.task, "README.md"), renderTask(one, base, validators, inside("hidden")));
  writeText(path.join(folders.task, "STATE.md"), firstState(title));
  for (const [name, text] of Object.entries(one.task ?? {})) writeText(path.join(folders.task, name), text);
  writeText(path.join(folders.repo, "tasks", "task-phase.yaml"), renderSettings(inside("plan.json"), tools));
  writeText(inside("plan.json"), JSON.stringify({ ...one, title, folders }));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folders.repo, env, stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  fillIgnored(folders.repo);
  return {
    folder,
    repo: folders.repo,
    taskDir: folders.task,
    plan: inside("plan.json"),
    base,
    validators,
    env,
    fillIgnored,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Checks are run with everything of this, so nothing of the caller's own settings is in it. */
function worldEnvironment(folder: string, tools: Toolbox): Record<string, string> {
  const who = { NAME: "Test", EMAIL: "test@example.invalid" };
  const identity = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  return {
    ...Object.fromEntries(identity),
    ...tools.env,
    HOME: path.join(folder, "home"),
    XDG_STATE_HOME: path.join(folder, "state"),
    XDG_CONFIG_HOME: path.join(folder, "config"),
    XDG_CACHE_HOME: path.join(folder, "cache"),
    TMPDIR: path.join(folder, "tmp"),
    // Compiled once for all cases; what a case itself compiles has paths of its own.
    ...(tools.there.has("go") ? { GOCACHE: path.join(os.tmpdir(), "task-phase-truth-go-cache") } : {}),
    LANG: "C.UTF-8",
    TZ: "UTC",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    NO_UPDATE_NOTIFIER: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    TASK_PHASE_TRUST: "1",
    // Where a service of this machine would be: a file there stands for it, in the repo and in every copy alike.
    SERVICE_DIR: path.join(folder, "place"),
  };
}

/** HERE in a text or a line is the folder: what is installed often knows where it lies. */
function applyAtStart(folder: string, edits: Edits, env: PlayWorld["env"]): void {
  for (const [name, text] of Object.entries(edits.write ?? {})) {
    writeText(path.join(folder, name), text.replaceAll("HERE", folder));
  }
  for (const [name, target] of Object.entries(edits.link ?? {})) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    execFileSync("ln", ["-s", target.replaceAll("HERE", folder), path.join(folder, name)]);
  }
  for (const line of edits.run ?? []) {
    execFileSync("/bin/sh", ["-ec", line.replaceAll("HERE", folder)], { cwd: folder, env, stdio: "ignore" });
  }
}

function renderTask(one: TruthCase, base: Base, validators: PlayWorld["validators"], hidden: string): string {
  const title = one.title ?? base.title;
  const checks = Object.entries(validators).map(([name, command]) => {
    const expected = one.expect?.[name];
    const expect = expected === undefined ? "" : `, expect: ${JSON.stringify(expected)}`;
    return `  - { name: ${name}, command: ${JSON.stringify(command)}, timeout: 2m${expect} }`;
  });
  // Few attempts, so that a night of all cases is short: how often the same is tried decides nothing here.
  const limits = ["budget: { passes: 12, repairs: 2 }", "retries_per_failure: 1"];
  const lines = ["id: T-1", `title: ${JSON.stringify(title)}`, "validators:", ...checks, ...limits];
  const more = (one.contract ?? []).map((line) => line.replaceAll("HIDDEN", hidden));
  return `---\n${[...lines, ...more].join("\n")}\n---\n\n# ${title}\n\n${one.brief ?? base.brief}\n`;
}

function firstState(title: string): string {
  return renderState({ id: "T-1", title, userFacing: false, now: "2026-01-02T03:04:05.000Z" });
}

function renderSettings(plan: string, tools: Toolbox): string {
  const command = JSON.stringify([process.execPath, agentProgram, plan]);
  // Without them an agent of another home could not run the tools that the checks run.
  const env = JSON.stringify(Object.keys(tools.env).filter((name) => name !== "PATH"));
  return `models:\n  - { name: scripted, adapter: command, command: ${command}, timeout: 60s, env: ${env} }\n`;
}

export function writeText(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
