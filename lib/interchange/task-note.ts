import { relative } from "node:path";
import type { VerdictEvent } from "../machine/verdict-event.ts";
import { showShort } from "../templates/visible.ts";
import type { Redactor } from "../text/redact.ts";

/** The parts of a story's note. */
export interface NotedTask {
  /** Where the task is, in a few words. */
  readonly stands: string;
  readonly last: Pick<VerdictEvent, "pass" | "verdict" | "reason"> | null;
  /** Absolute. */
  readonly evidence: string;
}

/** Where the task is, its last verdict, and its evidence as a path from the folder of the prd.json. */
export function noteOfTask({ stands, last, evidence }: NotedTask, beside: string, redactor: Redactor): string {
  if (last === null) return `${stands}; no pass has run`;
  const reason = showShort(redactor.redact(last.reason), 160);
  return `${stands}; pass ${last.pass} ${last.verdict}: ${reason}; evidence: ${relative(beside, evidence)}`;
}
