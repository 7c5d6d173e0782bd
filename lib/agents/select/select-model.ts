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
