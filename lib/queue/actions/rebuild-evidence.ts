import { relative, sep } from "node:path";
import { stateText } from "../../documents/state.ts";
import { findGitTop } from "../../git/list-paths.ts";
import { findProof } from "../../pages/files/proof.ts";
import { attestTask } from "../../pass/attest/attest-task.ts";
import {
  evidenceLink,
  findEvidenceUrl,
  type HostedRepo,
  hostedRepo,
  locateEvidence,
  readHostedCode,
} from "../../pass/checkpoint/hosted.ts";
import { signerOf } from "../../pass/checkpoint/signing-key.ts";
import { resumeCommand } from "../../pass/people/resume-command.ts";
import { holdTask } from "../../pass/recovery/recover.ts";
import {
  modelEvidence,
  renderForReview,
  trimToProof,
  writeEvidence,
  writePages,
} from "../../pass/verdict/write-evidence.ts";
import { writeState } from "../../pass/verdict/write-state.ts";
import { gatherSyncs } from "../../store/folder.ts";
import { fingerprintExcludes } from "../../task/fingerprint-excludes.ts";
import { findRepo, type TaskContract } from "../../task/load-contract.ts";
import { openBeforeLocking, openTask } from "../../task/open-task.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { readHead } from "../../task/records/records.ts";
import { locateTask, stands, type TaskPlace } from "../../task/records/task-place.ts";
import { type HeldTask, openPreview, type TaskSession } from "../../task/session.ts";
import { catchForeseenIn } from "../../text/attempt.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import { watchMoved } from "../views/moved-since.ts";

/**
 * Rebuilds evidence.html, the runner's parts of EVIDENCE.md, the SUMMARY.md of a task that is done and the Evidence link
 * from journal and artifacts, and writes the statement about a task that is done if a run was killed before it did.
 * `relinked` is true if that link was updated, and `attested` if the statement was written. `isView`: as in `holdTask`.
 */
export async function rebuildEvidence(taskDir: string, configFlag: string | null, ports: PassPorts, isView = false) {
  const place = locateTask(taskDir, ports.cwd);
  openBeforeLocking(place, configFlag, ports);
  const rebuild = async (session: HeldTask) => {
    const contract = openTask(place, configFlag, ports);
    const document = contract.state;
    const before = stands(place.attestation);
    const target = findProof(place.taskDir, document.view.fields.evidence_location).link_target;
    const hosted = await findHosted(session, contract);
    const link = evidenceLink(place, target, contract.config, hosted);
    // Before anything is recorded here: what this machine records itself, it takes for its own.
    const findings = await attestLeft(session, contract, hosted?.repo ?? null);
    // A file that a person has edited meanwhile is theirs until a run has judged it.
    const isAsAccepted = session.history.state === stateText(document) && session.history.unfinishedPass === null;
    const relinked = isAsAccepted && document.view.fields.evidence_link !== link;
    if (relinked) {
      const at = ports.now().toISOString();
      writeState(session, document, {
        at,
        fields: { evidence_link: link },
        event: (state) => ({ type: "relinked", at, state }),
      });
    }
    const { id, title, userFacing } = contract.contract;
    const moved = await watchMoved(ports)({ place, contract, history: session.history });
    const task = { id, title, userFacing };
    if (session.history.phase === "done") writePages(session, task, moved);
    else {
      const syncs = gatherSyncs();
      writeEvidence(session, modelEvidence(session, task, null, { moved }), syncs);
      syncs.sync();
    }
    if (contract.config.keep === "proof") trimToProof(session, task, moved);
    const located = await locateEvidence([{ place, config: contract.config }], ports);
    const attested = !before && stands(place.attestation);
    const found = located.get(place.taskDir) ?? { link: null, advice: null };
    const told = [...session.findings, ...findings];
    return { place, task: id, relinked, attested, findings: told, located: found };
  };
  return await holdTask(place, ports, rebuild, isView);
}

/** On the branch of today, which may be another than that of the newest verdict; null where the repo is not on this machine. */
export async function findHosted(
  { place, history, ports }: Pick<TaskSession, "place" | "history" | "ports">,
  { contract, config }: Pick<TaskContract, "contract" | "config">,
): Promise<HostedRepo | null> {
  const find = async () => {
    const repo = findRepo(place, contract, null, ports);
    const now = await readHostedCode(repo, fingerprintExcludes(place, repo), config, ports);
    return await hostedRepo(place, repo, now.branch === null ? (history.lastVerdict?.code ?? null) : now, ports);
  };
  return await catchForeseenIn(find, () => null);
}

/**
 * Writes the statement of a task that is done and has none, as a run leaves it that was killed before it could sign. Only
 * if the newest event of the journal is that verdict, and this machine recorded it: what another one says of a task, or a
 * folder that was copied here, is not for this key to sign.
 * `repo` may hold no key; null: it is not known. Whatever keeps it from being signed is a warning. Throws TP_DISK.
 */
export async function attestLeft(
  session: HeldTask,
  { config, contract }: TaskContract,
  repo: string | null,
): Promise<Finding[]> {
  const { place, anchor, journal, history } = session;
  const findSigner = signerOf({ sign: config.sign, repo: repo ?? place.tasksRoot, place }, session.ports);
  if (findSigner === null || history.phase !== "done" || stands(place.attestation)) return [];
  const isOurs = journal.events.at(-1)?.type === "verdict" && readHead(anchor.folder) === journal.head;
  if (isOurs) return await attestTask(session, contract.id, findSigner);
  const message = "the task is done and has no attestation, and its verdict is not what this machine recorded last";
  const again = `${resumeCommand(place, "intake", session.ports.fence?.checkout ?? null)}, then a run`;
  const fix = `run task-phase evidence where the task got done, or let it get done again: ${again}`;
  return [warningFinding("TP_SIGN", message, { file: place.attestation, fix })];
}

/** The text of a pull request about a task as it is now, as Markdown. Nothing is locked and nothing is written. */
export async function renderPullRequest(
  place: TaskPlace,
  configFlag: string | null,
  ports: PassPorts,
): Promise<string> {
  const session = openPreview(place, ports);
  const contract = openTask(place, configFlag, ports);
  const { id, title, userFacing } = contract.contract;
  const moved = await watchMoved(ports)({ place, contract, history: session.history });
  const model = modelEvidence(session, { id, title, userFacing }, null, { moved });
  const url = (await findEvidenceUrl(place, contract.config, ports))?.url ?? "";
  return renderForReview(session, model, addressOf(place, url));
}

function addressOf({ taskDir, tasksRoot, evidence }: TaskPlace, url: string): Parameters<typeof renderForReview>[2] {
  const path = relative(findGitTop(taskDir) ?? tasksRoot, evidence)
    .split(sep)
    .join("/");
  const end = ["EVIDENCE.md", "artifacts/evidence.html"].find((name) => url.endsWith(`/${name}`));
  return { path, href: url, base: end === undefined ? "" : url.slice(0, -end.length) };
}
