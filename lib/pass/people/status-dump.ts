import { readSync } from "node:fs";
import { join } from "node:path";
import { renderTemplate } from "../../documents/templates/render-template.ts";
import { verdictAndWhy } from "../../rules/made.ts";
import { dollars } from "../../rules/spend.ts";
import { makeFolder } from "../../store/folder.ts";
import { putFile } from "../../store/put-file.ts";
import { openRegularFile } from "../../store/read-file.ts";
import { withFile } from "../../store/with-file.ts";
import type { TaskContract } from "../../task/load-contract.ts";
import type { Anchor } from "../../task/records/anchor.ts";
import { putOwnFile } from "../../task/records/own-writes.ts";
import type { TaskSession } from "../../task/session.ts";
import { formatDuration } from "../../text/duration.ts";
import { msBetween } from "../../text/moment.ts";
import type { PassUnderWay } from "../verdict/checkpoint-file.ts";

/** Bytes of each output that STATUS shows. */
const tailBytes = 16 * 1024;
const tailLines = 40;

/**
 * Writes artifacts/status.md, what a person's STATUS asks for: the state of the task and of the running pass,
 * and what its model said last, as far as it has reached the disk. Everything is redacted and escaped. Throws TP_DISK.
 */
export function dumpStatus(
  session: TaskSession,
  anchor: Anchor,
  contract: TaskContract,
  under: PassUnderWay | null,
): void {
  const { place, ports } = session;
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
  const { counts, run, spend } = history;
  const now = ports.now();
  return renderTemplate("status.md", {
    id: contract.id,
    title: contract.title,
    time: now.toISOString(),
    phase: history.phase ?? "intake",
    running: under === null ? null : renderPass(under, now),
    run: run?.id ?? "none",
    passes: `${counts.passes} of ${contract.budget.passes}`,
    repairs: `${counts.repairs} of ${contract.budget.repairs}`,
    failures: counts.failure?.count ?? 0,
    timeouts: counts.timeouts_in_row,
    spent: renderSpend(session),
    tokens: spend.tokens,
    passTime: formatDuration(spend.timeMs),
    last: renderLast(session),
    tickets: history.tickets.map(({ id, text }) => `${id}: ${text}`),
    stages: (under?.stages ?? []).map(({ stage, at, ms }) => `${stage}: ${at}, ${formatDuration(ms)}`),
    tails: under === null ? [] : ["stdout.log", "stderr.log"].flatMap((name) => showTail(anchor, name)),
  });
}

function renderPass({ pass, phase, stages, model, startedAt, timeoutMs }: PassUnderWay, now: Date) {
  const elapsed = formatDuration(msBetween(startedAt, now));
  return {
    pass: `${pass}, started in ${phase}`,
    stage: stages.at(-1)?.stage ?? "PREP",
    model: model ?? "none",
    elapsed: model === null ? elapsed : `${elapsed}; the model has ${formatDuration(timeoutMs)}`,
  };
}

function renderSpend({ history }: TaskSession): string {
  const { knownUsd, unknownPasses } = history.spend;
  const known = knownUsd === null ? "nothing known" : dollars(knownUsd);
  return unknownPasses === 0 ? known : `${known}, and calls of unknown cost: ${unknownPasses}`;
}

function renderLast({ history }: TaskSession): string {
  const last = history.lastVerdict;
  return last === null ? "none" : `pass ${last.pass} ${verdictAndWhy(last)}`;
}

/** Was redacted on its way to the file already. */
function showTail(anchor: Anchor, name: string): { readonly name: string; readonly text: string }[] {
  const tail = readTail(join(anchor.staging, name));
  if (tail.trim() === "") return [];
  const lines = tail.replace(/\n+$/, "").split("\n");
  return [{ name, text: lines.slice(-tailLines).join("\n") }];
}

function readTail(path: string): string {
  const opened = openRegularFile(path);
  if (opened.kind !== "open") return "";
  return withFile(opened.descriptor, () => {
    const { size } = opened.stats;
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    const count = readSync(opened.descriptor, buffer, 0, buffer.length, Math.max(0, size - tailBytes));
    const text = buffer.subarray(0, count).toString("utf8");
    // The first line may have been cut, and with it a secret that is known only as a whole.
    return size > tailBytes ? text.slice(text.indexOf("\n") + 1) : text;
  });
}
