import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "../report/exit-codes.ts";
import { askKnown } from "./ask-known.ts";
import type { CommandName } from "./command-table.ts";
import type { KnownAnswers } from "./known-answers.ts";
import { loadProgram } from "./load-program.ts";
import type { Line } from "./paint.ts";
import { endWith } from "./program-end.ts";
import { wantsColor, writeLines } from "./render.ts";

/** What the build knows of itself; scripts/build-bundle.mjs puts it in. */
declare const build: { readonly version: string };

/**
 * What the programs of bin/ call. The version and the helps are answered from a small file; for everything else the
 * program is loaded. `name` is the command that the called file stands for, null if the first word says it.
 */
export function start(name: CommandName | null): void {
  const lines = knownAnswer(name, process.argv.slice(2));
  if (lines === null) {
    void loadProgram(import.meta.dirname).runMain(name);
    return;
  }
  void endWith(async () => {
    writeLines(process.stdout, lines, wantsColor(process.stdout, process.env, false));
    return exitCodes.ok;
  });
}

function knownAnswer(name: CommandName | null, argv: readonly string[]): readonly Line[] | null {
  const asked = askKnown(name, argv);
  if (asked === null) return null;
  if (asked.kind === "version") return [build.version];
  const answers = JSON.parse(readFileSync(join(import.meta.dirname, "known-answers.json"), "utf8")) as KnownAnswers;
  const key = asked.keys.find((one) => Object.hasOwn(answers, one));
  return key === undefined ? null : (answers[key] ?? null);
}
