import assert from "node:assert/strict";
import { ChildProcess } from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { type Image, type Inode, type Op, root } from "./disk-image.ts";
import { FollowedDisk, type Following } from "./followed-disk.ts";

/** What a call did to the disk: how it was before, and every step since. */
export interface Trace {
  readonly base: Image;
  readonly ops: readonly Op[];
  /** How many steps were done when the call first told of its verdict. */
  readonly told: number;
}

type Call = (...values: unknown[]) => unknown;
const real = { ...fs } as unknown as Record<string, Call>;

/**
 * Notes every step below the folder while `act` runs: this program's own in their order, and those of other programs
 * when this one next comes to the disk. `act` gets a function to call as soon as something is told.
 */
export async function recordOps(
  folder: string,
  act: (tell: () => void) => Promise<void>,
  following?: Following,
): Promise<Trace> {
  const disk = new FollowedDisk(folder, following);
  let told: number | null = null;
  const restore = follow(disk);
  try {
    await act(() => {
      told ??= disk.ops.length;
    });
  } finally {
    restore();
  }
  disk.look("another program");
  const known = disk.ops.length;
  disk.look("nobody");
  assert.deepEqual(disk.ops.slice(known), [], "the trace is what happened");
  return { base: disk.base, ops: disk.ops, told: told ?? disk.ops.length };
}

/** Whether another program was at work since the last question. */
function followChildren(): { mayHaveWorked(): boolean; restore(): void } {
  const all = ChildProcess.prototype as unknown as { spawn: (this: ChildProcess, options: unknown) => unknown };
  const before = all.spawn;
  let alive = 0;
  let hasEnded = false;
  all.spawn = function (options) {
    alive += 1;
    this.once("exit", () => {
      alive -= 1;
      hasEnded = true;
    });
    return before.call(this, options);
  };
  return {
    mayHaveWorked: () => {
      const worked = alive > 0 || hasEnded;
      hasEnded = false;
      return worked;
    },
    restore: () => {
      all.spawn = before;
    },
  };
}

/** Whatever one of these does, the disk shows it. */
const seen = [
  ...["mkdirSync", "mkdtempSync", "symlinkSync", "rmSync", "cpSync", "copyFileSync", "writeFileSync"],
  ...["appendFileSync", "truncateSync"],
];

function follow(disk: FollowedDisk): () => void {
  const open = new Map<unknown, Inode>();
  const names = new Map<Inode, string>();
  let isInside = false;
  const others = followChildren();
  const replaced: [string, Call][] = [];
  const replace = (name: string, double: (before: Call, values: unknown[]) => unknown): void => {
    const before = real[name];
    assert(before !== undefined, name);
    replaced.push([name, before]);
    Reflect.set(fs, name, (...values: unknown[]) => {
      // Node makes some of its calls of others.
      if (isInside) return before(...values);
      isInside = true;
      try {
        if (others.mayHaveWorked()) disk.look("another program");
        return double(before, values);
      } finally {
        isInside = false;
      }
    });
  };
  const short = (path: unknown): string => disk.short(path) ?? String(path);

  replace("openSync", (before, values) => {
    const [path] = values;
    const place = disk.place(path);
    const descriptor = before(...values);
    if (disk.short(path) === ".") open.set(descriptor, root);
    if (place === null) return descriptor;
    const stats = fs.fstatSync(Number(descriptor));
    if (stats.isFIFO()) return descriptor;
    let inode = disk.at(place);
    if (inode === null) {
      inode = disk.add({ kind: "file", bytes: Buffer.alloc(0), mode: stats.mode & 0o7777 });
      disk.note({ kind: "name", ...place, inode, from: null }, `create ${short(path)}`);
    }
    if (stats.isFile() && stats.size === 0) disk.noteBytes(inode, Buffer.alloc(0), `truncate ${short(path)}`);
    open.set(descriptor, inode);
    names.set(inode, short(path));
    return descriptor;
  });
  replace("closeSync", (before, [descriptor]) => {
    open.delete(descriptor);
    return before(descriptor);
  });
  for (const name of ["writeSync", "ftruncateSync"])
    replace(name, (before, values) => {
      const result = before(...values);
      const inode = open.get(values[0]);
      const bytes = inode === undefined ? null : real.readFileSync?.(`/proc/self/fd/${values[0]}`);
      if (inode !== undefined && Buffer.isBuffer(bytes)) disk.noteBytes(inode, bytes, `write ${names.get(inode)}`);
      return result;
    });
  replace("fsyncSync", (before, values) => {
    const result = before(...values);
    const inode = open.get(values[0]);
    if (inode !== undefined) disk.note({ kind: "sync", inode }, `fsync ${names.get(inode)}`);
    return result;
  });
  replace("fchmodSync", (before, values) => {
    const inode = open.get(values[0]);
    if (inode !== undefined) disk.setMode(inode, Number(values[1]));
    return before(...values);
  });
  for (const name of ["renameSync", "linkSync"])
    replace(name, (before, values) => {
      const [from, to] = [disk.place(values[0]), disk.place(values[1])];
      const inode = from === null ? null : disk.at(from);
      const result = before(...values);
      const call = `${name.replace("Sync", "")} ${short(values[0])} ${short(values[1])}`;
      if (to !== null && inode !== null)
        disk.note(
          { kind: "name", ...to, inode, from: name === "renameSync" ? from : null },
          call,
          disk.isOfGit(String(values[1])),
        );
      return result;
    });
  for (const name of ["unlinkSync", "rmdirSync"])
    replace(name, (before, values) => {
      const place = disk.place(values[0]);
      const result = before(...values);
      if (place !== null) disk.note({ kind: "name", ...place, inode: null, from: null }, `unlink ${short(values[0])}`);
      return result;
    });
  for (const name of seen)
    replace(name, (before, values) => {
      const result = before(...values);
      if (values.some((value) => disk.short(value) !== null))
        disk.look(`${name.replace("Sync", "")} ${short(values[0])}`);
      return result;
    });
  syncBuiltinESMExports();
  return () => {
    others.restore();
    for (const [name, before] of replaced) Reflect.set(fs, name, before);
    syncBuiltinESMExports();
  };
}
