import path from "node:path";
import type { TestContext } from "node:test";
import type { ReviewedEvent } from "../../lib/rules/events.ts";
import type { Phase } from "../../lib/rules/phases.ts";
import { agentPath } from "../fake-agents/agent-path.ts";
import { eventsAt, stateFile } from "./task-states.ts";
import { makeTaskWorld, type TaskCase, type TaskSpec, type TaskWorld, validator } from "./task-world.ts";

/** A task whose model is a reviewer too: what each role says is prepared. */
export interface ReviewCase extends TaskCase {
  /** What this role says from now on. */
  says(role: string, report: string): void;
  /** What this role does from now on: lines of a shell script; `$reviews` is the folder of what was prepared. */
  does(role: string, script: string): void;
  /** What this role reports to have used. */
  costs(role: string, usage: object): void;
  /** Which reviewers were asked so far: `role phase pass`, sorted. */
  asked(): string[];
  reviews(): ReviewedEvent[];
  /** A path of what was prepared for reviewers, from the top of the world. */
  prepared(name: string): string;
}

export interface ReviewWorld extends TaskWorld {
  reviewed(name: string, phase: Phase, roles: readonly string[], spec?: Partial<ReviewSpec>): Promise<ReviewCase>;
}

export interface ReviewSpec extends TaskSpec {
  readonly at: string;
  readonly more: readonly string[];
}

export const none = "All of it was read.\n\n## Findings\n\nnone\n";

export function report(...findings: readonly string[]): string {
  return `## Findings\n\n${findings.map((finding) => `- ${finding}\n`).join("")}`;
}

export function makeReviewWorld(t: TestContext): ReviewWorld {
  const world = makeTaskWorld(t);
  return {
    ...world,
    reviewed: async (name, phase, roles, spec = {}) => {
      const { at = "[review]", more = [], model = "", ...rest } = spec;
      const review = `review: { reviewers: [${roles.join(", ")}], at: ${at} }`;
      const task = await world.makeTask(name, {
        state: { phase },
        events: (place) => eventsAt(phase, place),
        contract: [validator, review, ...more],
        ...rest,
      });
      const folder = path.join("cases", name);
      const prepared = (file: string) => path.join(folder, "proposals", "reviews", file);
      const command = ["/bin/sh", agentPath("reviews.sh"), world.path(folder, "proposals")];
      world.write(
        path.join(folder, "tasks", "task-phase.yaml"),
        `models:\n  - { name: prepared, adapter: command, command: ${JSON.stringify(command)}${model} }\n`,
      );
      for (const role of roles) world.write(prepared(`${role}.md`), none);
      return {
        ...task,
        prepared,
        says: (role, text) => void world.write(prepared(`${role}.md`), text),
        does: (role, script) => void world.write(prepared(`${role}.sh`), script),
        costs: (role, usage) => void world.write(prepared(`${role}.json`), JSON.stringify(usage)),
        asked: () => (world.exists(prepared("calls")) ? world.read(prepared("calls")).trim().split("\n").sort() : []),
        reviews: () => task.events().filter((event) => event.type === "reviewed"),
      };
    },
  };
}

/** A proposal of the phase, and nothing else. */
export function proposes(phase: Phase): { task: Record<string, string> } {
  return { task: { "STATE.md": stateFile({ phase }) } };
}

/** The verdicts that `check` decides otherwise than the run did. */
export async function wrongVerdicts(task: ReviewCase): Promise<string[]> {
  const report = (await task.command("check", "--json")).json() as { findings: { code: string; message: string }[] };
  // The arranged verdict has no record.
  return report.findings.filter(({ code }) => code !== "TP_RECORD_MISSING").map(({ message }) => message);
}
