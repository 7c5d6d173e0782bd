/** What is left in git of a pass: `checkpoint` of task-phase.yaml, each with all that comes before it. */
export const checkpointModes = ["patch", "commit", "push"] as const;

export type CheckpointMode = (typeof checkpointModes)[number];

export function commitsIn(mode: CheckpointMode): boolean {
  return mode !== "patch";
}

export function pushesIn(mode: CheckpointMode): boolean {
  return mode === "push";
}
