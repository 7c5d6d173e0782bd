import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { lookOr } from "../../store/error-code.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { listReadable } from "../../store/walk.ts";
import { packageOf } from "../watch/find-locks.ts";
import type { Ecosystem } from "./lock-entries.ts";

/** The package that a file of a dependency folder belongs to. */
export interface Owner {
  readonly ecosystem: Ecosystem;
  /** Empty: the package manager keeps it for all packages. In a folder of vendored code it is the path in that folder. */
  readonly name: string;
  /** The repo path of the package's folder, as npm's lockfile names it, or of what Python imports; empty if unknown. */
  readonly folder: string;
  /** The path inside the package. */
  readonly inner: string;
}

const keptForAll = /^(?:\.[^/]+|\.pnpm\/lock\.yaml|composer\/[^/]+|autoload\.php|modules\.txt)$/;

/** Null if no package manager keeps packages at such a path. A program of node_modules/.bin belongs to where it leads. */
export function ownerOf(repo: string, path: string): Owner | null {
  const python = /^(.*(?:site|dist)-packages)\/(.+)$/.exec(path);
  if (python !== null) return ofPython(topOf(python[1] ?? "", python[2] ?? ""));
  if (/(?:^|\/)\.?v?env\/(?:bin|Scripts)\/[^/]+$/.test(path)) return ofPython(path);
  const at = path.lastIndexOf("node_modules/");
  if (at >= 0) return ownerInNode(repo, path, at + "node_modules/".length);
  const name = /(?:^|\/)vendor\/(.+)$/.exec(path)?.[1];
  if (name === undefined) return null;
  return { ecosystem: "vendor", name: keptForAll.test(name) ? "" : name, folder: "", inner: name };
}

function ofPython(path: string): Owner {
  return { ecosystem: "python", name: path, folder: path, inner: "" };
}

function ownerInNode(repo: string, path: string, from: number): Owner | null {
  const rest = path.slice(from);
  if (keptForAll.test(rest)) return { ecosystem: "node", name: "", folder: "", inner: rest };
  const name = rest.startsWith(".bin/") ? packageOf(repo, path) : /^(?:@[^/]+\/)?[^./@][^/]*/.exec(rest)?.[0];
  if (name === undefined || name === null) return null;
  const inner = rest.startsWith(".bin/") ? rest : rest.slice(name.length);
  return { ecosystem: "node", name, folder: path.slice(0, from) + name, inner };
}

/** What Python imports a file of site-packages by: the first part of its path, or all of it in a folder of caches. */
function topOf(folder: string, path: string): string {
  return join(folder, path.startsWith("__pycache__/") || path.startsWith("../") ? path : (path.split("/", 1)[0] ?? ""));
}

/** As PyPI compares names. */
export function plainPython(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

/** The distribution whose `.dist-info` folder this is; null for another folder. */
export function distributionOf(folder: string): string | null {
  const name = /^(.+?)-[^-]+\.dist-info$/.exec(folder)?.[1];
  return name === undefined ? null : plainPython(name);
}

const mostRecordBytes = 8 * 1024 * 1024;

/**
 * What in and beside a site-packages folder belongs to these distributions by their own RECORD, and to none whose
 * RECORD is as it was at pass 1. Repo paths.
 */
export function pathsOfPython(
  repo: string,
  folder: string,
  isFree: (distribution: string) => boolean,
  isPinned: (path: string) => boolean,
): string[] {
  const free = new Set<string>();
  const held = new Set<string>();
  for (const { name } of listReadable(join(repo, folder))) {
    const distribution = distributionOf(name);
    if (distribution === null) continue;
    const record = `${folder}/${name}/RECORD`;
    const claims = isFree(distribution) ? free : isPinned(record) ? held : null;
    const read = claims === null ? null : readRegularFile(join(repo, record), mostRecordBytes);
    const lines = read?.kind === "file" ? read.bytes.toString("utf8").split(/\r?\n/) : [];
    claims?.add(`${folder}/${name}`);
    for (const line of lines) if (line !== "") claims?.add(topOf(folder, line.split(",", 1)[0] ?? ""));
  }
  return [...free].filter((path) => !held.has(path));
}

/** Whether a link in node_modules leads to a package of its own name, as managers link one from another folder. */
export function leadsToOwn(repo: string, path: string, name: string): boolean {
  return lookOr(() => {
    const absolute = join(repo, path);
    if (!lstatSync(absolute).isSymbolicLink()) return false;
    const target = join(path, "..", readlinkSync(absolute));
    return !target.startsWith("../") && target.endsWith(`node_modules/${name}`);
  }, false);
}
