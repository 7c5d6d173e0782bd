import type { Shape } from "../text/shape.ts";
import type { AnyEvent, passRunner } from "./shapes/events.ts";
import type { controlCommands, degradeSteps } from "./words.ts";

/** Without the chain. `state` is the whole accepted STATE.md afterwards. */
export type TaskEvent = AnyEvent;

/** A claim only: no decision depends on it. */
export type PassRunner = Shape<typeof passRunner>;

export type ControlCommand = (typeof controlCommands)[number];
export type DegradeStep = (typeof degradeSteps)[number];

/** An empty list ends the degrading. */
export type DegradedEvent = Extract<TaskEvent, { readonly type: "degraded" }>;

/** A reviewer's report, or that it was unreadable. Counts until the role reports again. */
export type ReviewedEvent = Extract<TaskEvent, { readonly type: "reviewed" }>;
