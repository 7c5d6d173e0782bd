import { editState } from "../task-folder/state.ts";
import { openAnchor } from "./anchor.ts";
import { evidenceLink, type LocatedEvidence, locateEvidence } from "./hosted.ts";
import { loadContract } from "./load-contract.ts";
import { lockTask } from "./locks.ts";
import { lookAtEvidence, lookAtEvidenceText } from "./look.ts";
import { lookBeforeLocking } from "./look-before.ts";
import { watchMoved } from "./moved-since.ts";
import type { PassPorts } from "./ports.ts";
import { recoverTask } from "./recover.ts";
import { accept, openSession } from "./session.ts";
import { parseState, readStateBytes } from "./settle-state.ts";
import { stateText } from "./state-text.ts";
import { locateTask, type TaskPlace } from "./task-place.ts";
import { modelEvidence, writeEvidence } from "./write-evidence.ts";

export interface RebuiltEvidence {
  readonly place: TaskPlace;
  readonly task: string;
  /** True where the Evidence link in STATE.md was brought up to date too. */
  readonly relinked: boolean;
  /** Where the pages open in a browser. */
  readonly located: LocatedEvidence;
}

/** Rebuilds evidence.html, the runner's parts of EVIDENCE.md and the Evidence link from journal and artifacts. */
export async function rebuildEvidence(
  taskDir: string,
  configFlag: string | null,
  ports: PassPorts,
): Promise<RebuiltEvidence> {
  const place = locateTask(taskDir, ports.cwd);
  const contract = loadContract(place, configFlag, ports);
  lookBeforeLocking(place, configFlag, ports);
  const locks = lockTask(place, ports);
  try {
    const anchor = openAnchor(place, ports);
    await recoverTask(place, anchor, ports, locks);
    lookAtEvidenceText(place);
    const session = openSession(place, anchor, ports);
    const document = parseState(readStateBytes(place.state), place.state);
    const link = evidenceLink(place, lookAtEvidence(place, document.view).link_target, contract.config);
    // A file that a person has edited meanwhile is theirs until a run has judged it.
    const relinked = session.history.state === stateText(document) && document.view.fields.evidence_link !== link;
    if (relinked) {
      const { bytes } = editState(document, { evidence_link: link });
      const state = bytes.toString("utf8");
      accept(session, { event: { type: "relinked", at: ports.now().toISOString(), state }, state });
    }
    const { id, title, userFacing } = contract.contract;
    const moved = await watchMoved(ports)({ place, contract, history: session.history });
    writeEvidence(session, modelEvidence(session, { id, title, userFacing }, null, moved));
    const located = await locateEvidence([{ place, config: contract.config }], ports);
    return { place, task: id, relinked, located: located.get(place.taskDir) ?? { link: null, advice: null } };
  } finally {
    locks.release();
  }
}
