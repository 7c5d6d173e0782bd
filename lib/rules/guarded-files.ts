interface GuardedFile {
  readonly guard: "task_file" | "runner_file";
  /** `edits`: within its form. `habit`: models write to it unasked, so it is restored, but is no tampering. */
  readonly pass: "edits" | "never" | "habit";
}

/** Top-level files that the runner compares; all others but CONTROL.md are the agent's. */
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

/** A person's, even during a pass. */
export const controlFile = "CONTROL.md";

/** The runner's own files under artifacts/ besides passes; they change with every verdict. */
export const runnerArtifacts: readonly string[] = [
  "journal.jsonl",
  "checkpoint.json",
  "evidence.html",
  "attestation.json",
  "status.md",
];
