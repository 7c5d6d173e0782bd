/** How a file of the task folder is guarded while a pass runs. */
interface GuardedFile {
  readonly guard: "task_file" | "runner_file";
  /**
   * `edits`: a pass may change it within its form. `habit`: models write to it unasked, so it is put back, and that is
   * no tampering.
   */
  readonly pass: "edits" | "never" | "habit";
}

/** The files at the top of a task folder that the runner compares; every other one but CONTROL.md is the agent's own. */
export const guardedFiles: ReadonlyMap<string, GuardedFile> = new Map<string, GuardedFile>(
  Object.entries({
    "README.md": { guard: "task_file", pass: "never" },
    "STATE.md": { guard: "task_file", pass: "edits" },
    "TASKS.md": { guard: "task_file", pass: "edits" },
    "EVIDENCE.md": { guard: "runner_file", pass: "edits" },
    "DECISIONS.md": { guard: "task_file", pass: "edits" },
    "ASSUMPTIONS.md": { guard: "runner_file", pass: "never" },
    "DEFERRED.md": { guard: "runner_file", pass: "never" },
    "SUMMARY.md": { guard: "runner_file", pass: "habit" },
    "log.txt": { guard: "runner_file", pass: "habit" },
    "progress.txt": { guard: "runner_file", pass: "habit" },
    "last_error.txt": { guard: "runner_file", pass: "habit" },
  }),
);

/** A person's, also while a pass runs. */
export const controlFile = "CONTROL.md";

/** What only the runner writes under artifacts/, besides the folder of passes. It changes with every verdict. */
export const runnerArtifacts: readonly string[] = [
  "journal.jsonl",
  "checkpoint.json",
  "evidence.html",
  "attestation.json",
  "status.md",
];
