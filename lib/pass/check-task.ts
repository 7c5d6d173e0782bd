import { join } from "node:path";
import type { VerdictEvent } from "../machine/events.ts";
import { judgePersonEdit } from "../machine/person-edit.ts";
import { isWorkingPhase } from "../machine/phases.ts";
import { tellMoved } from "../machine/standing-done.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { ExitName } from "../report/exit-codes.ts";
import { errorFinding, type Finding, hasErrors, infoFinding, warningFinding } from "../report/finding.ts";
import { readRegularFile } from "../store/read-file.ts";
import { judgeRecord, maxRecordBytes } from "../task-folder/judge-record.ts";
import { type ListedTasks, listOnce, openDependencies } from "./dependencies.ts";
import { gateInput } from "./judge-hand-edit.ts";
import { findRepo, loadContract, type TaskContract } from "./load-contract.ts";
import { lookAtEvidenceText, lookAtQuestions, lookAtSteps } from "./look.ts";
import { watchMoved } from "./moved-since.ts";
import type { PassPorts } from "./ports.ts";
import { waitsForRecovery } from "./recover.ts";
import { judgeChecksAt, judgeReady } from "./require-ready.ts";
import { openSession, parseAccepted, type TaskSession } from "./session.ts";
import { parseState, readStateBytes } from "./settle-state.ts";
import { stateText } from "./state-text.ts";
import { passFolder, stands, type TaskPlace } from "./task-place.ts";

export interface CheckReport {
  readonly findings: readonly Finding[];
  /** What each error among them would end a run with; empty where nothing is wrong. */
  readonly exits: readonly ExitName[];
  /** Verdicts that were decided again. */
  readonly verdicts: number;
}

/**
 * Reads and judges one task, and changes nothing: its files, its journal, and every recorded verdict, decided again
 * from the facts that pass.json holds. `listed`: the tasks of the root, where more than one of them is checked.
 */
export async function checkTask(
  place: TaskPlace,
  configFlag: string | null,
  repoFlag: string | null,
  ports: PassPorts,
  listed: () => ListedTasks = listOnce(place.tasksRoot),
  movedOf: ReturnType<typeof watchMoved> = watchMoved({ ...ports, repo: repoFlag }),
): Promise<CheckReport> {
  const findings: Finding[] = [];
  const exits: ExitName[] = [];
  const attempt = <Value>(look: () => Value): Value | null => {
    try {
      return look();
    } catch (error) {
      if (!(error instanceof TaskPhaseError)) throw error;
      findings.push(...error.findings);
      exits.push(error.exitName);
      return null;
    }
  };
  const judge = (exitName: ExitName, found: readonly Finding[]) => {
    findings.push(...found);
    if (hasErrors(found)) exits.push(exitName);
  };
  const session = attempt(() => openSession(place, null, ports));
  const contract = attempt(() => loadContract(place, configFlag, ports));
  if (contract !== null) {
    const { id, dependsOn } = contract.contract;
    attempt(() => openDependencies(place, id, dependsOn, listed));
    findings.push(...foretellRefusal(place, contract, session, repoFlag, ports));
  }
  attempt(() => lookAtSteps(place));
  attempt(() => lookAtQuestions(place));
  attempt(() => lookAtEvidenceText(place));
  const document = attempt(() => parseState(readStateBytes(place.state), place.state));
  if (session === null) return { findings, exits, verdicts: 0 };
  const readable = exits.length === 0;
  const verdicts = session.journal.events.filter((event) => event.type === "verdict");
  for (const event of verdicts) judge("rejected", checkVerdict(place, event));
  judge("rejected", checkDone(session));
  const moved = await movedOf({ place, contract, history: session.history });
  if (moved !== null)
    findings.push(infoFinding("TP_MOVED_SINCE", `done, ${tellMoved(moved)}`, { file: place.taskDir }));
  if (waitsForRecovery(place, ports)) {
    findings.push(
      warningFinding("TP_INTERRUPTED", "the last run was cut off; the next one recovers it", { file: place.taskDir }),
    );
  } else if (
    readable &&
    document !== null &&
    contract !== null &&
    session.history.state !== null &&
    session.history.state !== stateText(document)
  ) {
    const stored = session.history.state;
    const accepted = attempt(() => parseAccepted(stored, place.journal));
    const repo = attempt(() => findRepo(place, contract.contract, repoFlag, ports));
    if (repo !== null && accepted !== null) {
      const input = { contractSha256: contract.sha256, repo, contract: contract.contract, policy: contract.policy };
      const judgement = judgePersonEdit(await gateInput(session, accepted.view, document.view, input));
      judge("rejected", [
        judgement.kind === "accepted"
          ? infoFinding(
              "TP_STATE_EDITED",
              "STATE.md was edited since the last accepted one; the next run accepts that",
              { file: place.state },
            )
          : errorFinding(
              "TP_EDIT_REFUSED",
              `STATE.md was edited since the last accepted one, and the next run refuses that: ${judgement.reason}`,
              {
                file: place.state,
                fix: "edit it again so that it holds; the next run else puts the accepted one back",
              },
            ),
      ]);
    }
  } else if (document !== null && session.history.state === null && document.view.phase !== "intake") {
    judge("data", [
      errorFinding(
        "TP_NO_JOURNAL",
        `STATE.md says ${document.view.phase}, and no journal says that it was ever accepted`,
        { file: place.state, fix: "set Phase to intake; task-phase resume starts a journal elsewhere" },
      ),
    ]);
  }
  return { findings, exits, verdicts: verdicts.length };
}

/** What the next run would refuse, as warnings: the files are right, and what they need may be only another machine's. */
function foretellRefusal(
  place: TaskPlace,
  contract: TaskContract,
  session: TaskSession | null,
  repoFlag: string | null,
  ports: PassPorts,
): Finding[] {
  if (session === null || !isWorkingPhase(session.history.phase ?? "intake")) return [];
  const at = { ...place, lastPass: session.history.lastPass };
  return [...judgeReady(contract, at), ...judgeChecksAt(at, contract, repoFlag, ports)].map((finding) =>
    warningFinding(finding.code, finding.message, finding),
  );
}

function checkVerdict(place: TaskPlace, event: VerdictEvent): Finding[] {
  const file = join(passFolder(place, event.pass), "pass.json");
  const bad = (code: string, message: string) => [
    errorFinding(code, message, { file, fix: "put it back as it was, as from git; task-phase alone writes it" }),
  ];
  const read = readRegularFile(file, maxRecordBytes);
  if (read.kind !== "file")
    return bad("TP_RECORD_MISSING", `the record of pass ${event.pass} is not there (${read.kind})`);
  const judgement = judgeRecord(read.bytes, event);
  return judgement.kind === "holds" ? [] : bad(judgement.code, judgement.message);
}

/** `done` stands only beside its proof. */
function checkDone(session: TaskSession): Finding[] {
  if (session.history.phase !== "done") return [];
  const { lastVerdict } = session.history;
  const proven = lastVerdict !== null && lastVerdict.verdict === "accepted" && lastVerdict.to === "done";
  if (!proven) {
    const message = "the journal says done, and no accepted verdict leads there";
    return [
      errorFinding("TP_DONE_UNPROVEN", message, {
        file: session.place.journal,
        fix: "put back the journal as it was, as from git; task-phase alone writes it",
      }),
    ];
  }
  return [session.place.summary, session.place.page, session.place.evidence]
    .filter((path) => !stands(path))
    .map((path) =>
      errorFinding("TP_PROOF_MISSING", "the task is done and this part of its proof is not there", {
        file: path,
        fix: "task-phase evidence rebuilds the pages",
      }),
    );
}
