import { showUrl } from "../git/push-target.ts";
import { type TaskPhaseError, usageError } from "../report/errors.ts";

/** No pass can start from a remote without a branch that has the tasks. */
export function emptyRemote(url: string, message = "the remote has no branch yet"): TaskPhaseError {
  return usageError("TP_REMOTE_EMPTY", message, {
    file: showUrl(url),
    fix: "push a branch with the task folder, and make it the default branch of the remote",
  });
}
