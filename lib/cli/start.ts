import { exitCodes } from "../text/exit-codes.ts";
import type { CommandName } from "./command-table.ts";
import { endWith } from "./program-end.ts";

/** What the build knows of itself; scripts/build-bundle.mjs puts it in. */
declare const build: { readonly version: string; readonly digest: string };

/**
 * The entry point of the programs in bin/. The version and the helps are answered here, and for everything else the
 * program is loaded; each way loads only what it needs. `name`: the command implied by the called file; null if the
 * first word names it.
 */
export async function start(name: CommandName | null): Promise<void> {
  const asked = askKnown(name, process.argv.slice(2));
  if (asked?.kind === "version") return await endWith(async () => write(`${build.version}\n`));
  if (asked?.kind === "help") {
    const { readHelp } = await import("./read-help.ts");
    const text = readHelp(import.meta.dirname, asked.keys);
    if (text !== null) return await endWith(async () => write(text));
  }
  const { loadProgram } = await import("./load-program.ts");
  const { commandCode } = await import("./code-cache.ts");
  const cache = commandCode(import.meta.dirname, name ?? process.argv[2] ?? "status", build.digest);
  await loadProgram(import.meta.dirname, cache).runMain(name);
}

function write(text: string): number {
  process.stdout.write(text);
  return exitCodes.ok;
}

/** What a call asks for that may be known before the program is loaded. */
type AskedKnown =
  | { readonly kind: "version" }
  /** The keys under which its answer may be, the likeliest first. */
  | { readonly kind: "help"; readonly keys: readonly string[] };

const helpFlags = new Set(["--help", "-h"]);
const versionFlags = new Set(["--version", "-V"]);

/**
 * Recognises a call that asks for the version or a help and has no other word; null for every other call, which the
 * program itself reads. `fixed` is the command that the program's own name says.
 */
export function askKnown(fixed: string | null, argv: readonly string[]): AskedKnown | null {
  const [first, second, ...more] = argv;
  if (first === undefined || more.length > 0) return null;
  if (second === undefined) {
    if (versionFlags.has(first) || (fixed === null && first === "version")) return { kind: "version" };
    const asksHelp = helpFlags.has(first) || (fixed === null && first === "help");
    return asksHelp ? { kind: "help", keys: [fixed === null ? "task-phase" : `task-phase-${fixed}`] } : null;
  }
  if (fixed !== null) return null;
  if (first === "help") return { kind: "help", keys: [`task-phase ${second}`, `topic ${second}`] };
  if (helpFlags.has(second)) return { kind: "help", keys: [`task-phase ${first}`] };
  return helpFlags.has(first) ? { kind: "help", keys: [`task-phase ${second}`] } : null;
}
