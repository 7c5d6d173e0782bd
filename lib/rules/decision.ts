import type { Shape } from "../text/shape.ts";
import type { escalation, failure, gateResult, reason, ticket } from "./shapes/facts.ts";
import type { decision } from "./shapes/pass-facts.ts";
import type { escalationCauses, progressKinds, reasonCategories, verdicts } from "./words.ts";

export type Verdict = (typeof verdicts)[number];

export type ReasonCategory = (typeof reasonCategories)[number];

export type Reason = Shape<typeof reason>;

export type GateResult = Shape<typeof gateResult>;

export type ProgressKind = (typeof progressKinds)[number];

export type Ticket = Shape<typeof ticket>;

export type EscalationCause = (typeof escalationCauses)[number];

export type Escalation = Shape<typeof escalation>;

/** A repeated failure with only accepted work between. */
export type Failure = Shape<typeof failure>;

export type RunnerFields = Decision["runner_fields"];

export type Decision = Shape<typeof decision>;
