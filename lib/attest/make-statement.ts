import { join } from "node:path";
import type { TaskJournal } from "../anchor/task-journal.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { readHistory } from "../machine/add-event.ts";
import type { CheckResult } from "../machine/check-run.ts";
import { headlineOf } from "../machine/headline.ts";
import { isProven } from "../machine/standing-done.ts";
import type { VerdictEvent } from "../machine/verdict-event.ts";
import type { Statement } from "../shapes/attestation.ts";
import { hashFile } from "../store/hash-file.ts";
import { readPacked } from "../task/pack-passes.ts";
import { sha256 } from "../text/sha256.ts";

/**
 * What the journal and the logs of a task that is done say of it, from the task folder alone: whoever has the folder
 * can make it again. Null if the journal does not say done. A bad pack of records is a data error.
 */
export function makeStatement(place: TaskPlace, id: string, journal: TaskJournal): Statement | null {
  const index = journal.events.findLastIndex(({ type }) => type === "verdict");
  const event = journal.events[index];
  if (event?.type !== "verdict" || !isProven(event)) return null;
  if (readHistory(journal.events).phase !== "done") return null;
  const checks = listChecks(event, openLogs(place));
  const told = checks.filter(({ cell, held_out }) => cell === "repo" || (cell === "control" && held_out));
  const named = (found: (check: (typeof told)[number]) => boolean) => told.filter(found).map(({ name }) => name);
  const warned = named(({ required, status }) => !required && status !== "pass");
  const { commit, dirty } = event.code ?? { commit: null, dirty: null };
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      { name: "code", digest: { taskPhaseFingerprint: event.fingerprint.present ?? event.fingerprint.after } },
      ...(commit !== null && dirty === false ? [{ name: "commit", digest: { gitCommit: commit } }] : []),
    ],
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: {
      result: warned.length === 0 ? "PASSED" : "WARNED",
      configuration: [{ name: "README.md", digest: { sha256: event.contract_sha256 } }],
      passedTests: named(({ status }) => status === "pass"),
      warnedTests: warned,
      failedTests: named(({ required, status }) => required && status !== "pass"),
      taskPhase: {
        task: id,
        pass: event.pass,
        at: event.at,
        event_sha256: sha256(lineOf(journal.bytes, index)),
        record_sha256: event.record_sha256,
        began_from: findStart(journal),
        commit,
        dirty,
        grade: event.proof.grade,
        headline: headlineOf(event.proof).text,
        checks: checks.map(({ held_out: _, ...check }) => check),
      },
    },
  };
}

type AttestedCheck = Statement["predicate"]["taskPhase"]["checks"][number];

function listChecks(
  { checks, square }: VerdictEvent,
  digestOf: (log: string) => string | null,
): (AttestedCheck & { readonly held_out: boolean })[] {
  const rows = (cell: AttestedCheck["cell"], results: readonly CheckResult[] = []) =>
    results.map(({ name, kind, required, status, exit_code, log, held_out = false }) => ({
      ...{ cell, name, kind, required, status, exit_code, log, log_sha256: digestOf(log), held_out },
    }));
  return [
    ...rows("repo", checks?.results),
    ...rows("control", square?.control?.results),
    ...rows("guard", square?.guard?.results),
    ...rows("counter", square?.counter?.results),
  ];
}

/** The file, else what the pack of `keep: proof` has of it. */
function openLogs(place: TaskPlace): (log: string) => string | null {
  const packed = readPacked(place);
  return (log) => {
    const read = hashFile(join(place.taskDir, log));
    if (read.kind === "file") return read.sha256;
    const text = packed.get(log);
    return text === undefined ? null : sha256(text);
  };
}

function findStart({ events }: TaskJournal): string | null {
  const start = events.find(({ type }) => type === "pass_started");
  return start?.type === "pass_started" ? (start.head_commit ?? null) : null;
}

function lineOf(bytes: Buffer, index: number): Buffer {
  let from = 0;
  for (let line = 0; line < index; line += 1) from = bytes.indexOf(0x0a, from) + 1;
  const end = bytes.indexOf(0x0a, from);
  return bytes.subarray(from, end < 0 ? bytes.length : end);
}
