import assert from "node:assert/strict";
import fs from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { apply, type Image, type Inode, type Node, type Op, root, type Step } from "./disk-image.ts";

/** What git alone writes, and syncs by its own rules. */
const gitFolder = /\/\.git(?:\/|$)|\/remote(?:\/|$)/;

/** The real calls, whatever stands in their place later. */
const real = { ...fs };

export interface Following {
  /** Paths of what counts as durable once it is done; git's folders without it. */
  readonly ofGit?: RegExp;
  readonly othersSync?: boolean;
}

export interface Place {
  readonly folder: Inode;
  readonly name: string;
}

/**
 * An image of a real folder, which follows each step: those that it is told of, and with `look` those that it finds.
 */
export class FollowedDisk {
  /** How it was at first, and how everything that came later began. */
  readonly base: Image;
  readonly ops: Op[] = [];
  private readonly folder: string;
  private readonly ofGit: RegExp;
  private readonly othersSync: boolean;
  private readonly first = new Map<Inode, Node>();
  private readonly now = new Map<Inode, Node>();
  private readonly stamps = new Map<Inode, string>();

  /** `othersSync`: whatever other programs wrote is durable, in its order. */
  constructor(folder: string, { ofGit = gitFolder, othersSync = false }: Following = {}) {
    this.folder = folder;
    this.ofGit = ofGit;
    this.othersSync = othersSync;
    this.add({ kind: "folder", names: new Map(), mode: 0o700 });
    this.look("at first");
    this.ops.length = 0;
    for (const [inode, node] of this.now) this.first.set(inode, node);
    this.base = this.first;
  }

  /** Where a path is; null if it is outside, or the folder itself. */
  place(path: unknown): Place | null {
    const short = this.short(path);
    if (short === null || short === ".") return null;
    const above = dirname(short);
    const folder = above === "." ? root : this.find(above);
    return folder === null ? null : { folder, name: basename(short) };
  }

  /** The path from the folder; null if it is outside. */
  short(path: unknown): string | null {
    if (typeof path !== "string" && !Buffer.isBuffer(path)) return null;
    const short = relative(this.folder, resolve(String(path))) || ".";
    return short.startsWith("..") ? null : short;
  }

  /** Whether it counts as durable once it is done, in its order. */
  isOfGit(path: string): boolean {
    return this.ofGit.test(path);
  }

  at({ folder, name }: Place): Inode | null {
    const node = this.now.get(folder);
    return (node?.kind === "folder" ? node.names.get(name) : undefined) ?? null;
  }

  add(node: Node): Inode {
    const inode = this.now.size;
    this.now.set(inode, node);
    this.first.set(inode, node);
    return inode;
  }

  setMode(inode: Inode, mode: number): void {
    for (const image of [this.now, this.first]) {
      const node = image.get(inode);
      if (node !== undefined && node.kind !== "link") image.set(inode, { ...node, mode });
    }
  }

  note(step: Step, call: string, isDurable = false): void {
    this.ops.push({ ...step, call, ...(isDurable ? { isDurable } : {}) });
    apply(this.now, step);
  }

  /** The file has these bytes now. */
  noteBytes(inode: Inode, bytes: Buffer, call: string, isDurable = false): void {
    const node = this.now.get(inode);
    assert(node?.kind === "file");
    const old = node.bytes;
    if (old.equals(bytes)) return;
    const same = Math.min(old.length, bytes.length);
    const goesOn = old.subarray(0, same).equals(bytes.subarray(0, same));
    const at = goesOn ? same : 0;
    const size = goesOn && bytes.length > old.length ? null : bytes.length;
    const last = this.ops.at(-1);
    // One file that is written piece by piece: half of it stands for any part.
    const goesOnWriting =
      last?.kind === "bytes" && last.inode === inode && last.call === call && size === null && last.size === null;
    if (goesOnWriting) {
      this.ops.pop();
      this.ops.push({ ...last, bytes: Buffer.concat([last.bytes, bytes.subarray(at)]) });
      apply(this.now, { kind: "bytes", inode, at, bytes: bytes.subarray(at), size });
    } else this.note({ kind: "bytes", inode, at, bytes: bytes.subarray(at), size }, call, isDurable);
  }

  /** Notes what differs from the real folder. */
  look(who: string, folder: Inode = root, path = this.folder): void {
    const node = this.now.get(folder);
    assert(node?.kind === "folder");
    const isGit = this.isOfGit(path) || (this.othersSync && who === "another program");
    const names = new Set(real.readdirSync(path));
    for (const [name, inode] of node.names) {
      const below = join(path, name);
      const stats = real.lstatSync(below, { bigint: true, throwIfNoEntry: false });
      // The pipe that a guard waits at would block whoever reads it.
      if (stats?.isFIFO() === true) {
        names.delete(name);
        continue;
      }
      const kind = stats?.isDirectory() === true ? "folder" : stats?.isSymbolicLink() === true ? "link" : "file";
      const there = this.now.get(inode);
      const [number] = (this.stamps.get(inode) ?? "").split(" ");
      if (stats === undefined || there?.kind !== kind || (number !== "" && String(stats.ino) !== number)) {
        this.remove(who, folder, name, inode, isGit);
        continue;
      }
      names.delete(name);
      if (kind === "folder") this.look(who, inode, below);
      const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
      if (kind === "file" && this.stamps.get(inode) !== stamp)
        this.noteBytes(inode, real.readFileSync(below), `${who}: write ${this.short(below)}`, isGit);
      this.stamps.set(inode, stamp);
    }
    for (const name of names) this.noteNew(who, folder, join(path, name), isGit);
  }

  private remove(who: string, folder: Inode, name: string, inode: Inode, isGit: boolean): void {
    const node = this.now.get(inode);
    if (node?.kind === "folder") for (const [below, one] of node.names) this.remove(who, inode, below, one, isGit);
    this.note({ kind: "name", folder, name, inode: null, from: null }, `${who}: unlink ${name}`, isGit);
  }

  private noteNew(who: string, folder: Inode, path: string, isGit: boolean): void {
    const stats = real.lstatSync(path);
    if (stats.isFIFO()) return;
    const mode = stats.mode & 0o7777;
    const inode = stats.isDirectory()
      ? this.add({ kind: "folder", names: new Map(), mode })
      : stats.isSymbolicLink()
        ? this.add({ kind: "link", target: real.readlinkSync(path) })
        : this.add({ kind: "file", bytes: Buffer.alloc(0), mode });
    const short = this.short(path);
    this.note({ kind: "name", folder, name: basename(path), inode, from: null }, `${who}: make ${short}`, isGit);
    if (stats.isDirectory()) this.look(who, inode, path);
    if (stats.isFile()) this.noteBytes(inode, real.readFileSync(path), `${who}: write ${short}`, isGit);
  }

  private find(short: string): Inode | null {
    let inode: Inode = root;
    for (const name of short.split("/")) {
      const next = this.at({ folder: inode, name });
      if (next === null) return null;
      inode = next;
    }
    return inode;
  }
}
