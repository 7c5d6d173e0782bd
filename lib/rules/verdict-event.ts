import type { Shape } from "../text/shape.ts";
import type { verdict } from "./shapes/verdict-event.ts";
import type { hostKinds } from "./words.ts";

export type HostedCode = NonNullable<VerdictEvent["code"]>;

/** Forgejo and Codeberg write addresses like Gitea, GitHub Enterprise like GitHub. */
export type HostKind = (typeof hostKinds)[number];

/** The decision without STATE.md, and the facts that people and later passes need. */
export type VerdictEvent = Shape<typeof verdict>;

/** Limit for an event; the pass's record has all. */
export const maxListedPaths = 200;
/** EVIDENCE.md shows a diff of at most this many lines; a longer one is linked. */
export const mostShownLines = 120;
