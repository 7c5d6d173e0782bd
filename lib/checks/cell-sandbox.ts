import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { findBwrap, isUnder, sandboxArgv, separateArgv, temporaryFolder, trySandbox } from "../process/bwrap.ts";
import { temporaryName } from "../process/temporary-folder.ts";
import { errorCode, storeError } from "../store/error-code.ts";
import { leadsToFolder, makeFolder, neverSynced, realOr, statIfReadable } from "../store/folder.ts";
import { openPrivateFolder, stateHome } from "../store/state-home.ts";
import type { TaskContract } from "../task/load-contract.ts";
import type { PassPorts } from "../task/records/ports.ts";
import type { CellSandbox } from "./proof/cell.ts";

/** What every program of this machine can leave something in. */
const shared = ["/tmp", "/var/tmp", "/dev/shm"];

export interface Separation {
  /** Null: checks in copies see what is on this machine, for the reason. */
  readonly sandbox: CellSandbox | null;
  readonly reason: string | null;
  /** Whether such a check can open an absolute path. */
  readonly isSeen: (path: string) => boolean;
}

/**
 * Where bubblewrap can be used, checks in copies see neither the repo nor what programs leave in shared folders, and another
 * host name. In a shared folder that contains the tasks, and in the folder above the repo, they do not see what came to be there
 * by the work, as `isNew` says of the time of its birth; programs and homes are seen wherever they are.
 */
export function separateCells(
  repo: string,
  tasksRoot: string,
  kept: readonly string[],
  { env, home, isNew }: Pick<PassPorts, "env" | "home"> & { readonly isNew: (birthMs: number) => boolean },
): Separation {
  const bwrap = findBwrap(env.PATH ?? "", [repo]);
  const problem = bwrap === null ? "bubblewrap is not installed" : tried(bwrap);
  if (bwrap === null || problem !== null) return { sandbox: null, reason: problem, isSeen: () => true };
  const own = [realOr(repo), realOr(tasksRoot)];
  const common = shared.filter(leadsToFolder).map(realOr);
  const folders = common.filter((path) => !own.some((one) => isUnder(one, [path])));
  // Programs of the repo are reached through the copy.
  const isProgram = (path: string) =>
    path.startsWith("/") && leadsToFolder(path) && !isUnder(realOr(path), [realOr(repo)]);
  const programs = (env.PATH ?? "").split(":").filter(isProgram);
  const stays = [home, ...programs, ...kept].map(realOr);
  // A repo that contains the home folder or a program cannot be hidden.
  const hidden = [
    ...folders,
    ...[dirname(realOr(repo)), ...common.filter((path) => !folders.includes(path))]
      .filter((path) => path !== realOr(home))
      .flatMap((path) => newIn(path, isNew))
      .filter((path) => ![...own, ...stays].some((one) => isUnder(one, [path]))),
    ...[realOr(repo)].filter((path) => !stays.some((one) => isUnder(one, [path]))),
  ];
  const isReplaced = folders.includes(temporaryFolder);
  return {
    sandbox: {
      wrap: (argv, copy, temporary) =>
        separateArgv({
          bwrap,
          hidden: hidden.filter((path) => statIfReadable(path) !== null && !(isReplaced && path === temporaryFolder)),
          kept: [...stays, ...[copy, temporary].map(realOr)],
          temporary: isReplaced ? openTemporary(temporary) : null,
          cwd: copy,
          argv,
        }),
      hasOwnTemporary: isReplaced && [env.TMPDIR, env.TMP, env.TEMP].every(namesTemporary),
    },
    reason: null,
    // The presence of a hidden file itself is visible.
    isSeen: (path) => !isUnder(path, hidden.filter(leadsToFolder)) || isUnder(path, stays),
  };
}

/** What is seen as the system's temporary folder, with the rights that a program finds there. */
function openTemporary(temporary: string): string {
  const folder = join(realOr(temporary), "tmp");
  makeFolder(folder, 0o700, neverSynced);
  chmodSync(folder, 0o1777);
  return folder;
}

function namesTemporary(value: string | undefined): boolean {
  return value === undefined || value === "" || realOr(value) === temporaryFolder;
}

const mostHidden = 100;

/** What came to be in a folder by the work; nothing if the file system does not know. */
function newIn(folder: string, isNew: (birthMs: number) => boolean): string[] {
  // Leave out the runner's own short-lived folders: bubblewrap would create a folder that vanished before it could be
  // hidden.
  const names = listIn(folder).filter((name) => !temporaryName.test(name));
  const paths = names.map((name) => join(folder, name));
  return paths.filter((path) => isNew(statIfReadable(path)?.birthtimeMs ?? 0)).slice(0, mostHidden);
}

/** Nothing if only another user may list and write to the folder: the work put nothing there. */
function listIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { uid, mode } = statSync(folder);
    if (errorCode(error) === "EACCES" && uid !== process.geteuid?.() && (mode & 0o022) === 0) return [];
    throw storeError("list", folder, error);
  }
}

const seen = new Map<string, string | null>();

function tried(bwrap: string): string | null {
  if (!seen.has(bwrap)) seen.set(bwrap, trySandbox(bwrap));
  return seen.get(bwrap) ?? null;
}

/**
 * The sandbox of the checks in a clean copy: they write to the copy and to a temporary folder of their own, and see
 * nothing of the runner's state but the copy. Null without `sandbox: bwrap`.
 */
export function cellSandbox(
  { config }: Pick<TaskContract, "config">,
  workFolder: string,
  ports: Pick<PassPorts, "env" | "home">,
): { readonly sandbox: CellSandbox; readonly env: Readonly<Record<string, string>> } | null {
  if (config.sandbox !== "bwrap") return null;
  const home = stateHome(ports.env, ports.home);
  openPrivateFolder(home);
  const temporary = join(workFolder, "cell-tmp");
  return {
    // Caches go to the temporary folder, since the user's own cannot be written to inside.
    env: {
      XDG_CACHE_HOME: `${temporaryFolder}/.cache`,
      GOCACHE: `${temporaryFolder}/.cache/go-build`,
      ...(existsSync(join(ports.home, "go/pkg/mod")) ? {} : { GOMODCACHE: `${temporaryFolder}/go/pkg/mod` }),
      npm_config_cache: `${temporaryFolder}/.cache/npm`,
    },
    sandbox: {
      wrap(argv, copy, own) {
        makeFolder(temporary, 0o700);
        const writable = [copy, own];
        return sandboxArgv({
          bwrap: findBwrap(ports.env.PATH ?? "", writable) ?? "bwrap",
          mounts: [{ kind: "empty", path: home }, ...writable.map((path) => ({ kind: "writable", path }) as const)],
          temporary,
          cwd: copy,
          argv,
        });
      },
      hasOwnTemporary: false,
    },
  };
}
