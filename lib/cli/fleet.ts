import { usageError } from "../report/errors.ts";
import { describeKnownNames } from "../text/nearest.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext, CommandResult } from "./command.ts";

const acts = ["status", "setup"] as const;

/** `fleet status`: git beside the engine. `fleet setup`: makes the engine ready, and counts its ledger anew. */
export async function runCommand(context: CommandContext): Promise<CommandResult> {
  const given = context.flags.text("act");
  const act = acts.find((name) => name === given);
  if (act === undefined) {
    const what = given === null ? "fleet needs the word status or setup" : `unknown word '${shorten(given)}'`;
    throw usageError("TP_USAGE_FLEET", what, { fix: describeKnownNames(given ?? "", acts, "it is one of") });
  }
  if (act === "setup") return await (await import("./fleet-setup.ts")).setUpFleet(context);
  if (context.flags.on("rebuild"))
    throw usageError("TP_USAGE_FLEET", "--rebuild is only for setup", {
      fix: "write task-phase fleet setup --rebuild",
    });
  return await (await import("./fleet-status.ts")).showFleet(context);
}
