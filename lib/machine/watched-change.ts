import type { watchedChange } from "../shapes/facts.ts";
import type { Shape } from "../text/shape.ts";
import type { watchedKinds } from "./words.ts";
export type WatchedKind = (typeof watchedKinds)[number];

/** Something watched that differs from what it was at pass 1. */
export type WatchedChange = Shape<typeof watchedChange>;

export type WatchedDigest = Pick<WatchedChange, "name" | "digest">;
