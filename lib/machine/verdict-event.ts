import type { verdict } from "../shapes/verdict-event.ts";
import type { Shape } from "../text/shape.ts";
import type { hostKinds } from "./words.ts";

/** The commit that was checked out, and where it can be seen. */
export type HostedCode = NonNullable<VerdictEvent["code"]>;

/** Forgejo and Codeberg write addresses as Gitea does, GitHub Enterprise as GitHub. */
export type HostKind = (typeof hostKinds)[number];

/** How a pass ended: all of its decision but what STATE.md has, and the facts that people and later passes need. */
export type VerdictEvent = Shape<typeof verdict>;

/** `changed_paths` of an event has at most so many; the record of its pass has all. */
export const maxListedPaths = 200;
