import * as v from "valibot";
import { about, readShape, type Shape } from "../../text/shape.ts";

/** state.json of a tasks root: the last model and the loop's latest call. Never the truth. */
export const lastModelShape = v.object({
  version: v.literal(1),
  run_id: v.exactOptional(about(v.string(), "the current or last call of the loop; missing before the first")),
  iteration: v.exactOptional(about(v.number(), "the passes that it has begun")),
  status: v.exactOptional(
    about(
      v.picklist(["running", "ended"]),
      "`running` too if that call was killed: the next one then writes `cut off` into its report",
    ),
  ),
  exit_name: v.exactOptional(about(v.nullable(v.string()), "how it ended; null while it is running")),
  updated_at: v.exactOptional(about(v.string(), "when this was written; ISO 8601, UTC")),
  last_model: about(v.nullable(v.string()), "the model that did the last pass"),
});

type State = Shape<typeof lastModelShape>;
export interface ReadLastModel {
  readonly name: string | null;
  readonly run: Pick<State, "run_id" | "status"> | null;
  readonly problem: string | null;
}

/** After a pass of this model has begun. Keeps the run in `before`. */
export function formatLastModel(name: string, before: Buffer | null = null): string {
  return format({ ...known(before), last_model: name });
}

/** Keeps the model in `before`. */
export function formatRun(run: Required<Omit<State, "version" | "last_model">>, before: Buffer | null): string {
  return format({ ...run, last_model: known(before)?.last_model ?? null });
}

/** `bytes` is null without a file. Damage is no reason to stop. */
export function readLastModel(bytes: Buffer | null): ReadLastModel {
  if (bytes === null) return { name: null, run: null, problem: null };
  const read = readShape(lastModelShape, bytes);
  if (read.kind !== "read") return { name: null, run: null, problem: read.problem };
  const { last_model, run_id, status } = read.value;
  const run = run_id === undefined || status === undefined ? null : { run_id, status };
  return { name: last_model, run, problem: null };
}

function known(bytes: Buffer | null): State | null {
  const read = bytes === null ? null : readShape(lastModelShape, bytes);
  return read?.kind === "read" ? read.value : null;
}

function format({ last_model, ...run }: Omit<State, "version">): string {
  const value: State = { ...run, version: 1, last_model };
  return `${JSON.stringify(value, null, 2)}\n`;
}
