import { renderSummary } from "../evidence/markdown/evidence-parts.ts";
import type { Moved } from "../machine/standing-facts.ts";
import { gatherSyncs } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { packPasses } from "../task/pack-passes.ts";
import type { TaskSession } from "../task/session.ts";
import { type EvidenceTask, modelEvidence, writeEvidence } from "./write-evidence.ts";

/**
 * Of a task that is done, keeps only what its proof needs, as `keep: proof` says, and writes its pages anew: they link
 * what is there. The pages as they are say no less until then. Throws TP_DISK.
 */
export function trimToProof(session: TaskSession, task: EvidenceTask, moved: Moved | null = null): void {
  const { place, journal, history } = session;
  if (history.phase !== "done" || !packPasses(place, journal.events)) return;
  writePages(session, task, moved);
}

/** Writes the pages and SUMMARY.md of a task that is done anew. Throws TP_DISK. */
export function writePages(session: TaskSession, task: EvidenceTask, moved: Moved | null = null): void {
  const { place, ports } = session;
  const evidence = modelEvidence(session, task, null, { moved });
  const syncs = gatherSyncs();
  const shown = writeEvidence(session, evidence, syncs);
  putFile(place.summary, ports.redactor.redact(renderSummary(evidence, shown)), { syncs });
  syncs.sync();
}
