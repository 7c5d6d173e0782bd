import type { AnyEvent, passRunner } from "../shapes/events.ts";
import type { Shape } from "../text/shape.ts";
import type { controlCommands, degradeSteps } from "./words.ts";

/** The events of a task's journal, without their chain. `state` is always the whole accepted STATE.md afterwards. */
export type TaskEvent = AnyEvent;

/** Who claimed a pass. What it says is a claim: nothing is decided by it. */
export type PassRunner = Shape<typeof passRunner>;

export type ControlCommand = (typeof controlCommands)[number];
export type DegradeStep = (typeof degradeSteps)[number];

/** From here on passes are made cheaper by these steps; none: as usual again. */
export type DegradedEvent = Extract<TaskEvent, { readonly type: "degraded" }>;

/** The report of one reviewer, or the fact that it was unreadable. It counts until the same role reports again. */
export type ReviewedEvent = Extract<TaskEvent, { readonly type: "reviewed" }>;
