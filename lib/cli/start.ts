import { exitCodes } from "../text/exit-codes.ts";
import { askKnown } from "./ask-known.ts";
import type { CommandName } from "./command-table.ts";
import { endWith } from "./program-end.ts";

/** What the build knows of itself; scripts/build-bundle.mjs puts it in. */
declare const build: { readonly version: string; readonly digest: string };

/**
 * What the programs of bin/ call. The version and the helps are answered here, and for everything else the program is
 * loaded; each way loads only what it needs. `name` is the command that the called file stands for, null if the first
 * word says it.
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
