import * as v from "valibot";
import { readRegularFile } from "../../store/read-file.ts";
import { readShape } from "../../text/shape.ts";
import { readWait } from "../times/reset-time.ts";

/** What a `command` model's program writes to TASK_PHASE_RESULT_FILE. */
export interface ResultFile {
  readonly limit: { readonly reason: string | null; readonly untilMs: number | null } | null;
  readonly problem: string | null;
}

const maxBytes = 64 * 1024;
const example = '{"limited": true, "until": "2026-12-01T09:00:00Z", "reason": "the plan\'s limit"}';
const resultShape = v.object({
  limited: v.boolean(),
  until: v.nullish(v.union([v.string(), v.pipe(v.number(), v.finite())])),
  reason: v.nullish(v.string()),
});

/** A program wrote the file: anything unexpected is ignored and reported. */
export function readResultFile(path: string, now: number): ResultFile {
  const file = readRegularFile(path, maxBytes);
  if (file.kind === "missing") return { limit: null, problem: null };
  if (file.kind === "too_big") return wrong(`is larger than ${maxBytes} bytes and was not read`);
  if (file.kind !== "file") return wrong(`could not be read (${file.kind.replace("_", " ")})`);
  const read = readShape(resultShape, file.bytes);
  if (read.kind === "wrong") return wrong(`is ignored: ${read.problem}; it should look like ${example}`);
  const { limited, until, reason } = read.value;
  if (!limited) return { limit: null, problem: null };
  const untilMs = until === null || until === undefined ? null : readTime(until, now);
  const problem = Number.isNaN(untilMs)
    ? `has an \`until\` that is not a time; write it as in ${example}, or in seconds since 1970`
    : null;
  return {
    limit: { reason: reason ?? null, untilMs: Number.isNaN(untilMs) ? null : untilMs },
    problem: problem === null ? null : sentence(problem),
  };
}

/** NaN if it is no time. */
function readTime(until: string | number, now: number): number {
  if (typeof until === "number") return until < 1e11 ? until * 1_000 : until;
  return readWait(`resets ${until}`, now) ?? Date.parse(until);
}

function wrong(what: string): ResultFile {
  return { limit: null, problem: sentence(what) };
}

function sentence(what: string): string {
  return `the result file (TASK_PHASE_RESULT_FILE) ${what}`;
}
