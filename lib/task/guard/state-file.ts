import { join } from "node:path";
import { readRegularFile } from "../../store/read-file.ts";
import { sha256 } from "../../text/sha256.ts";
import { putKeeping, stageProposal } from "../records/staging.ts";
import { passFolder } from "../records/task-place.ts";
import { makeKeptFinding, type TaskSession } from "../session.ts";
import type { Guard } from "./guard.ts";

type StateGuard = Pick<Guard, "place" | "anchor" | "current" | "ports">;

/** Stages the proposal durably, then restores the accepted STATE.md for readers during the checks or after a kill. */
export function putAside(guard: StateGuard, session: TaskSession, proposed: Buffer | null): void {
  const accepted = acceptedIn(session);
  const differs = proposed?.equals(accepted) !== true;
  if (proposed !== null) stageProposal(guard.anchor, proposed, guard.ports.redactor, differs);
  if (differs) putAccepted(guard, session, accepted, proposed);
}

export function putBackState(guard: StateGuard, session: TaskSession): void {
  const accepted = acceptedIn(session);
  const read = readRegularFile(guard.place.state, accepted.length);
  if (read.kind !== "file" || !read.bytes.equals(accepted)) putAccepted(guard, session, accepted, null);
}

function acceptedIn({ history }: TaskSession): Buffer {
  return Buffer.from(history.state ?? "");
}

/** Any other change came from a person or the checks: kept and reported without blame. */
function putAccepted(
  { place, anchor, current, ports }: StateGuard,
  { findings }: TaskSession,
  accepted: Buffer,
  proposed: Buffer | null,
): void {
  const keepAt = join(anchor.staging, "kept", "STATE.md");
  const known = proposed === null ? [] : [sha256(proposed)];
  const kept = putKeeping({ path: place.state, known, keepAt, redactor: ports.redactor }, accepted);
  if (kept !== null) findings.push(makeKeptFinding(join(passFolder(place, current.pass), "kept", "STATE.md")));
}
