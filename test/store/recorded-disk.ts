import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, relative } from "node:path";

/** Called before each call reaches the disk: what it throws is what the code sees instead. */
export type Fault = (call: string) => void;

type Call = (...values: unknown[]) => unknown;

const { O_WRONLY, O_RDWR, O_DIRECTORY } = fs.constants;
const ofDescriptors = ["writeSync", "fsyncSync", "ftruncateSync"];
/** Calls that only look. */
const looks = ["lstatSync", "statSync", "readdirSync", "readlinkSync", "realpathSync", "readSync"];
/** Which of the arguments are paths of the call. */
const ofPaths = {
  ...{ renameSync: [0, 2], linkSync: [0, 2], symlinkSync: [1, 2], unlinkSync: [0, 1], mkdirSync: [0, 1] },
  ...{ rmdirSync: [0, 1], rmSync: [0, 1], chmodSync: [0, 1], writeFileSync: [0, 1], appendFileSync: [0, 1] },
  ...{ cpSync: [0, 2], mkdtempSync: [0, 1], copyFileSync: [1, 2] },
};

// Node reads what it needs for these two at the first call, and would keep the double for ever.
const nowhere = join(import.meta.dirname, "nowhere");
fs.rmSync(nowhere, { recursive: true, force: true });
try {
  fs.cpSync(nowhere, `${nowhere}-else`);
} catch {
  // There is nothing to copy.
}

/** The calls so far, and the way back to the real disk. */
export interface RecordedDisk {
  readonly calls: readonly string[];
  restore(): void;
}

/** As `watchDisk`, while `act` runs. */
export function recordDisk(folder: string, act: () => unknown, fault: Fault = () => {}): readonly string[] {
  const disk = watchDisk(folder, fault);
  try {
    act();
  } finally {
    disk.restore();
  }
  return disk.calls;
}

/**
 * A double of the disk: from now on it notes each call that changes the disk or makes it durable, in its order, as
 * `fsync a/b`. Paths are relative to the folder, which itself is `.`; the random part of a temporary name is `*`.
 * Calls that reach outside the folder are left out, and so is `close`. With `which` "all" those that only look are
 * noted, too.
 */
export function watchDisk(folder: string, fault: Fault = () => {}, which: "changes" | "all" = "changes"): RecordedDisk {
  const calls: string[] = [];
  const open = new Map<unknown, string>();
  const real = new Map<string, Call>();
  const replace = (name: string, make: (before: Call) => Call): void => {
    const before: Call = Reflect.get(fs, name);
    real.set(name, before);
    Reflect.set(fs, name, make(before));
  };
  const note = (name: string, ...paths: unknown[]): void => {
    const names = paths.map((path) => nameOf(folder, path));
    if (names.every((one) => one.startsWith("..")) || (which === "changes" && looks.includes(name))) return;
    const call = [name.replace("Sync", ""), ...names].join(" ");
    calls.push(call);
    fault(call);
  };
  replace("openSync", (before) => (path, flags, ...rest) => {
    const writes = typeof flags === "string" ? flags !== "r" : (Number(flags) & (O_WRONLY | O_RDWR)) !== 0;
    if (writes) note("open", path);
    const descriptor = before(path, flags, ...rest);
    if (which === "all" || writes || (Number(flags) & O_DIRECTORY) !== 0) open.set(descriptor, String(path));
    return descriptor;
  });
  replace("closeSync", (before) => (descriptor) => {
    open.delete(descriptor);
    return before(descriptor);
  });
  for (const name of [...ofDescriptors, "readSync"]) {
    replace(name, (before) => (descriptor, ...rest) => {
      const path = open.get(descriptor);
      if (path !== undefined) note(name, path);
      return before(descriptor, ...rest);
    });
  }
  const ofOnePath = looks.filter((name) => name !== "readSync").map((name) => [name, [0, 1]] as const);
  for (const [name, range] of [...Object.entries(ofPaths), ...(which === "all" ? ofOnePath : [])]) {
    replace(name, (before) => (...values) => {
      note(name, ...values.slice(...range));
      return before(...values);
    });
  }
  syncBuiltinESMExports();
  return {
    calls,
    restore: () => {
      for (const [name, before] of real) Reflect.set(fs, name, before);
      syncBuiltinESMExports();
    },
  };
}

function nameOf(folder: string, path: unknown): string {
  return (relative(folder, String(path)) || ".").replace(/\.tp-[0-9a-f]{16}\.tmp/, ".tp-*.tmp");
}
