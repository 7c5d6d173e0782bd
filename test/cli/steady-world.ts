import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type MatrixCase, makeMatrixWorld } from "./matrix-world.ts";

type Files = Readonly<Record<string, string>>;

/** What a play starts from, and what it changes. */
export interface Play {
  readonly repo: Files;
  readonly work: Files;
  readonly contract: readonly string[];
}

export interface SteadyCase extends MatrixCase {
  /** From implement to what the runner makes of verify → review, and of review → done if that was accepted. */
  play(work: Files): Promise<void>;
  /** How often the counter of this name was asked. */
  runs(name: string): number;
}

/** Plays whose checks count in files beside the repo, so that what fails when is the same each time. */
export function makeSteadyWorld(t: TestContext) {
  const world = makeMatrixWorld(t);
  return {
    ...world,
    start: async (folder: string, { repo, contract }: Omit<Play, "work">): Promise<SteadyCase> => {
      world.write(`cases/${folder}/count/runs`, "");
      const task = await world.begin(folder, { repo: fill(repo, world.path("cases", folder)), contract });
      return {
        ...task,
        runs: (name) => world.read(`cases/${folder}/count/${name}`).length,
        play: async (work) => {
          for (const to of ["verify", "review"] as const) {
            const report = await task.step(to, fill(work, world.path("cases", folder)));
            if (report.to !== to) return;
          }
          await task.step("done");
        },
      };
    },
  };
}

/** `@COUNT` stands for a folder outside the repo. */
function fill(files: Files, folder: string): Files {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replaceAll("@COUNT", `${folder}/count`)]),
  );
}

/** A line of shell that fails in each run for which the expression over `n`, the number of the run, holds. */
export function flake(when: string, name = "runs"): string {
  return `echo >> @COUNT/${name}; n=$(($(wc -l < @COUNT/${name})))\ntest $((${when})) -eq 0 || { echo "not ok 9 - settles"; bad=1; }\n`;
}

/** A check that prints its tests as TAP: `name` holds if the shell line does. */
export function tap(lines: readonly (readonly [name: string, holds: string])[], more = ""): string {
  const each = lines.map(
    ([name, holds], index) =>
      `if ${holds}; then echo "ok ${index + 1} - ${name}"; else echo "not ok ${index + 1} - ${name}"; bad=1; fi\n`,
  );
  return `bad=0\n${each.join("")}${more}exit $bad\n`;
}

export function kindsOf(task: MatrixCase): readonly (readonly [name: string, kind: string])[] {
  return (task.last().matrix?.steadiness ?? []).map(({ name, kind }) => [name, kind]);
}

export function assertSaid(task: MatrixCase, said: RegExp): void {
  for (const file of ["EVIDENCE.md", "artifacts/evidence.html"]) assert.match(task.read(file), said, file);
}
