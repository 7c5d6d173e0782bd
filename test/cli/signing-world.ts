import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, type TestContext } from "node:test";
import { renderState } from "../../lib/documents/templates/render-task-files.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { makeWorld, type RunEnd, type World } from "./arrange.ts";
import { briefFile } from "./brief-file.ts";

/** Why tests that sign are skipped; false if they are not. */
export const withoutSsh =
  spawnSync("ssh-keygen", ["-l"], { stdio: "ignore", input: "" }).error === undefined
    ? false
    : "ssh-keygen is not installed (openssh-client)";

/** A repository `app` with the task T-1 at intake, in which the runner signs with `keys/runner`. */
export interface SigningWorld extends World {
  readonly key: string;
  /** Makes `keys/NAME` and `keys/NAME.pub`; the path of the private one. */
  makeKey(name: string, passphrase?: string): string;
  /** A line of an allowed signers file. */
  line(name: string, options?: string): string;
  /** Writes `allowed_signers` outside of the repository; its path. */
  allow(...lines: readonly string[]): string;
  loop(...args: readonly string[]): Promise<RunEnd>;
  check(...args: readonly string[]): Promise<RunEnd>;
  app(...args: readonly string[]): string;
  /** How often the model was called. */
  calls(): number;
}

/** `first`: what each pass of the model does first, as a line of sh in the repository. */
export function makeSigningWorld(t: TestContext, config = "checkpoint: commit\n", first = ":"): SigningWorld {
  const world = makeWorld(t);
  mkdirSync(world.path("keys"));
  const signing = openWorld(world);
  signing.makeKey("runner");
  const words = ["/bin/sh", "-c", `${first}; exec /bin/sh "$0" "$1"`, agentPath("walks.sh"), world.path("plans")];
  const model = `models:\n  - { name: walker, adapter: command, command: ${JSON.stringify(words)} }\n`;
  const check = 'validators: [{ name: tests, command: [test, "!", -e, broken.txt] }]';
  world.initRepo(
    {
      "work.txt": "first\n",
      "tasks/task-phase.yaml": `sign: ssh\n${config}${model}`,
      "tasks/T-1/README.md": briefFile(["id: T-1", "title: Add a line", check], "Add"),
      "tasks/T-1/STATE.md": renderState({
        id: "T-1",
        title: "Add",
        userFacing: false,
        now: "2026-01-02T03:04:05.000Z",
      }),
    },
    "app",
  );
  world.write("plans/.keep", "");
  return signing;
}

/** Where T-1 is done in five signed commits: made once for all tests of a suite, each of which gets a copy of its own. */
export function makeDoneOnce(): { copy(t: TestContext): SigningWorld } {
  const ends: (() => unknown)[] = [];
  let done: SigningWorld | null = null;
  before(async () => {
    done = makeSigningWorld({ after: (end: () => unknown) => void ends.push(end) } as unknown as TestContext);
    const end = await done.loop();
    assert.deepEqual([end.code, codesOf(end)], [0, []]);
  });
  after(async () => {
    for (const end of ends) await end();
  });
  return {
    copy(t) {
      const world = makeWorld(t);
      cpSync(done?.folder ?? "", world.folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      return openWorld(world);
    },
  };
}

function openWorld(world: World): SigningWorld {
  const key = world.path("keys", "runner");
  const makeKey = (name: string, passphrase = "") => {
    const file = world.path("keys", name);
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", file]);
    return file;
  };
  const line = (name: string, options = "") => {
    const [type, bytes] = readFileSync(world.path("keys", `${name}.pub`), "utf8").split(" ");
    return `${name}@example.org ${options === "" ? "" : `${options} `}${type} ${bytes}`;
  };
  const env = { TASK_PHASE_SIGNING_KEY: key };
  const call = (bin: string, args: readonly string[]) => world.call(bin, args, { env, cwd: "app" });
  return {
    ...world,
    key,
    makeKey,
    line,
    allow: (...lines) => world.write("allowed_signers", `${lines.join("\n")}\n`),
    loop: (...args) => call("task-phase-loop", ["--task-dir", world.path("app/tasks/T-1"), "--json", ...args]),
    check: (...args) => call("task-phase", ["check", "--json", ...args]),
    app: (...args) => world.git("app", ...args),
    calls: () =>
      world.exists(path.join("plans", "calls")) ? world.read("plans/calls").trimEnd().split("\n").length : 0,
  };
}

export function codesOf(end: RunEnd): string[] {
  return (end.json().findings as { code: string }[]).map(({ code }) => code);
}
