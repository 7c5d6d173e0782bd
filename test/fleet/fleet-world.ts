import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { chmodSync, readdirSync } from "node:fs";
import type { TestContext } from "node:test";
import { makeWorld, type RunEnd, type World } from "../cli/arrange.ts";
import { briefFile } from "../cli/brief-file.ts";
import { stateFile } from "../cli/task-states.ts";
import type { Report } from "../cli/task-world.ts";

/**
 * Does what each phase asks for, from intake to done, and says by WHO who it was. AGENT_NAP: seconds before that.
 * AGENT_FIRST: a shell command that it runs before anything else. AGENT_FOREVER: it stays in implement, and adds a line
 * to the work in each pass. REVIEW_FIRST: as AGENT_FIRST, for a reviewer.
 */
const agent = `#!/bin/sh
cat > /dev/null
echo "$WHO$TASK_PHASE_ROLE" >> "$CALLS"
if [ -n "$TASK_PHASE_ROLE" ]; then eval "\${REVIEW_FIRST:-:}"; printf '## Findings\\n\\nnone\\n'; exit; fi
eval "\${AGENT_FIRST:-:}"
sleep "\${AGENT_NAP:-0}"
S="$TASK_PHASE_TASK_DIR/STATE.md"
set_field() { sed -i "s/^- $1:.*/- $1: $2/" "$S"; }
case $TASK_PHASE_PHASE in
intake) set_field Phase shape; set_field Objective "told by $WHO"; set_field "Done gate" g
  set_field "Not doing" none; set_field "Reality constraints" none ;;
shape) set_field Phase implement; set_field "Validation plan" "planned by $WHO" ;;
implement)
  if [ -n "$AGENT_FOREVER" ]; then echo "$TASK_PHASE_PASS by $WHO" >> "$TASK_PHASE_REPO/work.txt"; exit; fi
  echo "made by $WHO" > "$TASK_PHASE_REPO/work.txt"; echo proof > "$TASK_PHASE_TASK_DIR/artifacts/proof.txt"
  set_field Phase verify; set_field "Current result" works ;;
verify) set_field Phase review ;;
review) set_field "Candidate done" yes; set_field Phase done; printf '\\n<promise>COMPLETE</promise>\\n' ;;
esac
`;

export interface MachineOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** In a process of its own, as `claim`: for what races, freezes or is killed. */
  readonly apart?: boolean;
  readonly onStart?: (child: ChildProcess) => void;
  /** The present time for a call that is answered in this process. */
  readonly now?: () => Date;
}

/** A machine with a state folder and a cache of its own. */
export interface Machine {
  readonly name: string;
  /** `run --claim` in a process of its own. */
  claim(task: string, args?: readonly string[], options?: MachineOptions): Promise<RunEnd>;
  /** The same with `--json`, answered in this process, its exit code held against what it says. */
  pass(task: string, args?: readonly string[], options?: MachineOptions): Promise<Report>;
  /** The whole environment of its processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Its folders under the world: `cache` and `state`. */
  readonly cache: string;
  readonly state: string;
}

export interface Fleet extends World {
  machine(name: string): Machine;
  /** The bare repository that the machines share. */
  readonly remote: string;
  /** A git command in the remote. */
  inRemote(...args: string[]): string;
  /** A file of the task's branch. */
  onBranch(task: string, file: string): string;
  events(task: string): Record<string, unknown>[];
  /** The subjects of the branch's commits since its base, oldest first. */
  subjects(task: string): string[];
  /** What `check --history` says of a fresh clone of the branch: its exit code and its words. */
  check(task: string): Promise<RunEnd>;
  /** Who called the agent, one name a call. */
  calls(): string[];
}

export interface FleetOptions {
  readonly tasks?: readonly string[];
  /** Lines of task-phase.yaml before `models`. */
  readonly config?: string | ((world: World) => string);
  /** Of each brief. */
  readonly repo?: string;
  /** The tasks root with a slash behind it; empty: the top of the repository. */
  readonly root?: string;
  /** Files of the repo beside the tasks. */
  readonly files?: Readonly<Record<string, string>>;
  /** The model's own bound. */
  readonly timeout?: string;
  /** More keys of the model. */
  readonly model?: string;
  readonly brief?: readonly string[];
}

export const validator = "validators: [{ name: tests, command: [test, -f, code.txt] }]";

export function makeFleet(t: TestContext, options: FleetOptions = {}): Fleet {
  const { tasks = ["T-1"], config = "", files = {}, timeout = "60s", brief = [validator] } = options;
  const { repo = "../..", root = "tasks/" } = options;
  const more = options.model === undefined ? "" : `, ${options.model}`;
  const world = makeWorld(t);
  chmodSync(world.write("agent.sh", agent), 0o755);
  const env = "env: [WHO, CALLS, AGENT_NAP, AGENT_FIRST, AGENT_FOREVER, REVIEW_FIRST]";
  const model = `models:\n  - { name: mine, adapter: command, command: [${world.path("agent.sh")}], timeout: ${timeout}, ${env}${more} }\n`;
  const folders = tasks.flatMap((id) => [
    [
      `${root}${id}/README.md`,
      briefFile([`id: ${id}`, "title: Export the answer", `repo: ${repo}`, ...brief], "Export it"),
    ],
    [`${root}${id}/STATE.md`, stateFile({ phase: "intake" })],
  ]);
  world.initRepo(
    {
      ...(repo === "../.." ? { "code.txt": "code\n" } : {}),
      [`${root}.gitignore`]: ".task-phase/\n",
      [`${root}task-phase.yaml`]: `${typeof config === "string" ? config : config(world)}${model}`,
      ...Object.fromEntries(folders),
      ...files,
    },
    "first",
  );
  world.git(".", "clone", "-q", "--bare", "first", "remote.git");
  const remote = world.path("remote.git");
  const inRemote = (...args: string[]) => world.git("remote.git", ...args);
  const onBranch = (task: string, file: string) => inRemote("show", `task-phase/${task}:${file}`);
  let checks = 0;
  return {
    ...world,
    remote,
    inRemote,
    onBranch,
    machine: (name) => makeMachine(world, name),
    events: (task) =>
      onBranch(task, `${root}${task}/artifacts/journal.jsonl`)
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    subjects: (task) =>
      inRemote("log", "--reverse", "--format=%s", `main..task-phase/${task}`)
        .split("\n")
        .filter((line) => line !== ""),
    check: async (task) => {
      checks += 1;
      const clone = `check-${checks}`;
      world.git(".", "clone", "-q", "-b", `task-phase/${task}`, remote, clone);
      return await world.run("task-phase", ["check", "--tasks-root", `./${root}`, "--history"], { cwd: clone });
    },
    calls: () => (world.exists("calls") ? world.read("calls").trimEnd().split("\n") : []),
  };
}

/** T-1 in shape, whose pass begins with a reviewer that costs 0.5. */
export async function makeReviewed(t: TestContext): Promise<Fleet> {
  const brief = [validator, "review: { reviewers: [security], at: [shape] }"];
  const fleet = makeFleet(t, { brief, model: "estimate_usd: 0.5" });
  const first = await fleet.machine("first").pass("T-1");
  assert.equal(first.to, "shape", first.reason);
  return fleet;
}

function makeMachine(world: World, name: string): Machine {
  const [cache, state] = [`${name}-cache`, `${name}-state`];
  const own = {
    XDG_CACHE_HOME: world.path(cache),
    XDG_STATE_HOME: world.path(state),
    TASK_PHASE_WORKER: name,
    CALLS: world.path("calls"),
    WHO: name,
  };
  const words = (task: string, args: readonly string[]) => {
    return ["run", "--claim", "--remote", world.path("remote.git"), "--task", task, ...args];
  };
  const claim: Machine["claim"] = (task, args = [], { env = {}, onStart } = {}) =>
    world.run("task-phase", words(task, args), {
      env: { ...own, ...env },
      ...(onStart === undefined ? {} : { onStart }),
    });
  return {
    name,
    env: { ...world.env, ...own },
    cache,
    state,
    claim,
    pass: async (task, args = [], options = {}) => {
      const isApart = options.apart === true || options.onStart !== undefined;
      const json = ["--json", ...args];
      const end = isApart
        ? await claim(task, json, options)
        : await world.call("task-phase", words(task, json), {
            env: { ...own, ...options.env },
            ...(options.now === undefined ? {} : { now: options.now }),
          });
      const report = end.json() as unknown as Report;
      assert.equal(end.code, report.exit_code, end.stderr);
      return report;
    },
  };
}

export const codesOf = ({ findings }: Report): string[] => findings.map(({ code }) => code);

/** The working trees that the machine has, one remote or several. */
export function clonesOf(fleet: Fleet, { cache }: Machine): string[] {
  const clones = `${cache}/task-phase/clones`;
  if (!fleet.exists(clones)) return [];
  return readdirSync(fleet.path(clones)).flatMap((key) => readdirSync(fleet.path(clones, key)));
}
