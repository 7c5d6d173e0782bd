/** What a call asks for that may be known before the program is loaded. */
export type AskedKnown =
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
