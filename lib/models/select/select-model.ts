import * as v from "valibot";
import { about, readShape, type Shape } from "../../text/shape.ts";

export type ModelStanding =
  | { readonly kind: "ready" }
  /** `until` is in epoch milliseconds. */
  | { readonly kind: "cooling"; readonly until: number; readonly reason: string }
  | { readonly kind: "missing"; readonly reason: string }
  /** It failed earlier in this call of the loop. */
  | { readonly kind: "aside"; readonly reason: string };

export interface SkippedModel {
  readonly name: string;
  readonly standing: Exclude<ModelStanding, { kind: "ready" }>;
}

export type SelectedModel<Model> =
  | { readonly kind: "selected"; readonly model: Model; readonly skipped: readonly SkippedModel[] }
  | {
      readonly kind: "none";
      readonly skipped: readonly SkippedModel[];
      /** Epoch milliseconds; null if none is merely cooling down. */
      readonly nextEligible: number | null;
    };

/** By `priority` in the given order, by `round_robin` from behind the last one. Names those it skips. */
export function selectModel<Model extends { readonly name: string }>(
  models: readonly Model[],
  selection: "round_robin" | "priority",
  lastModel: string | null,
  standingOf: (model: Model) => ModelStanding,
): SelectedModel<Model> {
  const skipped: SkippedModel[] = [];
  for (const model of selection === "priority" ? models : turnsAfter(models, lastModel)) {
    const standing = standingOf(model);
    if (standing.kind === "ready") return { kind: "selected", model, skipped };
    skipped.push({ name: model.name, standing });
  }
  const ends = skipped.flatMap(({ standing }) => (standing.kind === "cooling" ? [standing.until] : []));
  return { kind: "none", skipped, nextEligible: ends.length === 0 ? null : Math.min(...ends) };
}

/** Starts behind `lastModel`, if that is one of them. */
function turnsAfter<Model extends { readonly name: string }>(
  models: readonly Model[],
  lastModel: string | null,
): readonly Model[] {
  const next = models.findIndex(({ name }) => name === lastModel) + 1;
  return [...models.slice(next), ...models.slice(0, next)];
}

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
type RunState = Required<Omit<State, "version" | "last_model">>;

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
export function formatRun(run: RunState, before: Buffer | null): string {
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
