import { serializeEntries } from "../git/fingerprint-entries.ts";
import type { TaskEvent } from "../rules/events.ts";
import { sha256 } from "../text/sha256.ts";
import { testClass } from "./watch/test-paths.ts";
import type { WatchRecord } from "./watch/watch.ts";

/** Paths that a task is about, besides tests: those that its passes changed, and what its checks run. */
export function pathsOfTask(changed: readonly string[], record: WatchRecord | null): ReadonlySet<string> {
  const watched = (record?.things ?? []).flatMap(({ name }) => {
    const [path = ""] = name.split("#");
    return path.startsWith("/") || path.startsWith("../") ? [] : [path];
  });
  return new Set([...changed, ...watched]);
}

/** These paths and every test of the repo, each with its bytes: what `done` is compared with later. One line an entry. */
export function serializeTask(entries: ReadonlyMap<string, string>, paths: ReadonlySet<string>): string {
  const tests = [...entries].filter(([path]) => isTest(path) && !path.startsWith("../"));
  return serializeEntries(new Map([...[...paths].map((path) => [path, entries.get(path) ?? gone] as const), ...tests]));
}

export function isTest(path: string): boolean {
  return testClass(path) !== null;
}

/** Of a path that a pass removed, or that a check would read. */
export const gone = "gone";

/** Digests of what is handed over: of all, and of what the task is about. */
export function digestDelivery(entries: ReadonlyMap<string, string>, task: string) {
  return { all: sha256(serializeEntries(entries)), task: sha256(task) };
}

/** The events that were known when what `done` handed over was proven. */
export function eventsOfProof(events: readonly TaskEvent[]): readonly TaskEvent[] {
  const isProven = (event: TaskEvent) =>
    event.type === "verdict" && event.verdict === "accepted" && event.to === "review";
  return events.slice(0, events.findLastIndex(isProven) + 1);
}
