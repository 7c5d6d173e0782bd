import type { Fingerprint } from "../git/fingerprint-entries.ts";
import { twiceIfGitFails } from "../git/run-git.ts";
import type { MatrixFacts } from "../rules/matrix.ts";
import { tasksInRepo } from "../task/fingerprint-excludes.ts";
import { type Origin, openOrigin } from "../task/origin.ts";
import { pathsOfPasses } from "../task/pass-paths.ts";
import { originPlace } from "../task/records/origin-place.ts";
import { digestDelivery, pathsOfTask, serializeTask } from "./delivered-paths.ts";
import { type DeliveredCode, type Delivery, entriesOf, findDelivery, type NoCode, sourceOf } from "./delivery.ts";
import { findNestedRepositories } from "./proof/nested-repositories.ts";
import type { WatchRecord } from "./watch/watch.ts";

/** What is handed over, and the paths of it that the task is about, as `serializeTask` writes them. */
export type Handed = Pick<Delivery, "tree" | "changed"> & { readonly task: string };

interface Handover {
  readonly delivery: Delivery;
  /** Null if git could not tell. */
  readonly handed: Handed | null;
  /** For the facts of the proof. */
  readonly told: Pick<MatrixFacts, "delivered" | "undelivered" | "on_top">;
}

const unread: Delivery = {
  ...{ now: new Map(), before: null, history: null, undelivered: [] },
  ...{ tree: null, isCommitted: false, unpublished: [], changed: [], onTop: [] },
};

/** What is handed over of the present code, with its digests. */
export async function findHandover(
  code: DeliveredCode,
  watched: WatchRecord | null,
  origin: Origin | null = openOrigin(originPlace(code.anchor, code.session.ports), code.session.history.origin),
  noCode: NoCode = noCodeIn(code.repo, code.session.place.tasksRoot, code.fingerprint),
): Promise<Handover> {
  const looked = await twiceIfGitFails(() => findDelivery(sourceOf(code, origin), origin, noCode));
  if (looked.kind !== "done") return { delivery: unread, handed: null, told: {} };
  const delivery = looked.value;
  const entries = entriesOf(delivery.now);
  const { place, journal } = code.session;
  const changed = [...pathsOfPasses(place, journal.events), ...code.changedNow];
  const task = serializeTask(entries, pathsOfTask(changed, watched));
  const lost = delivery.unpublished.length === 0 ? {} : { undelivered: renderUnpublished(delivery.unpublished) };
  const below = delivery.onTop.length === 0 ? {} : { on_top: [...delivery.onTop] };
  return {
    delivery,
    handed: { ...delivery, task },
    told: { delivered: digestDelivery(entries, task), ...lost, ...below },
  };
}

function renderUnpublished(submodules: Delivery["unpublished"]): string {
  const names = submodules.map(({ path, commit }) => `${path} (no branch of its remote has ${commit.slice(0, 12)})`);
  return `a clone does not get ${names.join(", ")}`;
}

/** `settings`: task-phase.yaml of a tasks root in the repo, so that work cannot know the repo by it. */
export function noCodeIn(repo: string, tasksRoot: string, { entries }: Fingerprint): NoCode {
  const tasks = tasksInRepo({ tasksRoot }, repo);
  return {
    nested: findNestedRepositories(repo, entries.keys()),
    settings: tasks === null ? [] : [`${tasks}/task-phase.yaml`],
  };
}
