import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Question } from "../../documents/decisions.ts";
import { readTaskFile, taskFiles } from "../../documents/read-task-file.ts";
import { stateText } from "../../documents/state.ts";
import { gateInput, secretIn } from "../../pass/people/judge-hand-edit.ts";
import { findOpenBrief } from "../../pass/people/open-brief.ts";
import { madeByPasses, proveFeatures, proveSteps } from "../../pass/verdict/prove-features.ts";
import { gatesBesideChecks } from "../../rules/advance.ts";
import { resultOf } from "../../rules/gate.ts";
import { askProblem } from "../../rules/question-wait.ts";
import { transitionReasons } from "../../rules/reasons.ts";
import { decidedShape } from "../../rules/shapes/pass-record.ts";
import type { ListedItem } from "../../rules/state-view.ts";
import { findRepo, loadContract } from "../../task/load-contract.ts";
import { openRecords } from "../../task/pack-passes.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { openPreview, parseAccepted, type TaskSession } from "../../task/session.ts";
import { dataError } from "../../text/errors.ts";
import { errorFinding } from "../../text/finding.ts";
import { readShape } from "../../text/shape.ts";

export type ProposalReport = Awaited<ReturnType<typeof judgeProposal>>;

/**
 * Judges the STATE.md that stands in the folder as a proposal against the last accepted one, by the gates that need no
 * check to run. Reads files alone, so that a pass can call it on itself. Throws a data error if they cannot be read.
 */
export async function judgeProposal(
  place: TaskPlace,
  { config, repo: repoFlag }: { readonly config: string | null; readonly repo: string | null },
  ports: PassPorts,
) {
  const session = openPreview(place, ports);
  const { state, unfinishedPass, contractSha256 } = session.history;
  if (state === null) {
    throw dataError("TP_NO_JOURNAL", "no STATE.md was accepted yet, so there is nothing to compare a proposal with", {
      file: place.state,
      fix: "the first pass begins the journal",
    });
  }
  const accepted = parseAccepted(state, place.journal);
  const document = readTaskFile(taskFiles.state, place.taskDir).document;
  const from = accepted.view.phase;
  const proposed = document.view.phase;
  const refused = (file: string) => (message: string) => errorFinding("TP_PROPOSAL", message, { file });
  const contract = loadContract(place, config, ports);
  const { items: steps, proofs } = readTaskFile(taskFiles.steps, place.taskDir);
  const { questions } = readTaskFile(taskFiles.decisions, place.taskDir);
  const task = { ...contract, steps, questions };
  const repo = findRepo(place, contract.contract, repoFlag, ports);
  const brief_unanswered = findOpenBrief(session, stateText(document))?.mark ?? null;
  const judged = await gateInput(session, accepted.view, document.view, { repo, task });
  const since = unfinishedPass === null ? null : session.history.startedAt;
  const isNew = (path: string) => since !== null && changedSince(path, since);
  const made = madeByPasses(session.journal.events, []);
  const madeByPass = (path: string) => made(path) || isNew(join(repo, path));
  const before = since === null || isNew(place.steps) ? stepsAfterLast(session) : steps;
  const input = {
    ...judged,
    brief_unanswered,
    known_features: session.history.knownFeatures,
    feature_proofs: proveFeatures({ place, repo, madeByPass }, judged.state.features),
    steps: { before, after: steps },
    step_proofs: proveSteps(place, proofs),
  };
  const gates = gatesBesideChecks(from, proposed, input);
  const secret = secretIn(session, document);
  const problems = [
    ...(secret === null ? [] : [secret]),
    ...transitionReasons(from, proposed).map(({ text }) => text),
    ...gates.filter(({ ok }) => !ok).map(({ failed }) => failed),
  ];
  return {
    from,
    proposed,
    /** What the runner would refuse; empty if nothing that can be judged beforehand is wrong. */
    findings: [
      ...(unfinishedPass === null || contract.sha256 === contractSha256 ? [] : [briefChanged]).map(
        refused(place.readme),
      ),
      ...questionProblems(questions, unfinishedPass).map(refused(place.decisions)),
      ...problems.map(refused(place.state)),
    ],
    gates: gates.map(resultOf),
  };
}

/** By the time of its entry, which no program sets. */
function changedSince(path: string, at: string): boolean {
  return (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= Date.parse(at);
}

/** The steps as the last pass left them; none if that is not known. */
function stepsAfterLast({
  place,
  history: { lastVerdict },
}: Pick<TaskSession, "place" | "history">): readonly ListedItem[] {
  const read = lastVerdict === null ? null : openRecords(place)(lastVerdict.pass);
  const record = read?.kind === "file" ? readShape(decidedShape, read.bytes) : null;
  return record?.kind === "read" ? record.value.facts.steps.after : [];
}

const briefChanged = "the brief is not as it was when the pass began, and no pass may change it: take your change back";

/** `pass`: the one that is running, whose own questions are for a person to answer. */
function questionProblems(questions: readonly Question[], pass: number | null): string[] {
  const malformed = questions.flatMap((question) => (question.open ? (askProblem(question) ?? []) : []));
  const answered = questions.filter(({ open, askedPass }) => !open && pass !== null && askedPass === pass);
  return [...malformed, ...answered.map(({ id }) => `${id} has an answer, which only a person may give; empty it`)];
}
