import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { changesDisk } from "./disk-calls.ts";

/**
 * Loaded with --import before a program: counts its calls that change the disk, and ends it with SIGKILL before the
 * `at`th; where that writes bytes and `half` is given, after the first half of them. `at=0` only counts: the calls stand in the
 * file `list`, one a line, when the program has ended. The three come in the query of this module's address, so that
 * no child of the program inherits them.
 */
const query = new URL(import.meta.url).searchParams;
const at = Number(query.get("at") ?? "0");
const half = query.has("half");
const list = query.get("list");
const seen: string[] = [];
const own = { writeSync: fs.writeSync, writeFileSync: fs.writeFileSync };

type Call = (...args: unknown[]) => unknown;

for (const [name, original] of Object.entries(fs) as [string, unknown][]) {
  if (!name.endsWith("Sync") || typeof original !== "function") continue;
  const call = original as Call;
  Reflect.set(fs, name, (...args: unknown[]) => {
    if (!changesDisk(name, args)) return call.apply(fs, args);
    seen.push(`${name} ${describe(args)}`);
    if (seen.length === at) end(name, args);
    return call.apply(fs, args);
  });
}
syncBuiltinESMExports();
if (list !== null) process.on("exit", () => own.writeFileSync(list, `${seen.join("\n")}\n`));

function end(name: string, args: readonly unknown[]): never {
  const [descriptor, bytes, offset, length] = args;
  if (half && name === "writeSync" && bytes instanceof Uint8Array) {
    const from = Number(offset ?? 0);
    const count = Number(length ?? bytes.length - from);
    own.writeSync(Number(descriptor), bytes, from, Math.floor(count / 2), null);
  }
  process.kill(process.pid, "SIGKILL");
  // The signal is there before this call returns; nothing may run on if it ever is not.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

function describe(args: readonly unknown[]): string {
  return args
    .slice(0, 2)
    .filter((arg) => typeof arg === "string" || typeof arg === "number" || Buffer.isBuffer(arg))
    .map((arg) =>
      Buffer.isBuffer(arg) && arg.length > 300
        ? `${arg.length} bytes`
        : String(arg).replaceAll("\n", "\\n").slice(0, 300),
    )
    .join(" ");
}
