import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { commandTable } from "../../lib/cli/command-table.ts";
import { makeWorld, projectRoot, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { stateFile } from "./task-states.ts";

const isThere = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

/** A project with two tasks, one of them with a hostile id, and `task-phase` on PATH. */
function makeProject(t: Parameters<typeof makeWorld>[0]): { world: World; env: Record<string, string> } {
  const world = makeWorld(t);
  const task = (folder: string, id: string) => {
    world.write(`tasks/${folder}/README.md`, briefFile([`id: ${id}`, "title: x"], "Do it"));
    world.write(`tasks/${folder}/STATE.md`, stateFile({ phase: "intake" }));
  };
  task("T-1-first", "T-1");
  task("T-22-second", '"T-22" # the second');
  task("evil", "$(touch pwned)");
  world.write("tasks/$(touch pwned)/STATE.md", "x");
  world.write("notes with spaces.txt", "x");
  const bin = path.join(projectRoot, "bin", "task-phase");
  chmodSync(world.write("bin/task-phase", `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`), 0o755);
  return { world, env: { ...world.env, PATH: `${world.path("bin")}:${world.env.PATH}` } };
}

async function scriptOf(world: World, shell: string): Promise<string> {
  const end = await world.call("task-phase", ["completion", shell]);
  assert.equal(end.code, 0, end.stderr);
  return world.write(`completion.${shell}`, end.stdout);
}

test("the names of tasks are their ids, without what a shell could take for something else", async (t) => {
  const { world } = makeProject(t);
  const end = await world.call("task-phase", ["completion", "tasks"], { cwd: "tasks/T-1-first" });
  assert.deepEqual(end.stdout.split("\n"), ["T-1", "T-22", "evil", ""]);
  const empty = makeWorld(t);
  assert.deepEqual((await empty.call("task-phase", ["completion", "tasks"])).stdout, "");
});

test("an unknown shell is named, with the known ones", async (t) => {
  const world = makeWorld(t);
  const end = await world.call("task-phase", ["completion", "bahs"]);
  assert.equal(end.code, 64);
  assert.match(end.stderr, /no completions for bahs \[TP_USAGE_SHELL\]\n {2}fix: did you mean bash\? known shells: /);
  assert.match((await world.call("task-phase", ["completion"])).stderr, /no shell was named/);
});

describe("in bash", { skip: !isThere("bash") }, () => {
  test("commands, flags, ids, files, phases and topics are completed", async (t) => {
    const { world, env } = makeProject(t);
    const file = await scriptOf(world, "bash");
    const complete = (...words: string[]) => {
      const argv = words.map((word) => `'${word}'`).join(" ");
      const code = `. "${file}"; COMP_WORDS=(${argv}); COMP_CWORD=${words.length - 1}; _task_phase ${words[0]}; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const text = execFileSync("bash", ["-u", "-c", code], { cwd: world.folder, env, encoding: "utf8" });
      return text.trimEnd().split("\n");
    };
    assert.deepEqual(complete("task-phase", "re"), ["resume"]);
    assert.deepEqual(complete("task-phase", ""), [...commandTable.map(({ name }) => name), "help", "version"]);
    assert.deepEqual(complete("task-phase", "run", "T"), ["T-1", "T-22"]);
    assert.deepEqual(complete("task-phase", "-v", "run", "T-2"), ["T-22"]);
    assert.deepEqual(complete("task-phase", "run", "--m"), ["--model", "--models"]);
    assert.deepEqual(complete("task-phase", "loop", "--max-"), ["--max-passes", "--max-seconds", "--max-wait"]);
    assert.deepEqual(complete("task-phase-run", "--task-dir", "T-1"), ["T-1"]);
    assert.deepEqual(complete("/some/where/task-phase-loop", "--dry"), ["--dry-run"]);
    assert.deepEqual(complete("task-phase", "resume", "T-1", "--to", "ver"), ["verify"]);
    assert.deepEqual(complete("task-phase", "import", "--from", "not"), ["notes with spaces.txt"]);
    assert.deepEqual(complete("task-phase", "trust", "ta"), ["tasks"]);
    assert.deepEqual(complete("task-phase", "help", "ex"), ["export", "exit-codes"]);
    assert.deepEqual(complete("task-phase", "completion", "b"), ["bash"]);
    assert.deepEqual(complete("task-phase", "run", "--model", ""), [""]);
    assert.deepEqual(complete("task-phase", "nonsense", ""), [""]);
    assert.equal(world.exists("pwned"), false);
  });
});

describe("in fish", { skip: !isThere("fish") }, () => {
  test("commands, flags and ids are completed", async (t) => {
    const { world, env } = makeProject(t);
    const file = await scriptOf(world, "fish");
    const complete = (line: string) =>
      execFileSync("fish", ["--no-config", "-c", `source ${file}; complete -C '${line}'`], {
        cwd: world.folder,
        env,
        encoding: "utf8",
      })
        .trimEnd()
        .split("\n")
        .map((found) => found.split("\t")[0]);
    assert.deepEqual(complete("task-phase resu"), ["resume"]);
    assert.deepEqual(complete("task-phase run T"), ["T-1", "T-22"]);
    assert.deepEqual(complete("task-phase loop --max-p"), ["--max-passes"]);
    assert.deepEqual(complete("task-phase resume T-1 --to ver"), ["verify"]);
  });
});

describe("in zsh", { skip: !isThere("zsh") }, () => {
  test("commands, flags and ids are completed", async (t) => {
    const { world, env } = makeProject(t);
    const file = await scriptOf(world, "zsh");
    // compadd is what the function offers in the end; here it prints that.
    const complete = (...words: string[]) => {
      const argv = words.map((word) => `'${word}'`).join(" ");
      const code = `compdef() { : }; compadd() { [[ $1 == -a ]] && print -l -- \${(P)2} || { shift; print -l -- "$@" } }; . ${file}; words=(${argv}); CURRENT=${words.length}; _task_phase`;
      return execFileSync("zsh", ["-f", "-c", code], { cwd: world.folder, env, encoding: "utf8" })
        .trimEnd()
        .split("\n");
    };
    assert.deepEqual(complete("task-phase", ""), [...commandTable.map(({ name }) => name), "help", "version"]);
    assert.deepEqual(complete("task-phase", "run", ""), ["T-1", "T-22", "evil"]);
    assert.ok(complete("task-phase-loop", "--").includes("--max-passes"));
  });
});
