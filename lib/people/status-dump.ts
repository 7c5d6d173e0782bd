import { closeSync, readSync } from "node:fs";
import { join } from "node:path";
import type { PhrasingContent, RootContent } from "mdast";
import type { Anchor } from "../anchor/anchor.ts";
import { putOwnFile } from "../anchor/own-writes.ts";
import { verdictAndWhy } from "../machine/made.ts";
import { dollars } from "../machine/spend.ts";
import { makeFolder, putFile } from "../store/put-file.ts";
import { openRegularFile } from "../store/read-file.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { TaskSession } from "../task/session.ts";
import {
  fence,
  heading,
  item,
  list,
  paragraph,
  source,
  type Words,
  words,
  writeMarkdown,
} from "../templates/markdown-nodes.ts";
import { formatDuration } from "../text/duration.ts";
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
  const now = ports.now();
  const facts: readonly Fact[] = [
    ["Time", source(now.toISOString())],
    ["Phase", history.phase ?? "intake"],
    ...(under === null ? [["Pass", "none is running"] as const] : describePass(under, now)),
    ["Run of the loop", history.run?.id ?? "none"],
    ["Passes", `${history.counts.passes} of ${contract.budget.passes}`],
    ["Repairs", `${history.counts.repairs} of ${contract.budget.repairs}`],
    ["Same failure in a row", history.counts.failure?.count ?? 0],
    ["Timeouts in a row", history.counts.timeouts_in_row],
    ["Spent", source(describeSpend(session))],
    ["Tokens", history.spend.tokens],
    ["Time of the passes", formatDuration(history.spend.timeMs)],
    ["Last verdict", describeLast(session)],
  ];
  const tickets = history.tickets.map(({ id, text }) => words`${`${id}: ${text}`}`);
  const stages = (under?.stages ?? []).map(
    ({ stage, at, ms }) => words`${stage}: ${source(at)}, ${formatDuration(ms)}`,
  );
  return writeMarkdown(
    heading(1, words`Status: ${contract.id}`),
    paragraph(words`${contract.title}. Written by task-phase on a STATUS in CONTROL.md.`),
    list(facts.map(([label, value]) => item(words`${source(label)}: ${value}`))),
    heading(2, words`Open tickets`),
    listOr(tickets),
    heading(2, words`Stages so far`),
    listOr(stages),
    ...(under === null ? [] : ["stdout.log", "stderr.log"].flatMap((name) => showTail(anchor, name))),
  );
}

type Fact = readonly [label: string, value: Words];

function describePass(under: PassUnderWay, now: Date): readonly Fact[] {
  const elapsed = formatDuration(now.getTime() - under.startedAt.getTime());
  return [
    ["Pass", `${under.pass}, started in ${under.phase}`],
    ["Stage", under.stages.at(-1)?.stage ?? "PREP"],
    ["Model", under.model],
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
  return last === null ? "none" : `pass ${last.pass} ${verdictAndWhy(last)}`;
}

function listOr(items: readonly (readonly PhrasingContent[])[]): RootContent {
  return items.length === 0 ? paragraph(words`none`) : list(items.map((each) => item(each)));
}

/** Was redacted on its way to the file already. */
function showTail(anchor: Anchor, name: string): RootContent[] {
  const tail = readTail(join(anchor.spool, name));
  if (tail.trim() === "") return [];
  const lines = tail.replace(/\n+$/, "").split("\n");
  return [heading(2, words`Last lines of ${source(name)}`), fence(lines.slice(-tailLines).join("\n"))];
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
