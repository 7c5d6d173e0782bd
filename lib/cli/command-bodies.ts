import type { RunCommand } from "./command.ts";
import type { CommandName } from "./command-table.ts";

/** The bodies, imported when they are called: imports are most of a short command's cost. */
export const commandBodies: Readonly<Record<CommandName, () => Promise<RunCommand>>> = {
  init: async () => (await import("./init.ts")).runCommand,
  run: async () => (await import("./run.ts")).runCommand,
  loop: async () => (await import("./loop.ts")).runCommand,
  status: async () => (await import("./status.ts")).runCommand,
  check: async () => (await import("./check.ts")).runCommand,
  evidence: async () => (await import("./evidence.ts")).runCommand,
  board: async () => (await import("./board.ts")).runCommand,
  show: async () => (await import("./show.ts")).runCommand,
  answer: async () => (await import("./answer.ts")).runCommand,
  resume: async () => (await import("./resume.ts")).runCommand,
  cancel: async () => (await import("./cancel.ts")).runCommand,
  demo: async () => (await import("./demo.ts")).runCommand,
  trust: async () => (await import("./trust.ts")).runCommand,
  doctor: async () => (await import("./doctor.ts")).runCommand,
  probe: async () => (await import("./probe.ts")).runCommand,
  dispatch: async () => (await import("./dispatch.ts")).runCommand,
  worker: async () => (await import("./worker.ts")).runCommand,
  fleet: async () => (await import("./fleet.ts")).runCommand,
  import: async () => (await import("./import.ts")).runCommand,
  export: async () => (await import("./export.ts")).runCommand,
  completion: async () => (await import("./completion.ts")).runCommand,
};
