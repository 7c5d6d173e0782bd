import { type CommandName, commandTable } from "./command-table.ts";
import { commandHelp, helpTopics, programHelp } from "./help.ts";
import type { Line } from "./paint.ts";

/** The programs of bin/ that stand for one command. */
export const ownPrograms = ["init", "run", "loop"] as const satisfies readonly CommandName[];

/** Answers by their key: those that are the same for every call, in every folder and on every machine. */
export type KnownAnswers = Readonly<Record<string, readonly Line[]>>;

/** Every help, as the command table says it. The build writes them into a file for `start`. */
export function listKnownAnswers(): KnownAnswers {
  const byName = new Map(commandTable.map((spec) => [spec.name, spec]));
  const programs = ownPrograms.flatMap((name) => {
    const spec = byName.get(name);
    return spec === undefined ? [] : [[`task-phase-${name}`, commandHelp(spec, `task-phase-${name}`)] as const];
  });
  return Object.fromEntries<readonly Line[]>([
    ["task-phase", programHelp()],
    ...Object.entries(helpTopics).map(([name, topic]) => [`topic ${name}`, topic()] as const),
    ...commandTable.map((spec) => [`task-phase ${spec.name}`, commandHelp(spec, `task-phase ${spec.name}`)] as const),
    ...programs,
  ]);
}
