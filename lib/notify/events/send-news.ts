import type { NotifyConfig } from "../../documents/config/config-schema.ts";
import { loadConfig } from "../../documents/config/load-config.ts";
import { readIfGood, taskFiles } from "../../documents/read-task-file.ts";
import type { TaskEvent } from "../../rules/events.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import type { PassReport, PassRequest } from "../../task/request.ts";
import { catchForeseenIn, orIfForeseen } from "../../text/attempt.ts";
import { TaskPhaseError } from "../../text/errors.ts";
import type { Finding } from "../../text/finding.ts";
import type { AskedQuestion } from "../send-webhook.ts";
import { notifyPass, notifyRefusal } from "./notify-verdict.ts";
import { RefusedError } from "./refused-error.ts";

export interface TaskDeed {
  readonly place: TaskPlace;
  readonly events: readonly TaskEvent[];
  /** The page of the git host that edits DECISIONS.md; null if there is none. */
  readonly findEditor: () => Promise<string | null>;
}

/**
 * Tells the webhook what this call did to the task. Call it without holding a lock, since the receiver may be slow.
 * Returns warnings; never throws for what is wrong with files, because the verdict is already durable.
 */
export async function sendNews(
  { config, contract }: TaskContract,
  report: PassReport,
  { place, events, findEditor }: TaskDeed,
  ports: PassPorts,
): Promise<readonly Finding[]> {
  if (config.notify.webhookUrl === null) return [];
  const send = async () => {
    const asked = await listAsked(place, findEditor);
    return await notifyPass(config.notify, { report, title: contract.title, events, asked }, ports);
  };
  return await catchForeseenIn(send, () => []);
}

/** The error that ends the call. Tells the webhook first if it is a refusal of the task that is news. */
export async function sendRefusal(
  error: unknown,
  { place, request }: { readonly place: TaskPlace; readonly request: PassRequest },
  ports: PassPorts,
): Promise<unknown> {
  if (!(error instanceof RefusedError) || !error.isNews) return error;
  const notify = error.contract?.config.notify ?? readNotify(place, request.config, ports);
  const told = notify === null ? [] : await notifyRefusal(notify, error, place.taskDir, ports);
  return told.length === 0 ? error : new TaskPhaseError(error.exitName, [...error.findings, ...told], { cause: error });
}

/** Where the webhook is, if the brief is wrong and task-phase.yaml is not; else null. */
function readNotify({ taskDir }: TaskPlace, configFlag: string | null, ports: PassPorts): NotifyConfig | null {
  const { env, home, cwd } = ports;
  return orIfForeseen(() => loadConfig({ configFlag, env, home, cwd, taskDir }).notify, null);
}

/**
 * The open questions of DECISIONS.md as a message tells them; none if the file cannot be read. `findEditor` gives the
 * page that edits the file, and is called only if something is open.
 */
export async function listAsked(place: TaskPlace, findEditor: () => Promise<string | null>): Promise<AskedQuestion[]> {
  const open = readIfGood(taskFiles.decisions, place.taskDir).questions.filter((question) => question.open);
  if (open.length === 0) return [];
  const editor = await findEditor();
  return open.map(({ id, title, question, options, safeDefault, deadline, line }) => ({
    ...{ id, title, question, options, deadline },
    safe_default: safeDefault,
    place: `DECISIONS.md:${line}`,
    edit_url: editor,
  }));
}
