import * as v from "valibot";
import type { ChangeSize, Limits, OverBounds } from "../machine/bounds.ts";
import { attributions, type CheckResult, type CheckRun, checkStatuses, type TestCounts } from "../machine/check-run.ts";
import {
  type Escalation,
  escalationCauses,
  type Failure,
  type GateResult,
  type Reason,
  reasonCategories,
  type Ticket,
  ticketSources,
} from "../machine/decision.ts";
import {
  type EvidenceFacts,
  type ReviewFinding,
  severities,
  type Tamper,
  tamperChanges,
  tamperers,
  tamperGuards,
} from "../machine/facts.ts";
import type { LookAnswer, ManualScenario, ManualStanding } from "../machine/manual.ts";
import { interruptCauses, limitCauses, type ModelEnd } from "../machine/model-end.ts";
import type { VerdictEvent } from "../machine/verdict-event.ts";
import { type WatchedChange, watchedChanges, watchedKinds } from "../machine/watched-change.ts";
import { about, whole } from "../text/shape.ts";
import { count, maybeText, phase, text, texts } from "./values.ts";

/** One kind of a union that is distinguished by `kind`. */
type Kind<Union, Name> = Extract<Union, { readonly kind: Name }>;

export const modelEnd = v.variant("kind", [
  whole<Kind<ModelEnd, "exited">>()({
    kind: v.literal("exited"),
    exit_code: v.nullable(v.number()),
    signal: maybeText,
    result_event: v.boolean(),
    said: v.exactOptional(about(maybeText, "if it ended badly: its last error in its own words, or null")),
  }),
  whole<Kind<ModelEnd, "timed_out">>()({
    kind: v.literal("timed_out"),
    timeout_ms: v.number(),
    role: v.exactOptional(about(text, "if it was a reviewer")),
    silent: v.exactOptional(about(v.literal(true), "if the model gave no sign of work")),
  }),
  whole<Kind<ModelEnd, "not_started">>()({ kind: v.literal("not_started"), reason: text }),
  whole<Kind<ModelEnd, "limited">>()({
    kind: v.literal("limited"),
    cause: v.picklist(limitCauses),
    reason: text,
    until: about(maybeText, "a time, or null"),
  }),
  whole<Kind<ModelEnd, "auth_failed">>()({ kind: v.literal("auth_failed"), reason: text }),
  whole<Kind<ModelEnd, "interrupted">>()({
    kind: v.literal("interrupted"),
    reason: text,
    cause: v.picklist(interruptCauses),
  }),
  whole<Kind<ModelEnd, "withheld">>()({
    kind: v.literal("withheld"),
    reason: about(text, "something was tampered with before"),
  }),
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
  command: texts,
  status: v.picklist(checkStatuses),
  exit_code: v.nullable(v.number()),
  signal: maybeText,
  duration_ms: v.number(),
  attribution: v.nullable(v.picklist(attributions)),
  log: text,
  excerpt: text,
  held_out: v.exactOptional(v.literal(true)),
  unmet: v.exactOptional(
    about(text, "if the check ended well and failed all the same: which expectation of the brief its output misses"),
  ),
  tests: v.exactOptional(
    about(
      whole<TestCounts>()({ ran: count, failed: count, skipped: count }),
      "if the output of the check has the counts of its test runner",
    ),
  ),
});

export const limits = whole<Limits>()({ files: count, lines: about(count, "added and removed") });
const size = { files: count, lines: about(v.nullable(count), "added and removed; null if they could not be counted") };
export const changeSize = whole<ChangeSize>()(size);
export const overBounds = whole<OverBounds>()({ phase, ...size, most: limits });

const frame = about(text, "the words of the fields that a person approves, as one JSON text");
export const frameAnswer = { frame, approved: v.boolean(), said: text, question: text };

const scenario = { name: text, look: about(text, "what a person looks at") };
const looked = { holds: v.boolean(), said: text, question: text };
export const manualScenario = whole<ManualScenario>()(scenario);
export const lookAnswer = whole<LookAnswer>()({ ...scenario, fingerprint: text, ...looked });
export const manualStanding = whole<ManualStanding>()({
  ...scenario,
  answer: v.nullable(v.object(looked)),
});

export const checkRun = whole<CheckRun>()({
  fingerprint_before: text,
  fingerprint_after: text,
  attempts: v.number(),
  moved: texts,
  failed_first: v.exactOptional(
    about(v.literal(true), "a required check failed while the repo moved, so that no second attempt was made"),
  ),
  results: v.array(checkResult),
});

export const watchedChange = whole<WatchedChange>()({
  name: text,
  kind: v.picklist(watchedKinds),
  change: v.picklist(watchedChanges),
  detail: text,
  digest: text,
  side: v.picklist(["checks", "outside"]),
  answer: v.nullable(v.picklist(["accepted", "refused"])),
  answer_by: v.exactOptional(v.literal("brief")),
});

export const changedPath = whole<VerdictEvent["changed_paths"][number]>()({ path: text, change: text });

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
  passes: v.array(count),
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
