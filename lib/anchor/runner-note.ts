import { join } from "node:path";
import { identifyPid, identityKey, type ProcessIdentity } from "../process/identity.ts";
import { isAlive } from "../process/survivors.ts";
import { removeAll } from "../store/folder.ts";
import { putFile } from "../store/put-file.ts";
import { readJsonFile } from "../store/read-json.ts";
import { openPrivateFolder } from "../store/state-home.ts";
import { processShape } from "./anchor-shapes.ts";

const name = "runner.json";

/**
 * Notes in a task's anchor that this process runs the task, so that `cancel` finds exactly this process and no later
 * one with its number. Where it is there already, as by the loop around a pass, it is the first one's to take away.
 */
export function recordRunner(anchorFolder: string): { forget(): void } {
  openPrivateFolder(anchorFolder);
  const own = identifyPid(process.pid, process.argv[1] ?? "node");
  const noted = readNote(anchorFolder);
  if (noted !== null && identityKey(noted) === identityKey(own) && noted.bootId === own.bootId) return { forget() {} };
  // Not durably, and neither is it forgotten so: after a power cut it names a process of an earlier boot.
  putFile(join(anchorFolder, name), JSON.stringify(own), { mode: 0o600, durable: false });
  return {
    forget: () => removeAll(join(anchorFolder, name)),
  };
}

/** The process that runs the task on this machine now; null if the note is missing or its process has ended. */
export function findRunner(anchorFolder: string): ProcessIdentity | null {
  const noted = readNote(anchorFolder);
  return noted !== null && isAlive(noted) ? noted : null;
}

function readNote(anchorFolder: string): ProcessIdentity | null {
  const note = readJsonFile(join(anchorFolder, name), processShape, 64 * 1024);
  // A note that cannot be read is as none: the lock still says that someone runs the task.
  return note.kind === "read" ? note.value : null;
}
