import { join } from "node:path";
import { type Origin, openOrigin, readOriginText } from "../task/origin.ts";
import { dependenciesFile, originPlace } from "../task/records/origin-place.ts";
import { escapePattern } from "../text/escape-pattern.ts";
import { warningFinding } from "../text/finding.ts";
import { sha256 } from "../text/sha256.ts";
import type { JudgedCode } from "./delivery.ts";
import { namesDependencies, readPins } from "./proof/dependency-pins.ts";
import { type ChangedList, type FreedPackages, findFreed } from "./proof/freed-packages.ts";
import { type HeldDependencies, holdDependencies } from "./proof/hold-dependencies.ts";
import { readRepoText } from "./watch/manifests.ts";
import type { FoundChange } from "./watch/record.ts";
import { isCode, testClass } from "./watch/test-paths.ts";

type RepoNow = Pick<JudgedCode, "session" | "anchor" | "repo" | "fingerprint">;

const mostListBytes = 64 * 1024 * 1024;

/** The packages whose entry in a list of dependencies changed since pass 1. */
function freedSince({ repo, fingerprint: { entries } }: RepoNow, origin: Origin): FreedPackages {
  return findFreed(
    { entries: origin.entries, read: (path) => readOriginText(origin, path, mostListBytes) },
    { entries, read: (path) => readRepoText(repo, path, mostListBytes) },
  );
}

/** The dependencies as at pass 1, entry by entry of their lockfiles; null if they are unknown. */
export function heldDependencies(now: RepoNow, origin: Origin): HeldDependencies | null {
  const { session, anchor, repo, fingerprint } = now;
  const file = dependenciesFile(anchor, session.ports);
  const pins = readPins(file, session.history.dependencies, !namesDependencies(repo, fingerprint.entries));
  if (pins === null) return null;
  const freed = freedSince(now, origin);
  for (const path of freed.unreadable) {
    const message = `${path} changed and cannot be read, so a clean copy holds every dependency as at pass 1`;
    session.findings.push(warningFinding("TP_LOCKFILE", message, { file: join(repo, path), fix: "write it anew" }));
  }
  return holdDependencies(repo, pins, freed, origin.entries);
}

const mostShown = 50;

/** The packages that test files import and whose entry changed since pass 1, as changes that are shown and never ask. */
export function findTestPackages(now: RepoNow): FoundChange[] {
  const { session, anchor, repo, fingerprint } = now;
  const origin = openOrigin(originPlace(anchor, session.ports), session.history.origin);
  const lists = origin === null ? [] : freedSince(now, origin).lists;
  if (lists.length === 0) return [];
  const tests = [...fingerprint.entries.keys()]
    .filter((path) => testClass(path) !== null && isCode(path))
    .map((path) => ({ path, text: readRepoText(repo, path) ?? "" }));
  const found = lists.flatMap((list) =>
    [...list.changed, ...list.added].flatMap(([entry, value]): FoundChange[] => {
      const name = entry.replace(/^.*node_modules\//, "");
      const imports = importsOf(list, name);
      const test = tests.find(({ text }) => imports.test(text));
      if (test === undefined) return [];
      const detail = `its entry in ${list.path} changed, and ${test.path} imports it`;
      return [{ name, kind: "file", change: "installed", side: "outside", detail, digest: sha256(value) }];
    }),
  );
  return found.slice(0, mostShown);
}

function importsOf({ ecosystem }: ChangedList, name: string): RegExp {
  const plain = escapePattern(name);
  if (ecosystem === "node") return new RegExp(`["'\`]${plain}["'\`/]`);
  const module = plain.replace(/[-_]/g, "[-_]");
  if (ecosystem === "python") return new RegExp(`^\\s*(?:from|import)\\s+${module}\\b`, "im");
  return new RegExp(`["']${plain}["'/]|\\buse\\s+${module}\\b|\\b${module}::`);
}
