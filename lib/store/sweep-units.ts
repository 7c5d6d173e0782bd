import { createHash } from "node:crypto";
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { lookOr } from "./error-code.ts";

/** A more recent change may be followed by another within the same tick of the file system's clock. */
export const settledAfterMs = 100;

/** A folder judged as one: a task folder, or that of a finished pass. */
interface SweptUnit {
  readonly path: string;
  /**
   * Names and stats as one text: device, inode, mode, size, mtime and ctime, which only the kernel sets. Null if that
   * proves nothing: a recent change, an unreadable entry, or a name that is not UTF-8.
   */
  readonly seen: string | null;
}

/** Valid while the folder's stats are unchanged, since a new or removed name changes them. */
interface SweptFolder {
  readonly stats: Stats;
  readonly names: string;
  readonly paths: readonly string[];
  readonly units: readonly string[];
}

// A pass sweeps the same folders three times.
const foldersSeen = new Map<string, SweptFolder>();

const passesEnd = "/artifacts/passes";
const folderBits = 0o040000;
const typeBits = 0o170000;
const perEntry = 6;
let values = new Float64Array(perEntry * 1024);

/** Stats each entry under a folder once, follows no link and reads no file. */
export function sweepUnits(top: string): SweptUnit[] {
  const units = [top];
  const swept: SweptUnit[] = [];
  for (const path of units) swept.push({ path, seen: sweepUnit(path, units) });
  return swept;
}

/** Node's replacement for bytes that are not UTF-8. */
const unreadable = "\ufffd";

/** Whether its subfolders are units. Paths that are not UTF-8 are not split. */
export function isSplit(folder: string): boolean {
  return folder.endsWith(passesEnd) && !folder.startsWith("//") && !folder.includes(unreadable);
}

export function isUnitName(key: string): boolean {
  return !key.startsWith("//") && !key.includes(unreadable);
}

/** The task folder, or the folder of its passes. */
export function holdersOf(unit: string): readonly string[] {
  const at = unit.lastIndexOf(passesEnd);
  return at < 0 ? [unit] : [unit, unit.slice(0, at + passesEnd.length), unit.slice(0, at)];
}

function sweepUnit(root: string, units: string[]): string | null {
  const now = Date.now();
  const open = [root];
  let isCertain = true;
  let names = "";
  let count = 0;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    // The later read reports the cause of an error.
    const stats = lookOr(() => lstatSync(path, { throwIfNoEntry: false }), undefined);
    if (stats === undefined || now - stats.ctimeMs <= settledAfterMs) isCertain = false;
    if (stats === undefined) continue;
    if (count + perEntry > values.length) values = grow(values);
    values[count] = stats.dev;
    values[count + 1] = stats.ino;
    values[count + 2] = stats.mode;
    values[count + 3] = stats.size;
    values[count + 4] = stats.mtimeMs;
    values[count + 5] = stats.ctimeMs;
    count += perEntry;
    if ((stats.mode & typeBits) !== folderBits) continue;
    const inner = lookOr(() => sweepFolder(path, stats, now), undefined);
    if (inner === undefined) isCertain = false;
    if (inner === undefined) continue;
    for (const each of inner.paths) open.push(each);
    for (const each of inner.units) units.push(each);
    names += inner.names;
  }
  if (!isCertain || names.includes(unreadable)) return null;
  const bytes = new Uint8Array(values.buffer, 0, count * Float64Array.BYTES_PER_ELEMENT);
  return createHash("sha256").update(names).update(bytes).digest("base64url");
}

/** Cached while its stats are unchanged and were settled. */
function sweepFolder(folder: string, stats: Stats, now: number): SweptFolder {
  const known = foldersSeen.get(folder);
  if (known !== undefined && isSame(known.stats, stats)) return known;
  const pathOf = (name: string): string => `${folder}/${name}`;
  const { own, units } = isSplit(folder) ? splitUnits(folder) : { own: readdirSync(folder), units: [] };
  const seen = { stats, names: `${own.join("/")}//`, paths: own.map(pathOf), units: units.map(pathOf) };
  if (now - stats.ctimeMs > settledAfterMs) foldersSeen.set(folder, seen);
  else foldersSeen.delete(folder);
  return seen;
}

function isSame(was: Stats, now: Stats): boolean {
  return was.dev === now.dev && was.ino === now.ino && was.mtimeMs === now.mtimeMs && was.ctimeMs === now.ctimeMs;
}

/** Names in a folder of passes: its own, and the units. */
function splitUnits(folder: string): { readonly own: string[]; readonly units: string[] } {
  const own: string[] = [];
  const units: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && isUnitName(entry.name)) units.push(entry.name);
    else own.push(entry.name);
  }
  return { own, units };
}

export function grow(full: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(full.length * 2);
  larger.set(full);
  return larger;
}
