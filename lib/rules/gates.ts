import { answerTo, frameOf } from "./approval.ts";
import { findOverBounds, renderOverBounds } from "./bounds.ts";
import { manualAt } from "./facts.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { checksPassed, finished, requiredValidators } from "./gates-checks.ts";
import { matrixHolds } from "./gates-matrix.ts";
import { featuresListed, featuresTrue, linkThere, proofThere, stepsProven } from "./gates-proof.ts";
import { findingsClosed, noKnownBlocking, openFindings, reviewersContent } from "./gates-review.ts";
import { manualAnswered, manualNotRefused, watchedClosed } from "./gates-watched.ts";
import { refusedManual } from "./manual.ts";
import type { Phase } from "./phases.ts";
import { openBlocking } from "./review-standings.ts";
import { type FieldKey, isFilled, stateFields } from "./state-view.ts";
import { refusedChanges } from "./watched.ts";

/** Staying in a phase only requires the proof of ticked items. */
export function judgeGates(from: Phase, to: Phase, input: GateInput): Gate[] {
  return [...judgeMove(from, to, input), ...withinBounds(input), ...stepsProven(input, to)];
}

function judgeMove(from: Phase, to: Phase, input: GateInput): Gate[] {
  if (from === to) return [];
  if (to === "blocked") return [blockersFilled(input)];
  if (to === "needs_user_decision") return [questionOpen(input)];
  if (to === "repair") return [ticketGiven(input)];
  switch (`${from} → ${to}`) {
    case "intake → shape":
      return frameFilled(input);
    case "shape → implement":
      return [
        ...frameFilled(input),
        filled("validation_plan", input),
        ...featuresListed(input),
        ...reviewersContent(input, "shape"),
        ...frameApproved(input),
      ];
    case "implement → verify":
      return [filled("current_result", input), proofThere(input)];
    case "verify → review":
      return [...validated(input), ...noKnownBlocking(input)];
    case "review → done":
      return [
        ...validated(input),
        ...reviewersContent(input, "review"),
        ...finished(input),
        ...briefAnswered(input),
        ...manualAnswered(input),
      ];
    default:
      return [];
  }
}

function validated(input: GateInput): Gate[] {
  return [
    requiredValidators(input),
    ...checksPassed(input),
    ...matrixHolds(input),
    ...featuresTrue(input),
    findingsClosed(input.state),
    linkThere(input),
    ...watchedClosed(input),
    ...manualNotRefused(input),
  ];
}

export function frameFilled(input: Pick<GateInput, "state">): Gate[] {
  const frame: readonly FieldKey[] = ["objective", "done_gate", "not_doing", "reality_constraints"];
  return frame.map((key) => filled(key, input));
}

export function filled(key: FieldKey, input: Pick<GateInput, "state">): Gate {
  const label = stateFields.find((field) => field.key === key)?.label ?? key;
  const ok = isFilled(key, input.state.fields[key]);
  const empty = `${label} is empty or a placeholder; state it in one line`;
  return gate(`${key}_filled`, `${label} is filled`, ok, ok ? "filled" : empty, empty);
}

/** Without an answer there is no gate yet: a person is asked. */
function frameApproved({ policy, state, approvals }: GateInput): Gate[] {
  const answer = policy.approve.includes("shape") ? answerTo(frameOf(state), approvals) : null;
  if (answer === null) return [];
  return [
    gate(
      "frame_approved",
      "A person approved the frame",
      answer.approved,
      answer.approved ? `approved (${answer.question})` : answer.said,
      `a person did not approve this frame (${answer.question}): ${answer.said}; change it accordingly`,
    ),
  ];
}

/** Only where a person changed what the brief wants. */
function briefAnswered({ brief_unanswered: mark }: GateInput): Gate[] {
  if (mark === null) return [];
  const failed = `a person changed the brief, and nothing answers that: bring Objective or Done gate in line, write a line \`Brief ${mark}: why it holds\` under Notes in STATE.md, or propose repair with a finding`;
  return [gate("brief_answered", "The change of the brief is answered", false, "it is not", failed)];
}

/** `over: block` rejects an oversized change whatever the pass proposes. */
function withinBounds({ before, change, policy }: GateInput): Gate[] {
  const over = findOverBounds(before.phase, change, policy.bounds);
  if (over === null || policy.bounds.over !== "block") return [];
  const told = renderOverBounds(over);
  return [gate("within_bounds", "The change of the repo is within the bounds of the phase", false, told, told)];
}

/** Repair, blocked and needs_user_decision each require a reason. */
function ticketGiven(input: GateInput): Gate {
  const open = openFindings(input.state);
  const blocking = openBlocking(input.reviews);
  const refused = refusedChanges(input.watched ?? [], null);
  const seen = refusedManual(manualAt(input, input.policy));
  const many = (count: number, one: string, more: string) =>
    `${count} ${count === 1 ? one : more} that a person refused`;
  const found = [
    [open.length, `${open.length} open`],
    [blocking.length, `${blocking.length} from reviewers`],
    [refused.length, many(refused.length, "change of tests or checks", "changes of tests or checks")],
    [seen.length, many(seen.length, "manual scenario", "manual scenarios")],
  ] as const;
  const first = found.find(([count]) => count > 0);
  return gate(
    "ticket_given",
    "At least one finding says what to repair",
    first !== undefined,
    first?.[1] ?? "add each defect as an item under Findings",
    "no finding says what to repair: add each defect as an item under Findings",
  );
}

function blockersFilled(input: GateInput): Gate {
  const ok = isFilled("blockers", input.state.fields.blockers);
  return gate(
    "blockers_filled",
    "Blockers names the obstacle",
    ok,
    ok ? "filled" : "Blockers is empty or none",
    "Blockers does not name the obstacle: it is empty or none",
  );
}

function questionOpen(input: GateInput): Gate {
  const { open_questions } = input;
  const ok = open_questions.length > 0;
  return gate(
    "question_open",
    "DECISIONS.md holds an open question",
    ok,
    ok ? open_questions.join(", ") : "add the question to DECISIONS.md, with Options and an empty Answer",
    "DECISIONS.md has no open question: add it, with Options and an empty Answer",
  );
}
