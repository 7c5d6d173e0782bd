import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { agentPath } from "../fake-agents/agent-path.ts";
import { makeWorld, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";
import { stateFile } from "./task-states.ts";

export interface BranchWorld extends World {
  /** What the person has: working tree, index, stash, HEAD and every ref that is not the runner's. */
  mine(): string;
  /** The task's file as its branch has it. */
  onBranch(task: string, file: string): string;
  phaseOf(task: string): Promise<string>;
  branches(): string[];
  /** A command in the repo, which must end with this exit code. */
  ends(code: number, ...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }>;
}

export interface BranchTask {
  readonly contract?: readonly string[];
  readonly plan?: readonly string[];
}

/**
 * A repository of a person with one commit and these tasks, which are in no commit, and `workspace: branch`. Each task
 * changes a file of its own name, and is honest but where its plan says otherwise (test/fake-agents/branches.sh).
 */
export function makeBranchWorld(
  t: TestContext,
  tasks: Readonly<Record<string, BranchTask>>,
  config = "workspace: branch\n",
): BranchWorld {
  const world = makeWorld(t);
  world.initRepo({ "work.txt": "first\n", ".gitignore": "ignored/\n" });
  const plans = world.path("plans");
  world.write("plans/.keep", "");
  const command = ["/bin/sh", agentPath("branches.sh"), plans].map((word) => JSON.stringify(word)).join(", ");
  const models = `models:\n  - { name: walker, adapter: command, command: [${command}], timeout: 60s }\n`;
  world.write("repo/tasks/task-phase.yaml", `${config}${models}`);
  for (const [id, { contract = [], plan = [] }] of Object.entries(tasks)) {
    const check = `validators: [{ name: tests, command: [sh, -c, "test ! -f broken-${id}"] }]`;
    const lines = contract.some((line) => line.startsWith("validators")) ? contract : [check, ...contract];
    const brief = [`id: ${id}`, `title: Do ${id}`, "advance: auto", "proof: { without: off, clean: off, wrong: off }"];
    world.write(`repo/tasks/${id}/README.md`, briefFile([...brief, ...lines], "Do it"));
    world.write(
      `repo/tasks/${id}/STATE.md`,
      stateFile({ phase: "implement" }).replace("Phase: implement", "Phase: intake"),
    );
    world.write(`plans/${id}.plan`, plan.join("\n"));
  }
  const git = (...args: string[]) => world.git("repo", ...args);
  return {
    ...world,
    mine: () =>
      [
        git("status", "--porcelain=v1", "--untracked-files=all"),
        git("stash", "list"),
        git("symbolic-ref", "HEAD"),
        ...git("for-each-ref")
          .split("\n")
          .filter((line) => !line.includes("refs/heads/task-phase/") && !line.includes("refs/task-phase/")),
        git("ls-files", "--stage"),
        git("hash-object", ...git("ls-files", "-co", "--exclude-standard").trim().split("\n")),
      ].join("\n"),
    onBranch: (task, file) => git("show", `task-phase/${task}:tasks/${task}/${file}`),
    branches: () => git("for-each-ref", "--format=%(refname:short)", "refs/heads").trim().split("\n"),
    phaseOf: async (task) => {
      const { stdout } = await world.call("task-phase", ["status", "--json"], { cwd: "repo" });
      const { tasks: all } = JSON.parse(stdout) as { tasks: { task: string; phase: string }[] };
      return all.find((each) => each.task === task)?.phase ?? "missing";
    },
    ends: async (code, ...args) => {
      const end = await world.call("task-phase", args, { cwd: "repo" });
      assert.equal(end.code, code, `task-phase ${args.join(" ")}\n${end.stdout}\n${end.stderr}`);
      return end;
    },
  };
}
