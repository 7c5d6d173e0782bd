import { join } from "node:path";
import { carriedByDefault } from "../documents/contract-defaults.ts";
import { type MatrixFacts, wrongIsOff } from "../rules/matrix.ts";
import { failedOn } from "../rules/steadiness.ts";
import { heldOutNow } from "../task/held-out-pins.ts";
import { type Origin, openOrigin } from "../task/origin.ts";
import { originPlace } from "../task/records/origin-place.ts";
import { proofFolder } from "../task/records/work-folder.ts";
import { warningFinding } from "../text/finding.ts";
import { runsInTurn } from "./contract-checks.ts";
import type { JudgedCode } from "./delivery.ts";
import { heldDependencies } from "./dependencies.ts";
import { findHandover, type Handed, noCodeIn } from "./handover.ts";
import { cellGround, findCheckSide } from "./matrix-input.ts";
import { missingEntries } from "./proof/carry.ts";
import { judgeMatrix } from "./proof/judge-matrix.ts";
import { testClass } from "./watch/test-paths.ts";
import type { WatchRecord } from "./watch/watch.ts";
import { watchInput } from "./watch-repo.ts";

/** Where the logs of the matrix are, in the folder of a pass. */
const logsOfProof = "proof";

export interface ProofInCopies {
  readonly matrix: MatrixFacts;
  /** Null if git could not tell. */
  readonly handed: Handed | null;
}

/**
 * The proof of the current code; null if a signal cut it short. The proof of the accepted verify → review stays valid
 * (`reviewed`) while exactly the same tree is handed over, no matter who committed meanwhile.
 */
export async function judgeInCopies(
  code: JudgedCode,
  watched: WatchRecord | null,
  reviewed: MatrixFacts | null,
): Promise<ProofInCopies | null> {
  const { session, anchor, contract, repo, fingerprint } = code;
  const { history } = session;
  const { proof, heldOut } = contract.contract;
  const origin = openOrigin(originPlace(anchor, session.ports), history.origin);
  const ground = groundOf(code, origin);
  const input = watchInput(session, { repo, contract: contract.contract, fingerprint });
  const held = heldOutNow(session, heldOut);
  const { delivery, handed, told } = await findHandover(code, watched, origin, ground);
  if (reviewed !== null && reviewed.delivered?.all === told.delivered?.all) {
    // It may have been pushed since.
    const { undelivered: _, on_top: __, ...matrix } = reviewed;
    return { matrix: { ...matrix, ...told }, handed };
  }
  nameMissing(code);
  const noDelivery = handed === null ? "git cannot tell what is delivered" : null;
  const outcome = await judgeMatrix({
    ground: { ...ground, history: delivery.history },
    fingerprint,
    now: delivery.now,
    before: delivery.before,
    looseChecks: delivery.undelivered
      .map(({ path }) => path)
      .filter((path) => testClass(path) !== null && !path.startsWith("../")),
    undelivered: delivery.undelivered,
    ...findCheckSide(watched, origin, { input, brief: contract.wish, earlier: history.beforeResults }),
    testsMayChange: contract.contract.testsMayChange,
    earlier: history.beforeFingerprint === null ? null : history.beforeResults,
    run: code.run,
    pass: code.pass,
    failedOn: failedOn(history.checked, fingerprint.hash),
    parallel: contract.contract.parallel,
    inTurn: runsInTurn(contract.contract, history),
    heldOut: held.checks,
    noClean: proof.clean === "off" ? "`proof.clean` is off" : (noDelivery ?? held.problem ?? null),
    noWrong: proof.wrong.mode === "off" ? wrongIsOff : null,
    wrongRules: proof.wrong,
    noWithout: proof.without === "off" ? "`proof.without` is off" : null,
    logFolder: join(anchor.staging, logsOfProof),
    logRelative: `${code.logRelative}/${logsOfProof}`,
    tell: (text) => session.ports.tell("VALIDATE", text),
  });
  if (outcome.kind === "aborted") return null;
  if (outcome.leftover !== null) {
    const place = { file: outcome.leftover, fix: "remove that folder" };
    session.findings.push(warningFinding("TP_SCRATCH_LEFT", "a clean copy could not be removed", place));
  }
  return { matrix: { ...outcome.matrix, ...told }, handed };
}

/** An entry of `proof.carry` in the brief that leads to nothing is a mistake, and not a default that this repo lacks. */
function nameMissing({ session, contract, repo, fingerprint }: JudgedCode): void {
  const written = contract.contract.proof.carry.filter((name) => !carriedByDefault.includes(name));
  for (const name of missingEntries(repo, fingerprint.entries.keys(), written)) {
    const message = `\`proof.carry\` names ${name}, and the repo has no such file or folder that git ignores`;
    session.findings.push(
      warningFinding("TP_CARRY", message, { file: repo, fix: "correct the entry, or make the file" }),
    );
  }
}

function groundOf({ session, anchor, current, contract, repo, fingerprint }: JudgedCode, origin: Origin | null) {
  const { place, ports, history } = session;
  return cellGround({
    ...{ repo, contract, ports, origin, tasksRoot: place.tasksRoot, work: current },
    entries: fingerprint.entries,
    noCode: noCodeIn(repo, place.tasksRoot, fingerprint),
    pins: origin === null ? null : heldDependencies({ session, anchor, repo, fingerprint }, origin),
    home: history.matrix?.calibration.home ?? "private",
    folder: proofFolder(anchor.folder),
    isNew: bornByWork(session),
  });
}

/** Whether something may have come from the work by its time of birth; what the checks left before the work has not. */
function bornByWork({ journal: { events } }: JudgedCode["session"]): (birthMs: number) => boolean {
  const first = events.find(({ type }) => type === "watched");
  const since = first === undefined ? Number.POSITIVE_INFINITY : Date.parse(first.at);
  const runs = events.flatMap((event, index) =>
    event.type === "before" ? [{ from: Date.parse(events[index - 1]?.at ?? event.at), to: Date.parse(event.at) }] : [],
  );
  return (birthMs) => birthMs > since && !runs.some(({ from, to }) => birthMs > from && birthMs <= to);
}
