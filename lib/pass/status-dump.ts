import { closeSync, readSync } from "node:fs";
import { join } from "node:path";
import { dollars } from "../machine/spend.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import { openRegularFile } from "../store/read-file.ts";
import { mdFence, mdInline } from "../templates/markdown-escape.ts";
import { formatDuration } from "../text/duration.ts";
import type { Anchor } from "./anchor.ts";
import type { TaskContract } from "./load-contract.ts";
import { putOwnFile } from "./own-writes.ts";
import type { TaskSession } from "./session.ts";
import type { PassUnderWay } from "./under-way.ts";

/** Of each output, what STATUS shows. */
const tailBytes = 16 * 1024;
const tailLines = 40;

/**
 * Writes artifacts/status.md, what a person's STATUS asks for: where the task and the pass that is under way stand,
 * and what its model said last, as far as it has reached the disk. Everything is redacted and escaped. Throws TP_DISK.
 */
export function dumpStatus(session: TaskSession, contract: TaskContract, under: PassUnderWay | null): void {
  const { place, anchor, ports } = session;
  if (anchor === null) return;
  const text = ports.redactor.redact(statusText(session, contract, under, anchor));
  const path = join(place.artifacts, "status.md");
  if (under !== null) {
    putOwnFile(place, anchor, path, text);
    return;
  }
  makeFolder(place.artifacts);
  putFile(path, text);
}

function statusText(
  session: TaskSession,
  { contract }: TaskContract,
  under: PassUnderWay | null,
  anchor: Anchor,
): string {
  const { history, ports } = session;
  const now = ports.now();
  const parts = [
    `# Status: ${mdInline(contract.id)}`,
    "",
    `${mdInline(contract.title)}. Written by task-phase on a STATUS in CONTROL.md.`,
    "",
    ...listOf([
      ["Time", now.toISOString()],
      ["Phase", history.phase ?? "intake"],
      ...(under === null ? [["Pass", "none is under way"] as const] : describePass(under, now)),
      ["Run of the loop", mdInline(history.run?.id ?? "none")],
      ["Passes", `${history.counts.passes} of ${contract.budget.passes}`],
      ["Repairs", `${history.counts.repairs} of ${contract.budget.repairs}`],
      ["Same failure in a row", String(history.counts.failure?.count ?? 0)],
      ["Timeouts in a row", String(history.counts.timeouts_in_row)],
      ["Spent", describeSpend(session)],
      ["Tokens", String(history.spend.tokens)],
      ["Time of the passes", formatDuration(history.spend.timeMs)],
      ["Last verdict", describeLast(session)],
    ]),
    "",
    "## Open tickets",
    "",
    ...listOr(history.tickets.map(({ id, text }) => `- ${mdInline(`${id}: ${text}`)}`)),
    "",
    "## Stages so far",
    "",
    ...listOr((under?.stages ?? []).map(({ stage, at, ms }) => `- ${stage}: ${at}, ${formatDuration(ms)}`)),
  ];
  const outputs = under === null ? [] : ["stdout.log", "stderr.log"].flatMap((name) => showTail(anchor, name));
  return `${[...parts, ...outputs].join("\n")}\n`;
}

function describePass(under: PassUnderWay, now: Date): readonly (readonly [string, string])[] {
  const elapsed = formatDuration(now.getTime() - under.startedAt.getTime());
  return [
    ["Pass", `${under.pass}, begun in ${under.phase}`],
    ["Stage", under.stages.at(-1)?.stage ?? "PREP"],
    ["Model", mdInline(under.model)],
    ["Elapsed", `${elapsed}; the model has ${formatDuration(under.timeoutMs)}`],
  ];
}

function describeSpend({ history }: TaskSession): string {
  const { knownUsd, unknownPasses } = history.spend;
  const known = knownUsd === null ? "nothing known" : dollars(knownUsd);
  return unknownPasses === 0 ? known : `${known}, and passes of unknown cost: ${unknownPasses}`;
}

function describeLast({ history }: TaskSession): string {
  const last = history.lastVerdict;
  return last === null ? "none" : mdInline(`pass ${last.pass} ${last.verdict}: ${last.reason}`);
}

function listOf(rows: readonly (readonly [string, string])[]): string[] {
  return rows.map(([label, value]) => `- ${label}: ${value}`);
}

function listOr(items: readonly string[]): readonly string[] {
  return items.length === 0 ? ["none"] : items;
}

/** Was redacted on its way to the file already. */
function showTail(anchor: Anchor, name: string): string[] {
  const tail = readTail(join(anchor.spool, name));
  if (tail.trim() === "") return [];
  const lines = tail.replace(/\n+$/, "").split("\n");
  return ["", `## Last lines of ${name}`, "", mdFence(lines.slice(-tailLines).join("\n"))];
}

function readTail(path: string): string {
  const opened = openRegularFile(path);
  if (opened.kind !== "open") return "";
  try {
    const { size } = opened.stats;
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    const count = readSync(opened.descriptor, buffer, 0, buffer.length, Math.max(0, size - tailBytes));
    const text = buffer.subarray(0, count).toString("utf8");
    // The first line may have been cut, and with it a secret that is known only as a whole.
    return size > tailBytes ? text.slice(text.indexOf("\n") + 1) : text;
  } finally {
    closeSync(opened.descriptor);
  }
}
