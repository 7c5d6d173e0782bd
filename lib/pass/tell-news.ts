import { TaskPhaseError } from "../report/errors.ts";
import type { Finding } from "../report/finding.ts";
import { readRegularFile } from "../store/read-file.ts";
import { loadContract } from "./load-contract.ts";
import { notifyPass } from "./notify-verdict.ts";
import type { PassPorts } from "./ports.ts";
import type { PassReport, PassRequest } from "./request.ts";
import { readTaskJournal } from "./task-journal.ts";
import type { TaskPlace } from "./task-place.ts";

const newline = 0x0a;

/** How many events the journal holds; what cannot be read holds none, and the call itself says so. */
export function countEvents({ journal }: Pick<TaskPlace, "journal">): number {
  const read = readRegularFile(journal, 64 * 1024 * 1024);
  return read.kind === "file" ? read.bytes.filter((byte) => byte === newline).length : 0;
}

/**
 * Tells the webhook what this call did to the task; `eventsBefore` are those that it found in the journal. To be called
 * when nothing is locked any more: whoever receives it may be slow. Returns warnings, never throws for what is wrong
 * with files: the verdict stands already.
 */
export async function tellNews(
  place: TaskPlace,
  request: PassRequest,
  report: PassReport,
  eventsBefore: number,
  ports: PassPorts,
): Promise<readonly Finding[]> {
  try {
    const { config, contract } = loadContract(place, request.config, ports);
    if (config.notify.webhookUrl === null) return [];
    const events = readTaskJournal(place.journal)?.events.slice(eventsBefore) ?? [];
    return await notifyPass(config.notify, { report, title: contract.title, events }, ports);
  } catch (error) {
    if (error instanceof TaskPhaseError) return [];
    throw error;
  }
}
