import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { VerdictEvent } from "../../lib/rules/verdict-event.ts";
import { stateFile } from "./task-states.ts";
import { makeTaskWorld, type Report, type TaskCase, type TaskWorld } from "./task-world.ts";

type Files = Readonly<Record<string, string>>;

/** A task whose repo has git and stands before its first implement pass, so that the checks run before the work. */
export interface MatrixCase extends TaskCase {
  /** The repo, from the top of the world. */
  readonly repo: string;
  /** One pass that leaves these files in the repo and proposes this phase. */
  step(to: "verify" | "review" | "done", files?: Files): Promise<Report>;
  /** From implement to done with this work. */
  finish(files: Files): Promise<Report>;
  /** From now on the agent runs these lines of a shell script before it lays over what is proposed. */
  agentFirst(script: string): void;
  /** The newest verdict in the journal. */
  last(): VerdictEvent;
  /** `task-phase check` finds nothing wrong with what is recorded. */
  assertChecked(): Promise<void>;
}

export interface MatrixWorld extends TaskWorld {
  /** `inside`: the task's repo is this folder of the one with git. */
  begin(
    name: string,
    spec?: { readonly contract?: readonly string[]; readonly repo?: Files; readonly inside?: string },
  ): Promise<MatrixCase>;
}

/** The check on the checks' side, the work it looks at, and a place that git ignores. */
export const origin = {
  "test/check.sh": 'test "$(sh src/answer.sh)" = 42\n',
  "src/answer.sh": "echo 0\n",
  ".gitignore": "local/\n",
};
export const solved = { "src/answer.sh": "echo 42\n" };
/** The work was there before the task. */
export const kept = { ...origin, ...solved };
export const checked = "validators: [{ name: tests, command: [sh, test/check.sh], timeout: 30s }]";

export function makeMatrixWorld(t: TestContext): MatrixWorld {
  const world = makeTaskWorld(t);
  return {
    ...world,
    begin: async (name, { contract = [], repo = origin, inside = "" } = {}) => {
      const task = await world.makeTask(name, {
        repo: {},
        state: { phase: "implement" },
        contract: [...(contract.some((line) => line.startsWith("validators:")) ? [] : [checked]), ...contract],
        events: null,
      });
      const folder = `cases/${name}/repo`;
      world.initRepo(repo, folder);
      if (inside !== "")
        task.write("README.md", task.read("README.md").replace("repo: ../../repo", `repo: ../../repo/${inside}`));
      const resumed = await task.command("resume", "--to", "implement", "--reason", "begin");
      assert.equal(resumed.code, 0, resumed.stderr);
      const step: MatrixCase["step"] = (to, files = {}) => {
        task.propose({ task: { "STATE.md": stateFile({ phase: to }) }, repo: files });
        return task.pass();
      };
      return {
        ...task,
        repo: folder,
        step,
        finish: async (files) => {
          for (const to of ["verify", "review"] as const) assertAccepted(await step(to, files), to);
          return step("done");
        },
        agentFirst: (script) => {
          const config = `cases/${name}/tasks/task-phase.yaml`;
          const words = /command: \[(.*?)\]/.exec(world.read(config))?.[1] ?? "";
          const [shell = "", layer = "", proposals = ""] = words.split(", ");
          const agent = world.write(`cases/${name}/agent.sh`, `${script}\nexec ${shell} ${layer} ${proposals}\n`);
          const command = [shell, JSON.stringify(agent), proposals].join(", ");
          world.write(
            config,
            world.read(config).replace(words, () => command),
          );
        },
        last: () => {
          const found = task.events().findLast((event): event is VerdictEvent => event.type === "verdict");
          assert(found !== undefined, "no verdict is in the journal");
          return found;
        },
        assertChecked: async () => {
          const end = await task.command("check", "--json");
          assert.deepEqual([end.code, end.json().findings], [0, []]);
        },
      };
    },
  };
}

export function assertAccepted(report: Report, to: string): void {
  assert.deepEqual([report.verdict, report.to], ["accepted", to], report.reason);
}
