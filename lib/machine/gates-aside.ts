import { manualAt } from "./facts-at-verdict.ts";
import { type Gate, type GateInput, gate } from "./gate.ts";
import { refusedLooks } from "./manual.ts";
import { openFindings } from "./open-findings.ts";
import { openBlocking } from "./review-standings.ts";
import { isFilled } from "./state-view.ts";
import { refusedChanges } from "./watched.ts";

/** The gates of the ways off the straight path: repair, blocked and needs_user_decision each want their reason. */
export function ticketGiven(input: GateInput): Gate {
  const open = openFindings(input.state);
  const blocking = openBlocking(input.reviews);
  const refused = refusedChanges(input.watched ?? [], null);
  const seen = refusedLooks(manualAt(input, input.policy));
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

export function blockersFilled(input: GateInput): Gate {
  const ok = isFilled("blockers", input.state.fields.blockers);
  return gate(
    "blockers_filled",
    "Blockers names the obstacle",
    ok,
    ok ? "filled" : "Blockers is empty or none",
    "Blockers does not name the obstacle: it is empty or none",
  );
}

export function questionOpen(input: GateInput): Gate {
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
