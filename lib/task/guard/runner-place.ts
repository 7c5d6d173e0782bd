import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { templatesFolder } from "../../documents/templates/package-files.ts";
import type { Tamper } from "../../rules/facts.ts";
import { passMachineFault } from "../../store/error-code.ts";
import { statEntry } from "../../store/folder.ts";
import { openSnapshotStore } from "../../store/snapshot.ts";
import { stateHome } from "../../store/state-home.ts";
import { configError } from "../../text/errors.ts";
import { objectAt } from "../../text/json-object.ts";
import type { Anchor } from "../records/anchor.ts";
import type { PassPorts } from "../records/ports.ts";
import { stands, type TaskPlace } from "../records/task-place.ts";

export type Installation = Readonly<ReturnType<typeof presentInstallation>>;

const mostFiles = 20_000;
const commands = ["task-phase", "task-phase-init", "task-phase-run", "task-phase-loop"];
/** The parts of the package that run. */
const ownParts = ["bin", "dist", "templates", "package.json"];

/**
 * The runner's files in these folders, as after `npm install --save-dev task-phase`: its package, its dependencies,
 * links to it, and Node. Absolute. Throws a config error if the repo is the runner's own package, or if there is too
 * much to guard.
 */
export function findRunnerPaths(
  repo: string,
  tasksRoot: string,
  installation: Installation = presentInstallation(),
): readonly string[] {
  const { packageRoot, called, node } = installation;
  if (packageRoot === repo) throw refuse(repo, "the repo is the runner's own package, which the pass would change");
  const within = (path: string) => [repo, tasksRoot].some((root) => path === root || path.startsWith(root + sep));
  const calledHere = [called, node].filter((path): path is string => path !== null && within(path));
  if (!within(packageRoot)) return calledHere;
  const paths = new Set([
    ...listPackages(packageRoot).filter(within),
    ...listLinks(packageRoot, within),
    ...calledHere,
  ]);
  if (countFiles([...paths]) > mostFiles) throw refuse(repo, `its installation there has more than ${mostFiles} files`);
  return [...paths].sort();
}

export function presentInstallation() {
  return {
    /** The folder of its package.json, real. */
    packageRoot: realpathSync(dirname(templatesFolder())),
    /** The called program, links not followed. */
    called: process.argv[1] ?? null,
    node: realpathSync(process.execPath),
  };
}

function refuse(repo: string, why: string): Error {
  return configError("TP_RUNNER_PLACE", `task-phase runs from inside the repo, and ${why}`, {
    file: repo,
    fix: "install it outside the repo and run that one: npm install --global task-phase",
  });
}

/** The package's parts and all its dependencies' folders, with links to them. */
function listPackages(packageRoot: string): string[] {
  const found = new Set(ownParts.map((part) => join(packageRoot, part)).filter(stands));
  const seen = new Set([packageRoot]);
  const open = [packageRoot];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const name of readNeeds(folder)) {
      const place = resolvePackage(name, folder);
      if (place === null) continue;
      found.add(place);
      const real = realpathSync(place);
      found.add(real);
      if (!seen.has(real)) open.push(real);
      seen.add(real);
    }
  }
  return [...found];
}

function readNeeds(folder: string): string[] {
  const about: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.keys({ ...objectAt(about, "dependencies"), ...objectAt(about, "optionalDependencies") });
}

function resolvePackage(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    if (basename(folder) !== "node_modules" && stands(join(place, "package.json"))) return place;
    if (folder === dirname(folder)) return null;
  }
}

/** Links and shims of npm, pnpm and yarn in the folders above. */
function listLinks(packageRoot: string, within: (path: string) => boolean): string[] {
  const links: string[] = [];
  for (let folder = dirname(packageRoot); within(folder); folder = dirname(folder)) {
    if (basename(folder) === "node_modules") continue;
    const modules = join(folder, "node_modules");
    links.push(...commands.map((name) => join(modules, ".bin", name)).filter(stands));
    if (statEntry(join(modules, "task-phase"))?.isSymbolicLink() === true) links.push(join(modules, "task-phase"));
  }
  return links;
}

function countFiles(paths: readonly string[]): number {
  let count = 0;
  const open = [...paths];
  for (let path = open.pop(); path !== undefined && count <= mostFiles; path = open.pop()) {
    if (lstatSync(path).isDirectory()) open.push(...readdirSync(path).map((name) => `${path}${sep}${name}`));
    else count += 1;
  }
  return count;
}

/** Guards the runner's own files if a pass can write them. */
export interface RunnerGuard {
  /** Restores differences from the pass's beginning; null if there are none. `keepIn` gets what was there. */
  restore(by: Tamper["by"], keepIn: string): Tamper | null;
}

/**
 * Copies the runner's own files before anything of the repo runs. Null if it is installed elsewhere. Recovery does not
 * use this: its program was already read from these files, and a person may have installed another version.
 */
export function guardRunner(
  anchor: Anchor,
  { tasksRoot }: TaskPlace,
  repo: string,
  ports: Pick<PassPorts, "env" | "home">,
  installation?: Installation,
): RunnerGuard | null {
  const paths = findRunnerPaths(repo, tasksRoot, installation);
  if (paths.length === 0) return null;
  const pool = join(stateHome(ports.env, ports.home), "copies");
  const store = openSnapshotStore(join(anchor.folder, "runner"), { pool });
  // Reads files unchanged since an earlier pass of this process only once.
  const options = { skip: () => false, remembers: () => true };
  const manifest = store.record(paths, options);
  store.prune(Object.values(manifest.entries));
  return {
    restore(by, keepIn) {
      const changes = store.compare(manifest, options);
      const [first] = changes;
      if (first === undefined) return null;
      let restored = true;
      for (const change of changes) {
        try {
          store.restore(change, join(keepIn, relative(dirname(repo), change.path)));
        } catch (error) {
          passMachineFault(error);
          restored = false;
        }
      }
      const more = changes.length === 1 ? "" : `, and ${changes.length - 1} more of its files`;
      const detail = `the runner itself is installed there${more}; to work on it, install it outside the repo`;
      return { path: relative(repo, first.path), change: first.change, guard: "runner_file", by, detail, restored };
    },
  };
}
