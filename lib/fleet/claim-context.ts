import type { PassPorts } from "../anchor/ports.ts";
import type { NotifyConfig } from "../config/config-schema.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { showUrl } from "../git/push-target.ts";
import type { PassRunner } from "../machine/events.ts";
import { TaskPhaseError } from "../report/errors.ts";
import { errorFinding } from "../report/finding.ts";
import type { PassRequest } from "../task/request.ts";
import { shorten } from "../text/shorten.ts";
import type { ClaimPlace } from "./places.ts";
import type { WaitUntil } from "./wait-until.ts";

export interface ClaimRequest {
  /** As `requireRemote` gives it. */
  readonly url: string;
  /** The task's id. */
  readonly task: string;
  /** The folder of the task folders in the repository, such as `tasks`; null: found as in a checkout. */
  readonly root: string | null;
  readonly runner: PassRunner;
  /** Takes over an open claim that has not run out yet. */
  readonly takeover: boolean;
  /** Whether a run is known to have ended, so that its open claim holds nobody up; missing: none is known. */
  readonly isDead?: (attempt: string) => boolean;
  readonly pass: Omit<PassRequest, "taskDir">;
  /** Told whom the configuration names, as soon as that is read: that of the base branch, then that of the task's own. */
  readonly onNotify?: (notify: NotifyConfig) => void;
  /** Told the configuration of the base branch, as soon as that is read. */
  readonly onBase?: (base: LoadedConfig) => void;
}

/** What a claimed pass needs to know of its surroundings. */
export interface ClaimContext {
  readonly request: ClaimRequest;
  readonly place: ClaimPlace;
  readonly ports: PassPorts;
  readonly wait: WaitUntil;
}

export function unreachable({ url }: Pick<ClaimRequest, "url">, why: string): TaskPhaseError {
  const message = `${showUrl(url)} could not be read: ${shorten(why, 300)}`;
  const fix = "no pass was started, so it is safe to try again; git ls-remote shows more";
  return new TaskPhaseError("locked", [errorFinding("TP_REMOTE_UNREACHABLE", message, { fix })]);
}
