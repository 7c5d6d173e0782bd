import { basename, dirname, join } from "node:path";
import type { DependencyPins } from "./dependency-pins.ts";
import { digestDependency } from "./digest-dependency.ts";
import { type ChangedList, type FreedPackages, folderOfList } from "./freed-packages.ts";
import { distributionOf, leadsToOwn, type Owner, ownerOf, pathsOfPython, plainPython } from "./package-owner.ts";

export interface HeldDependencies {
  /** Whether a carried folder has to be as at pass 1. */
  isHeld(folder: string): boolean;
  /** Whether a file or link of it may be in a copy: as at pass 1, or of a package whose entry changed. */
  holds(path: string, description: string | null): boolean;
  /** Whether it was there at pass 1, whatever it held. */
  wasThere(path: string): boolean;
}

/**
 * Dependencies as at pass 1, but for the packages that a list names otherwise now. Where a list changed, a file is also
 * as it was if its package had the same one in another folder: a package manager may lay packages out anew.
 */
export function holdDependencies(
  repo: string,
  pins: DependencyPins,
  freed: FreedPackages,
  before: { has(path: string): boolean },
): HeldDependencies {
  const places = once(() => readPlaces(repo, pins));
  const python = once(() => freePython());

  function isFree(path: string, owner: Owner): boolean {
    const lists = freed.lists.filter((list) => list.ecosystem === owner.ecosystem && governs(list, path));
    if (lists.length === 0) return false;
    if (owner.name === "") return true;
    if (owner.ecosystem === "python") return python().has(owner.folder);
    const isNew = !places().names.has(nameOf(owner));
    return lists.some(
      (list) =>
        namesOwner(list.changed, list, owner) || (isNew && (list.takesNew || namesOwner(list.added, list, owner))),
    );
  }

  function freePython(): ReadonlySet<string> {
    return new Set(
      places().sites.flatMap((folder) => {
        const lists = freed.lists.filter((list) => list.ecosystem === "python" && governs(list, folder));
        const isFreed = (name: string): boolean => {
          const isNew = !places().names.has(`${folder}\0${name}`);
          return lists.some(
            ({ changed, added, takesNew }) =>
              hasPython(changed, name) || (isNew && (takesNew || hasPython(added, name))),
          );
        };
        const isPinned = (path: string) => pins.entries.get(path) === digestDependency(Buffer.from(join(repo, path)));
        return pathsOfPython(repo, folder, isFreed, isPinned);
      }),
    );
  }

  return {
    isHeld: (folder) => pins.isComplete || pins.folders.has(folder) || isBelowHeld(pins, folder, before),
    wasThere: (path) => pins.entries.has(path),
    holds(path, description) {
      if (description !== null && pins.entries.get(path) === description) return true;
      const owner = description === null || freed.lists.length === 0 ? null : ownerOf(repo, path);
      if (owner === null || description === null) return false;
      if (isFree(path, owner)) return true;
      if (owner.ecosystem !== "node") return false;
      return places().files.has(placeOf(owner, description)) || leadsToOwn(repo, path, owner.name);
    },
  };
}

/** The sites, names and files of the packages at pass 1. */
function readPlaces(repo: string, pins: DependencyPins) {
  const sites = new Set<string>();
  const names = new Set<string>();
  const files = new Set<string>();
  for (const [path, description] of pins.entries) {
    const site = /^(.*(?:site|dist)-packages)\/([^/]+)/.exec(path);
    if (site !== null) {
      sites.add(site[1] ?? "");
      names.add(`${site[1]}\0${distributionOf(site[2] ?? "") ?? ""}`);
      continue;
    }
    const owner = ownerOf(repo, path);
    if (owner === null) continue;
    names.add(nameOf(owner));
    if (owner.ecosystem === "node") files.add(placeOf(owner, description));
  }
  return { sites: [...sites], names, files };
}

function placeOf({ name, inner }: Owner, description: string): string {
  return `${name}\0${inner}\0${description}`;
}

/** The name of a vendored package can span several folders, so the file's own folder is used. */
function nameOf({ ecosystem, name }: Owner): string {
  return ecosystem === "vendor" ? `vendor/${dirname(name)}` : name;
}

function governs(list: ChangedList, path: string): boolean {
  return path.startsWith(folderOfList(list));
}

function namesOwner(entries: ChangedList["changed"], list: ChangedList, { ecosystem, name, folder }: Owner): boolean {
  if (ecosystem === "node") return entries.has(name) || entries.has(folder.slice(folderOfList(list).length));
  return [...entries.keys()].some((one) =>
    // For example `ns/name/…`, `name-1.2.0/…` and `…/gems/name-1.2.0/…`.
    [0, name.lastIndexOf(`/${one}-`) + 1].some(
      (at) => name.startsWith(one, at) && /^(?:\/|-\d)/.test(name.slice(at + one.length)),
    ),
  );
}

function hasPython(entries: ChangedList["changed"], distribution: string): boolean {
  return [...entries.keys()].some((name) => plainPython(name) === distribution);
}

/** A node_modules folder below one that is held, with no package of its own at pass 1 between them, is held too. */
function isBelowHeld({ folders }: DependencyPins, folder: string, before: { has(path: string): boolean }): boolean {
  if (basename(folder) !== "node_modules") return false;
  for (let at = dirname(folder); at !== "."; at = dirname(at)) {
    if (before.has(`${at}/package.json`)) return false;
    if (folders.has(join(dirname(at), "node_modules"))) return true;
  }
  return false;
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
