import { createHash } from "node:crypto";
import { linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file, folder or link, whatever names lead to it. */
export type Inode = number;

export type Node =
  | { readonly kind: "file"; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: "folder"; readonly names: ReadonlyMap<string, Inode>; readonly mode: number }
  | { readonly kind: "link"; readonly target: string };

/** What a disk holds. The world's own folder is inode 0. */
export type Image = ReadonlyMap<Inode, Node>;

/** One step that a disk does or forgets as a whole, and `sync`, after which it forgets none of the steps before. */
export type Step =
  | {
      readonly kind: "name";
      readonly folder: Inode;
      readonly name: string;
      /** Null: the name is taken away. */
      readonly inode: Inode | null;
      /** A rename takes this name away in the same step. */
      readonly from: { readonly folder: Inode; readonly name: string } | null;
    }
  /** `size`: the file has this length afterwards; null: as long as before, or as the bytes need. */
  | {
      readonly kind: "bytes";
      readonly inode: Inode;
      readonly at: number;
      readonly bytes: Buffer;
      readonly size: number | null;
    }
  | { readonly kind: "sync"; readonly inode: Inode };

export type Op = Step & {
  /** Such as `rename tasks/a tasks/b`. */
  readonly call: string;
  /** Another program did it, and synced it itself: git. */
  readonly isDurable?: true;
};

/** What a power cut makes of a step: nothing of it is there; its bytes are zeros; the first half of them is there. */
export type Damage = "gone" | "zeros" | "half";

export const root: Inode = 0;

/** The disk after the first `count` of these steps, without those that were lost. */
export function replay(base: Image, ops: readonly Op[], count: number, lost: ReadonlyMap<number, Damage>): Image {
  const image = new Map(base);
  for (let at = 0; at < count; at += 1) {
    const op = ops[at];
    const damage = lost.get(at);
    if (op === undefined || damage === "gone") continue;
    apply(image, op.kind === "bytes" && damage !== undefined ? { ...op, bytes: damaged(op.bytes, damage) } : op);
  }
  return image;
}

function damaged(bytes: Buffer, damage: Damage): Buffer {
  return damage === "zeros" ? Buffer.alloc(bytes.length) : bytes.subarray(0, bytes.length >> 1);
}

export function apply(image: Map<Inode, Node>, step: Step): void {
  if (step.kind === "bytes") applyBytes(image, step);
  if (step.kind !== "name") return;
  const { folder, name, inode, from } = step;
  if (from !== null) changeNames(image, from.folder, (names) => names.delete(from.name));
  changeNames(image, folder, (names) => (inode === null ? names.delete(name) : names.set(name, inode)));
}

function changeNames(image: Map<Inode, Node>, folder: Inode, change: (names: Map<string, Inode>) => void): void {
  const node = image.get(folder);
  if (node?.kind !== "folder") throw new Error(`inode ${folder} is no folder`);
  const names = new Map(node.names);
  change(names);
  image.set(folder, { ...node, names });
}

function applyBytes(image: Map<Inode, Node>, { inode, at, bytes, size }: Step & { kind: "bytes" }): void {
  const node = image.get(inode);
  if (node?.kind !== "file") throw new Error(`inode ${inode} is no file`);
  const length = size ?? Math.max(node.bytes.length, at + bytes.length);
  const isWhole = at === 0 && length === bytes.length;
  const whole = isWhole ? bytes : Buffer.alloc(length);
  if (!isWhole) {
    node.bytes.copy(whole);
    bytes.copy(whole, at);
  }
  image.set(inode, { ...node, bytes: whole });
}

/** Every name that can be reached, with its inode, folders before what is in them. */
export function* listPaths(image: Image, folder: Inode = root, above = ""): Generator<readonly [string, Inode, Node]> {
  const node = image.get(folder);
  if (node?.kind !== "folder") return;
  for (const [name, inode] of [...node.names].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const found = image.get(inode);
    if (found === undefined) throw new Error(`nothing has the inode ${inode} of ${above}${name}`);
    yield [`${above}${name}`, inode, found];
    if (found.kind === "folder") yield* listPaths(image, inode, `${above}${name}/`);
  }
}

const digests = new WeakMap<Buffer, string>();

function digestOf(bytes: Buffer): string {
  const known = digests.get(bytes) ?? createHash("sha256").update(bytes).digest("hex");
  digests.set(bytes, known);
  return known;
}

/** Equal for equal contents, whatever the inodes. */
export function hashImage(image: Image): string {
  const all = createHash("sha256");
  for (const [path, , node] of listPaths(image)) {
    const content = node.kind === "file" ? digestOf(node.bytes) : node.kind === "link" ? node.target : "";
    all.update(`${path}\0${node.kind}\0${node.kind === "link" ? 0 : node.mode}\0${content}\n`);
  }
  return all.digest("hex");
}

/** Makes the folder what the image holds. Names of one inode are hard links. */
export function materialise(image: Image, folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  const made = new Map<Inode, string>();
  for (const [name, inode, node] of listPaths(image)) {
    const path = join(folder, name);
    const known = made.get(inode);
    if (node.kind === "folder") mkdirSync(path, { mode: node.mode });
    else if (node.kind === "link") symlinkSync(node.target, path);
    else if (known !== undefined) linkSync(known, path);
    else writeFileSync(path, node.bytes, { mode: node.mode });
    made.set(inode, path);
  }
}
