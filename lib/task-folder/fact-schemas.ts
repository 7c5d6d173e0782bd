import * as v from "valibot";
import {
  attributions,
  type CheckResult,
  type CheckRun,
  checkStatuses,
  type Escalation,
  type EvidenceFacts,
  escalationCauses,
  type Failure,
  type GateResult,
  interruptCauses,
  limitCauses,
  type ModelEnd,
  type Reason,
  type ReviewFinding,
  reasonCategories,
  severities,
  type Tamper,
  type TestCounts,
  type Ticket,
  tamperChanges,
  tamperers,
  tamperGuards,
  ticketSources,
  type WatchedChange,
  watchedChanges,
  watchedKinds,
} from "../machine/facts.ts";
import { phaseNames } from "../machine/phases.ts";
import { type Calibration, type Cell, grades, type Proof, type SquareFacts } from "../machine/square.ts";
import { whole } from "../text/read-shape.ts";

/** One kind of a union that is told apart by `kind`. */
type Kind<Union, Name> = Extract<Union, { readonly kind: Name }>;

export const text = v.string();
export const texts = v.array(text);
/** Whole and not negative: a pass, a count, a size. */
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** What a call used, where that is known; a budget that read nonsense here would never hold. */
export const amount = v.nullable(v.pipe(v.number(), v.minValue(0)));
export const phase = v.picklist(phaseNames);
export const maybeText = v.nullable(text);
/** When a thing happened, ISO 8601. */
export const time = v.pipe(
  text,
  v.check((value) => !Number.isNaN(Date.parse(value)), "Invalid time"),
);

export const modelEnd = v.variant("kind", [
  whole<Kind<ModelEnd, "exited">>()({
    kind: v.literal("exited"),
    exit_code: v.nullable(v.number()),
    signal: maybeText,
    result_event: v.boolean(),
    said: v.exactOptional(maybeText),
  }),
  whole<Kind<ModelEnd, "timed_out">>()({
    kind: v.literal("timed_out"),
    timeout_ms: v.number(),
    role: v.exactOptional(text),
  }),
  whole<Kind<ModelEnd, "not_started">>()({ kind: v.literal("not_started"), reason: text }),
  whole<Kind<ModelEnd, "limited">>()({
    kind: v.literal("limited"),
    // Missing in journals of an earlier version.
    cause: v.optional(v.picklist(limitCauses), "rate_limit"),
    reason: text,
    until: maybeText,
  }),
  whole<Kind<ModelEnd, "auth_failed">>()({ kind: v.literal("auth_failed"), reason: text }),
  whole<Kind<ModelEnd, "interrupted">>()({
    kind: v.literal("interrupted"),
    reason: text,
    cause: v.exactOptional(v.picklist(interruptCauses)),
  }),
  whole<Kind<ModelEnd, "withheld">>()({ kind: v.literal("withheld"), reason: text }),
]);

export const tamper = whole<Tamper>()({
  path: text,
  change: v.picklist(tamperChanges),
  guard: v.picklist(tamperGuards),
  by: v.picklist(tamperers),
  restored: v.boolean(),
  detail: maybeText,
});

export const checkResult = whole<CheckResult>()({
  name: text,
  kind: v.picklist(["validator", "scenario"]),
  required: v.boolean(),
  command: v.exactOptional(texts),
  status: v.picklist(checkStatuses),
  exit_code: v.nullable(v.number()),
  signal: maybeText,
  duration_ms: v.number(),
  attribution: v.nullable(v.picklist(attributions)),
  log: text,
  excerpt: text,
  held_out: v.exactOptional(v.literal(true)),
  unmet: v.exactOptional(text),
  tests: v.exactOptional(whole<TestCounts>()({ ran: count, failed: count, skipped: count })),
});

const cell = whole<Cell>()({
  same_as: v.nullable(v.picklist(["baseline", "control"])),
  results: v.array(checkResult),
});

export const calibration = whole<Calibration>()({
  kind: v.picklist(["good", "differs", "none"]),
  reason: maybeText,
  carried: v.exactOptional(texts),
  home: v.exactOptional(v.picklist(["private", "own"])),
});

export const squareFacts = whole<SquareFacts>()({
  fingerprint: text,
  calibration,
  changed_checks: texts,
  control: v.nullable(cell),
  guard: v.nullable(cell),
  counter: v.nullable(cell),
  no_control: maybeText,
  no_guard: maybeText,
  no_counter: maybeText,
  left_out: texts,
});

export const proof = whole<Proof>()({
  grade: v.picklist(grades),
  passed: count,
  failing: texts,
  reason: maybeText,
});

export const checkRun = whole<CheckRun>()({
  fingerprint_before: text,
  fingerprint_after: text,
  attempts: v.number(),
  moved: texts,
  failed_first: v.exactOptional(v.literal(true)),
  results: v.array(checkResult),
});

export const watchedChange = whole<WatchedChange>()({
  name: text,
  kind: v.picklist(watchedKinds),
  change: v.picklist(watchedChanges),
  detail: text,
  digest: text,
  side: v.exactOptional(v.picklist(["checks", "outside"])),
  answer: v.nullable(v.picklist(["accepted", "refused"])),
  answer_by: v.exactOptional(v.literal("brief")),
});

export const evidenceFacts = whole<EvidenceFacts>()({
  location: text,
  problem: maybeText,
  files: texts,
  link_target: maybeText,
  link_target_exists: v.boolean(),
});

export const failure = whole<Failure>()({
  signature: text,
  count,
  passes: v.exactOptional(v.array(count)),
});

export const ticket = whole<Ticket>()({
  id: text,
  source: v.picklist(ticketSources),
  name: text,
  text,
});

export const reason = whole<Reason>()({
  category: v.picklist(reasonCategories),
  code: text,
  text,
});

export const gateResult = whole<GateResult>()({ gate: text, ok: v.boolean(), detail: text });

export const reviewFinding = whole<ReviewFinding>()({
  severity: v.picklist(severities),
  text,
});

export const escalation = whole<Escalation>()({
  cause: v.picklist(escalationCauses),
  to: phase,
  blockers: text,
  question: maybeText,
});

export const tokens = v.looseObject({ input: amount, output: amount });
