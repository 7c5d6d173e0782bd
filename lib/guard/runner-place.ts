import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { stands } from "../anchor/task-place.ts";
import { configError } from "../report/errors.ts";
import { lookAt } from "../store/folder.ts";
import { templatesFolder } from "../templates/package-files.ts";
import { objectAt } from "../text/json-object.ts";

/** Where the program that runs now was installed. */
export interface Installation {
  /** The folder of its package.json, real. */
  readonly packageRoot: string;
  /** The program that was called, links not followed; null if that is not known. */
  readonly called: string | null;
  /** The program of Node, real. */
  readonly node: string;
}

const mostFiles = 20_000;
const commands = ["task-phase", "task-phase-init", "task-phase-run", "task-phase-loop"];
/** The files of the package that run; the rest of a checkout is not the runner. */
const ownParts = ["bin", "dist", "templates", "package.json"];

/**
 * The files of the runner that lie in one of these folders, as after `npm install --save-dev task-phase`: its package,
 * those that it needs, the links that lead to it, and Node itself. Empty if it is installed elsewhere. Absolute. Throws
 * a config error if the repo is the runner's own package, or if there is too much to guard.
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

export function presentInstallation(): Installation {
  return {
    packageRoot: realpathSync(dirname(templatesFolder())),
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

/** The parts of the package, and the folder of each package that it needs, however deep; links to them too. */
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

/** As Node looks for it; null if it is not installed. */
function resolvePackage(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    if (basename(folder) !== "node_modules" && stands(join(place, "package.json"))) return place;
    if (folder === dirname(folder)) return null;
  }
}

/** The links and small programs by which npm, pnpm and yarn lead to the package from the folders above it. */
function listLinks(packageRoot: string, within: (path: string) => boolean): string[] {
  const links: string[] = [];
  for (let folder = dirname(packageRoot); within(folder); folder = dirname(folder)) {
    if (basename(folder) === "node_modules") continue;
    const modules = join(folder, "node_modules");
    links.push(...commands.map((name) => join(modules, ".bin", name)).filter(stands));
    if (lookAt(join(modules, "task-phase"))?.isSymbolicLink() === true) links.push(join(modules, "task-phase"));
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
