import { findGitPlace } from "../git/place.ts";
import type { ProcessMark } from "../process/mark.ts";
import type { TaskContract } from "../task/load-contract.ts";
import { type Origin, readOriginText } from "../task/origin.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { cellSandbox, separateCells } from "./cell-sandbox.ts";
import { deliveryFolders, type NoCode } from "./delivery.ts";
import type { CellGround } from "./proof/cell.ts";
import type { CellHome } from "./proof/cell-home.ts";
import type { MatrixRequest } from "./proof/matrix-runs.ts";
import { checkEnvironment } from "./runs/environment.ts";
import { type DataRequest, findExpectedData } from "./watch/expected-data.ts";
import { readRepoText } from "./watch/manifests.ts";
import { changedCheckPaths } from "./watch/sides.ts";
import { findTestModules } from "./watch/test-modules.ts";
import type { WatchRecord } from "./watch/watch.ts";

/** What the runs of a proof have in common, for a task and for a change without one. */
export interface GroundSource {
  readonly repo: string;
  readonly contract: Pick<TaskContract, "contract" | "config">;
  readonly ports: PassPorts;
  readonly entries: ReadonlyMap<string, string>;
  readonly noCode: NoCode;
  readonly origin: Origin | null;
  readonly pins: CellGround["pins"];
  readonly home: CellHome;
  /** A private folder of the runner outside the repo, for the copies. */
  readonly folder: string;
  readonly work: { readonly mark: ProcessMark; readonly work_folder: string };
  /** The folder of the tasks; the repo if there is none. */
  readonly tasksRoot: string;
  /** Whether something outside of the repo may have come from the work, by its time of birth. */
  readonly isNew: (birthMs: number) => boolean;
}

export function cellGround(source: GroundSource): CellGround {
  const { repo, contract, ports, entries, noCode, origin, folder, work } = source;
  const { live } = ports;
  const top = findGitPlace(repo)?.top ?? repo;
  const { validators, scenarios, proof } = contract.contract;
  const bounded = cellSandbox(contract, work.work_folder, ports);
  const kept = [folder, work.work_folder];
  const separation =
    bounded === null ? separateCells(top, source.tasksRoot, kept, { ...ports, isNew: source.isNew }) : null;
  return {
    ...{ repo, top, origin, listed: entries, ...noCode },
    pins: source.pins,
    checks: { validators, scenarios },
    rules: proof,
    env: { ...checkEnvironment(ports.env), ...bounded?.env },
    home: { path: ports.home, seen: source.home },
    blobs: deliveryFolders(folder).blobs,
    history: null,
    copies: folder,
    temporary: work.work_folder,
    redactor: ports.redactor,
    mark: work.mark,
    signal: ports.signal,
    ...(live === undefined ? {} : { running: (names) => live.running(names.map((name) => `${name} in a clean copy`)) }),
    sandbox: bounded?.sandbox ?? separation?.sandbox ?? null,
    unseparated: separation?.reason ?? null,
    isSeen: separation?.isSeen ?? (() => true),
  };
}

/**
 * The part of the checks' side that differs from before, and the data that the checks compare the work with. `record`:
 * null if nothing was watched.
 */
export function findCheckSide(
  record: WatchRecord | null,
  origin: Origin | null,
  { input, brief, earlier }: Pick<DataRequest, "input" | "brief" | "earlier">,
): Pick<MatrixRequest, "changedChecks" | "sharedData"> {
  if (record === null) return { changedChecks: [], sharedData: [] };
  const changed = changedCheckPaths(record, input, origin?.entries);
  if (origin === null) return { changedChecks: changed, sharedData: [] };
  const before = { entries: origin.entries, read: (path: string) => readOriginText(origin, path) };
  const readNow = (path: string) => readRepoText(input.repo, path);
  const { checks, shared } = findExpectedData({ record, input, before, readNow, brief, earlier });
  const modules = findTestModules(record, input, before, readNow, earlier);
  return { changedChecks: [...new Set([...changed, ...checks, ...modules])].sort(), sharedData: shared };
}
