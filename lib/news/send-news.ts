import type { PassPorts } from "../anchor/ports.ts";
import type { TaskEvent } from "../machine/events.ts";
import { TaskPhaseError } from "../report/errors.ts";
import type { Finding } from "../report/finding.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { PassReport } from "../task/request.ts";
import { notifyPass } from "./notify-verdict.ts";

/**
 * Tells the webhook what this call did to the task; `events` are those that it added to the journal. To be called when
 * nothing is locked any more: whoever receives it may be slow. Returns warnings, never throws for what is wrong with
 * files: the verdict stands already.
 */
export async function sendNews(
  { config, contract }: TaskContract,
  report: PassReport,
  events: readonly TaskEvent[],
  ports: PassPorts,
): Promise<readonly Finding[]> {
  if (config.notify.webhookUrl === null) return [];
  try {
    return await notifyPass(config.notify, { report, title: contract.title, events }, ports);
  } catch (error) {
    if (error instanceof TaskPhaseError) return [];
    throw error;
  }
}
