import type { TestContext } from "node:test";
import { type Fleet, makeFleet } from "./fleet-world.ts";

/** A fleet whose tasks are in `remote.git`, and whose code is in `code.git`. */
export interface OwnFleet extends Fleet {
  /** A git command in the remote of the code. */
  inCode(...args: string[]): string;
  /** The commits under `refs/task-phase/code/T-1/`, sorted. */
  codeRefs(): string[];
  /** The code that the newest commit of the tasks with a name for it names. */
  named(): string;
  /** Commits a file to a branch of the code as a person, beginning at that branch or at `from`; its commit. */
  commitCode(branch: string, file: string, from?: string): string;
}

export interface OwnOptions {
  /** Keys of `fleet` beside `code`, each with a comma before it. */
  readonly fleet?: string;
  /** Lines of task-phase.yaml before `fleet`. */
  readonly before?: string;
  /** In the place of `fleet: { code: … }`. */
  readonly config?: string;
  readonly repo?: string;
  readonly root?: string;
  readonly tasks?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly code?: Readonly<Record<string, string>>;
}

export function makeOwn(t: TestContext, options: OwnOptions = {}): OwnFleet {
  const { fleet: more = "", before = "", config, code = {}, ...rest } = options;
  const fleet = makeFleet(t, {
    repo: "../../../app",
    config: (world) => config ?? `${before}fleet: { code: "${world.path("code.git")}"${more} }\n`,
    ...rest,
  });
  fleet.initRepo({ "code.txt": "code\n", ...code }, "app");
  fleet.git(".", "clone", "-q", "--bare", "app", "code.git");
  let clones = 0;
  const inCode = (...args: string[]) => fleet.git("code.git", ...args).trim();
  return {
    ...fleet,
    inCode,
    codeRefs: () =>
      inCode("for-each-ref", "--format=%(refname)", "refs/task-phase/code/T-1/")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => line.slice("refs/task-phase/code/T-1/".length)),
    named: () =>
      fleet
        .inRemote("log", "--format=%(trailers:key=Task-Phase-Code,valueonly)", "task-phase/T-1")
        .split("\n")
        .filter((line) => line !== "")[0] ?? "none",
    commitCode: (branch, file, from = branch) => {
      clones += 1;
      const clone = `person-${clones}`;
      fleet.git(".", "clone", "-q", "code.git", clone);
      fleet.git(clone, "checkout", "-q", "-B", branch, from);
      fleet.write(`${clone}/${file}`, `${file}\n`);
      fleet.git(clone, "add", "-A");
      fleet.git(clone, "commit", "-qm", `add ${file}`);
      fleet.git(clone, "push", "-qf", "origin", branch);
      return fleet.git(clone, "rev-parse", "HEAD").trim();
    },
  };
}
