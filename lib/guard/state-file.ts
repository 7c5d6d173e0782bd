import { join } from "node:path";
import { putKeeping, spoolProposal } from "../anchor/spool.ts";
import { passFolder } from "../anchor/task-place.ts";
import { readRegularFile } from "../store/read-file.ts";
import { describeKept, type TaskSession } from "../task/session.ts";
import { sha256 } from "../text/sha256.ts";
import type { Guard } from "./guard.ts";

type StateGuard = Pick<Guard, "place" | "anchor" | "current" | "ports">;

/**
 * The proposal was read: from here on STATE.md is the last accepted one, for whoever opens it while the checks run, or
 * after the runner was killed. The proposal waits in the spool, durably before its place is taken.
 */
export function putAside(guard: StateGuard, session: TaskSession, proposed: Buffer | null): void {
  const accepted = acceptedIn(session);
  const differs = proposed?.equals(accepted) !== true;
  if (proposed !== null) spoolProposal(guard.anchor, proposed, guard.ports.redactor, differs);
  if (differs) putAccepted(guard, session, accepted, proposed);
}

/** The same after a check or a reviewer ran, if anything else is there by then. */
export function putBackState(guard: StateGuard, session: TaskSession): void {
  const accepted = acceptedIn(session);
  const read = readRegularFile(guard.place.state, accepted.length);
  if (read.kind !== "file" || !read.bytes.equals(accepted)) putAccepted(guard, session, accepted, null);
}

function acceptedIn({ history }: TaskSession): Buffer {
  return Buffer.from(history.state ?? "");
}

/**
 * What is neither that nor the proposal was written by a person, or by what ran: nobody can tell. It is kept and
 * reported, and blamed on nobody, since no verdict depends on it.
 */
function putAccepted(
  { place, anchor, current, ports }: StateGuard,
  { findings }: TaskSession,
  accepted: Buffer,
  proposed: Buffer | null,
): void {
  const keepAt = join(anchor.spool, "kept", "STATE.md");
  const known = proposed === null ? [] : [sha256(proposed)];
  const kept = putKeeping({ path: place.state, known, keepAt, redactor: ports.redactor }, accepted);
  if (kept !== null) findings.push(describeKept(join(passFolder(place, current.pass), "kept", "STATE.md")));
}
