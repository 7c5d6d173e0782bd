import { join, relative, sep } from "node:path";
import type { Contract } from "../documents/contract.ts";
import { passPath } from "../documents/pass-pack.ts";
import { unreadableFile } from "../documents/read-task-file.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import type { Fingerprint } from "../git/fingerprint-entries.ts";
import type { CheckRun } from "../rules/check-run.ts";
import type { MatrixFacts } from "../rules/matrix.ts";
import { findFewerTests, findForgiven, findUnfailing, isFewerByNamed, type KnownCounts } from "../rules/test-counts.ts";
import { type WatchedChange, withAnswers } from "../rules/watched.ts";
import { makeFolder } from "../store/folder.ts";
import { matcherOf } from "../store/glob-paths.ts";
import { readRegularFile } from "../store/read-file.ts";
import { fingerprintExcludes } from "../task/fingerprint-excludes.ts";
import { pinHeldOut } from "../task/held-out-pins.ts";
import { saveOrigin } from "../task/origin.ts";
import type { Anchor } from "../task/records/anchor.ts";
import { dependenciesFile, originPlace, recordOwner } from "../task/records/origin-place.ts";
import { passFolder, type TaskPlace } from "../task/records/task-place.ts";
import { accept, type HeldTask, type TaskSession } from "../task/session.ts";
import { dataError } from "../text/errors.ts";
import { warningFinding } from "../text/finding.ts";
import { isSameButLayout } from "../text/json-layout.ts";
import { sha256 } from "../text/sha256.ts";
import { findCarried } from "./proof/carry.ts";
import { pinDependencies } from "./proof/dependency-pins.ts";
import { reachedWords } from "./watch/parts.ts";
import { digestEntry, gone } from "./watch/places.ts";
import type { FoundChange } from "./watch/record.ts";
import { changedCheckPaths } from "./watch/sides.ts";
import {
  compareWatch,
  countWatch,
  extendWatch,
  formatWatch,
  parseWatch,
  takeWatch,
  type WatchInput,
  type WatchRecord,
} from "./watch/watch.ts";

/** The repo as it is now, and whose checks and globs say what of it is watched. */
export interface WatchedRepo {
  readonly repo: string;
  readonly contract: Contract;
  readonly fingerprint: Fingerprint;
}

const maxRecordBytes = 64 * 1024 * 1024;

/**
 * What tests and checks are compared with: taken at pass 1, and completed by what is watched only since after an edit
 * of the brief. Kept as watched.json of the pass, whose digest is in the journal. `place`: the task beside this repo, if
 * that is another copy than the one that the task works in.
 */
export async function updateWatch(
  session: HeldTask,
  repo: string,
  contract: Contract,
  pass: number,
  place: TaskPlace = session.place,
): Promise<WatchRecord> {
  const known = loadWatch(session);
  if (known !== null && !session.history.watchStale) return known;
  const fingerprint = await takeFingerprint(repo, fingerprintExcludes(place, repo));
  const input = watchInput({ place, ports: session.ports }, { repo, contract, fingerprint });
  const record = known === null ? takeWatch(input) : extendWatch(known, input);
  // Else it has some of the work.
  const isBelow = known === null && (session.history.lastPass === 0 || place !== session.place);
  const kept = isBelow ? await saveWork(session.anchor, repo, fingerprint, session, contract) : notKept;
  const text = session.ports.redactor.redact(formatWatch(record));
  const file = `${passPath(pass)}/watched.json`;
  makeFolder(passFolder(session.place, pass));
  const at = session.ports.now().toISOString();
  const watched = { pass, file, sha256: sha256(text), count: countWatch(record) };
  const held = { held_out: pinHeldOut(session.place, repo, contract.heldOut) };
  const event = { type: "watched", at, ...watched, ...kept, ...held } as const;
  accept(session, { event, state: null, files: [{ path: file, text, append: false }] });
  return record;
}

const notKept: { origin: string | null; dependencies: string | null } = { origin: null, dependencies: null };

/** Keeps the work as at pass 1, so that the checks can be run without what comes after. */
async function saveWork(
  anchor: Anchor,
  repo: string,
  fingerprint: Fingerprint,
  { place, ports, findings }: TaskSession,
  { proof }: Contract,
): Promise<typeof notKept> {
  if (proof.clean === "off") return notKept;
  const problem = await saveOrigin(originPlace(anchor, ports), repo, fingerprint);
  if (problem === null) {
    recordOwner(originPlace(anchor, ports), place.taskDir);
    const folders = findCarried(repo, fingerprint.entries.keys(), proof.carry);
    const pins = folders.length === 0 ? null : await pinDependencies(repo, folders, dependenciesFile(anchor, ports));
    return { origin: fingerprint.hash, dependencies: pins };
  }
  const message = `the code of pass 1 is not kept, so no check can be run without the work: ${problem}`;
  findings.push(warningFinding("TP_ORIGIN", message, { file: repo, fix: "name a smaller folder as `repo`" }));
  return notKept;
}

/** As the journal names it; null if nothing is watched yet. A data error if it is not there as it was. */
export function loadWatch({ place, history }: Pick<TaskSession, "place" | "history">): WatchRecord | null {
  if (history.watch === null) return null;
  const path = join(place.taskDir, history.watch.file);
  const read = readRegularFile(path, maxRecordBytes);
  if (read.kind !== "file") throw unreadableFile(path, read);
  const record = parseWatch(read.bytes.toString("utf8"));
  if (record !== null && isSameButLayout(read.bytes, history.watch.sha256, () => formatWatch(record))) return record;
  const message = "the record of tests and checks at pass 1 is not the file that the journal names";
  const fix = "restore it, for example from git; only task-phase writes it";
  throw dataError("TP_WATCH_CHANGED", message, { file: path, fix });
}

/** Other known facts of a pass, besides what the watch itself compares. */
export interface WatchedBeside {
  /** Its changed checks are named too if the comparison has no row for them, and its counts tell whose tests are gone. */
  readonly matrix?: MatrixFacts | null;
  /** The newest checks: how many tests they ran. */
  readonly checks?: CheckRun | null;
  /** New lines of the work that bear on how its tests end, and changed packages that tests import. */
  readonly marks?: readonly FoundChange[];
}

/**
 * What differs now, with what a person said to exactly that, or the brief beforehand: of tests and of what the checks
 * run, and what else bears on the checks.
 */
export function listWatchedChanges(
  session: TaskSession,
  record: WatchRecord,
  watched: WatchedRepo,
  beside: WatchedBeside = {},
): WatchedChange[] {
  const { testCounts, watchAnswers } = session.history;
  const input = watchInput(session, watched);
  const mayChange = watched.contract.testsMayChange;
  const { entries } = input;
  const rows = compareWatch(record, input);
  return listWatched({ record, rows, entries, testCounts, answers: watchAnswers, mayChange }, beside);
}

export interface WatchedSince extends Pick<WatchInput, "entries"> {
  readonly record: WatchRecord;
  /** How `compareWatch` finds the repo to differ from it. */
  readonly rows: readonly FoundChange[];
  readonly testCounts: KnownCounts;
  readonly answers: Parameters<typeof withAnswers>[1];
  /** Globs of tests that are meant to change. */
  readonly mayChange: readonly string[];
}

/** Lists the same for a change without a task. */
export function listWatched(
  { record, rows, entries, testCounts, answers, mayChange: globs }: WatchedSince,
  { matrix = null, checks = null, marks = [] }: WatchedBeside,
): WatchedChange[] {
  const alsoChanged = matrix?.changed_checks ?? [];
  const named = new Set(rows.map(({ name }) => name.split("#", 1)[0]));
  const isFolded = rows.some(({ name }) => name.startsWith("and "));
  const others = (isFolded ? [] : alsoChanged.filter((path) => !named.has(path))).map((name) => {
    const entry = entries.get(name);
    const [change, digest] = entry === undefined ? (["removed", gone] as const) : (["changed", sha256(entry)] as const);
    const same = record.things.some((thing) => thing.name === name && thing.digest === digestEntry(entry ?? ""));
    const detail = same ? "it has another mode" : "";
    return { name, kind: "file", change, detail, digest, side: "checks" } as const;
  });
  const mayChange = matcherOf(globs);
  const results = checks?.results ?? [];
  const counts = [
    ...findFewerTests(testCounts, results),
    ...findForgiven(testCounts, results),
    ...findUnfailing(matrix, (path) => sha256(entries.get(path) ?? gone)),
  ];
  const byNamed = alsoChanged.some(mayChange) ? results.filter((result) => isFewerByNamed(matrix, result)) : [];
  return withAnswers([...rows, ...others, ...counts, ...marks], answers, mayChange, (check) =>
    byNamed.some(({ kind, name }) => `${kind} ${name}` === check),
  );
}

/** The paths that changed on the checks' side, and the words by which the checks reach programs. */
export function readCheckSide(session: TaskSession, record: WatchRecord, watched: WatchedRepo) {
  const input = watchInput(session, watched);
  return { paths: changedCheckPaths(record, input), reached: reachedWords(input) };
}

/** The input of the watch: the repo, its checks and globs, and PATH. */
export function watchInput(
  { place, ports }: Pick<TaskSession, "place" | "ports">,
  { repo, contract, fingerprint }: WatchedRepo,
): WatchInput {
  return {
    repo,
    checks: [...contract.validators, ...contract.scenarios].map(({ name, command }) => ({ name, command })),
    globs: contract.watched,
    leaveOut: fingerprintExcludes(place, repo)
      .filter((path) => path.startsWith(repo + sep))
      .map((path) => relative(repo, path).split(sep).join("/")),
    entries: fingerprint.entries,
    searchPath: ports.env.PATH ?? "",
    home: ports.home,
    redact: (text) => ports.redactor.redact(text),
  };
}
