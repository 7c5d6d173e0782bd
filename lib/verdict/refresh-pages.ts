import { TaskPhaseError } from "../report/errors.ts";
import { warningFinding } from "../report/finding.ts";
import { gatherSyncs } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { TaskSession } from "../task/session.ts";
import { modelEvidence, writeEvidence } from "./write-evidence.ts";

/**
 * Writes the pages of a task anew after events outside a pass: its standing is another one now. The journal has these
 * events already, so a page that cannot be written is a finding and undoes nothing. The pages of a task that is done
 * show how its code moved since, which only `task-phase evidence` looks at: they stay.
 */
export function refreshPages(session: TaskSession, { contract }: Pick<TaskContract, "contract">): void {
  if (session.history.phase === "done") return;
  try {
    session.write(() => writeOpenPages(session, contract));
  } catch (error) {
    if (!(error instanceof TaskPhaseError)) throw error;
    const message = `EVIDENCE.md and the page show an earlier state, since they could not be written: ${error.message}`;
    const fix = "mend that, and write them with: task-phase evidence";
    session.findings.push(warningFinding("TP_UNFINISHED", message, { file: session.place.taskDir, fix }));
  }
}

function writeOpenPages(session: TaskSession, { id, title, userFacing }: TaskContract["contract"]): void {
  const syncs = gatherSyncs();
  writeEvidence(session, modelEvidence(session, { id, title, userFacing }, null), syncs);
  const report = readRegularFile(session.place.summary, maxReportBytes);
  const text = report.kind === "file" ? report.bytes.toString("utf8") : "";
  if (text !== "" && !text.startsWith(reopened)) {
    const note = `${reopened} on ${session.ports.now().toISOString()}: this is the report of its last \`done\`. ${present}`;
    putFile(session.place.summary, `${note}\n\n${text}`, { syncs });
  }
  syncs.sync();
}

const maxReportBytes = 4 * 1024 * 1024;
const reopened = "> The task was reopened";
const present = "[EVIDENCE.md](EVIDENCE.md) shows the present state.";
