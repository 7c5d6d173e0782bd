/** `checkpoint` of task-phase.yaml; each mode includes those before it. */
export const checkpointModes = ["patch", "commit", "push"] as const;

export type CheckpointMode = (typeof checkpointModes)[number];

export function commitsIn(mode: CheckpointMode): boolean {
  return mode !== "patch";
}

export function pushesIn(mode: CheckpointMode): boolean {
  return mode === "push";
}
