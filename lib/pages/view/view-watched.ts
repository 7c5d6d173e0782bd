import { plural } from "../../rules/wording.ts";
import type { WatchedRow } from "../model/list-watched.ts";
import { type ChangedPaths, renderUnpatched } from "../model/patches.ts";
import { words } from "./format.ts";

const standings = {
  open: "no person has answered",
  refused: "refused by a person",
  accepted: "accepted by a person",
  allowed: "allowed by tests_may_change of the brief",
  shown: "only shown",
} as const;

/** The reason why a change that could hide a failure asked no person. */
export const onlyShown = "only shown: the brief sets tests_changed: show";

export function viewWatched(row: WatchedRow, changed: ChangedPaths) {
  return {
    name: row.name,
    kind: words(row.kind),
    change: row.change,
    detail: row.detail,
    unpatched: renderUnpatched(row, changed),
    standing: row.standing === "shown" && row.hides ? onlyShown : standings[row.standing],
    good: row.standing === "accepted" || row.standing === "allowed" || row.standing === "shown",
  };
}

/** The warning about tests and checks that a reader must see first; empty if there is none. */
export function watchedAlarm(rows: readonly WatchedRow[]): string {
  const count = (standing: WatchedRow["standing"]) => rows.filter((row) => row.standing === standing).length;
  const [open, refused] = [count("open"), count("refused")];
  const shown = rows.filter((row) => row.standing === "shown" && row.hides).length;
  return [
    ...(open === 0 ? [] : [`${plural(open, "change")} of tests or checks that no person has accepted`]),
    ...(refused === 0 ? [] : [`${plural(refused, "change")} that a person refused`]),
    ...(shown === 0 ? [] : [`${plural(shown, "change")} of tests or checks that could hide a failure, ${onlyShown}`]),
  ].join(", and ");
}
