import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import type { TaskEvent } from "../machine/events.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { Finding } from "../report/finding.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { PassReport } from "../task/request.ts";
import { listAsked } from "./list-asked.ts";
import { notifyPass } from "./notify-verdict.ts";

/** What a call did to a task. */
export interface TaskDeed {
  readonly place: TaskPlace;
  /** Those that it added to the journal. */
  readonly events: readonly TaskEvent[];
  /** The page of the git host that edits DECISIONS.md; null if there is none. */
  readonly findEditor: () => Promise<string | null>;
}

/**
 * Tells the webhook what this call did to the task. To be called when nothing is locked any more: whoever receives it may
 * be slow. Returns warnings, never throws for what is wrong with files: the verdict stands already.
 */
export async function sendNews(
  { config, contract }: TaskContract,
  report: PassReport,
  { place, events, findEditor }: TaskDeed,
  ports: PassPorts,
): Promise<readonly Finding[]> {
  if (config.notify.webhookUrl === null) return [];
  try {
    const asked = await listAsked(place, findEditor);
    return await notifyPass(config.notify, { report, title: contract.title, events, asked }, ports);
  } catch (error) {
    if (error instanceof TaskPhaseError) return [];
    throw error;
  }
}
