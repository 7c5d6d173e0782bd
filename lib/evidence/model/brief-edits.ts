import type { TaskEvent } from "../../machine/events.ts";

/** A person changed the brief, and with it perhaps the contract that everything is held against. */
export interface BriefEdit {
  readonly at: string;
  /** Digests of the whole brief. */
  readonly was: string;
  readonly now: string;
  /** The differences: keys of the front matter, and `text`; null if that is not known. */
  readonly keys: readonly string[] | null;
  /** The newest checks ran after it. */
  readonly checkedSince: boolean;
}

/** In the order of the journal. */
export function listBriefEdits(events: readonly TaskEvent[]): BriefEdit[] {
  const checkedAt = events.findLastIndex((event) => event.type === "verdict" && event.checks !== null);
  return events.flatMap((event, index) => {
    if (event.type !== "brief_changed") return [];
    const { at, was, contract_sha256: now, keys } = event;
    return [{ at, was, now, keys: keys ?? null, checkedSince: index < checkedAt }];
  });
}
