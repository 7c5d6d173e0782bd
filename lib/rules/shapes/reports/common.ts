import * as v from "valibot";
import { exitCodes } from "../../../text/exit-codes.ts";
import type { Finding } from "../../../text/finding.ts";
import { about, whole } from "../../../text/shape.ts";
import { flag, maybeFlag, maybeNumber, maybeText, number, text, time } from "../values.ts";

export const exitNames = Object.keys(exitCodes) as [keyof typeof exitCodes, ...(keyof typeof exitCodes)[]];

export const finding = whole<Finding>()({
  severity: v.picklist(["error", "warning", "info"]),
  code: about(text, "stable, begins with `TP_`"),
  message: about(text, "the problem, what was expected and what was found"),
  file: maybeText,
  line: about(maybeNumber, "from 1"),
  column: about(maybeNumber, "from 1, in UTF-16 code units"),
  fix: about(maybeText, "the next step"),
});

/** The keys that every object has. */
export const end = {
  exit_code: about(number, "the exit code of the process"),
  exit_name: about(v.picklist(exitNames), "its name; docs/cli.md lists them"),
  findings: about(v.array(finding), "errors, warnings and remarks; the errors are why the exit code is what it is"),
};

export const evidence = v.object({ path: maybeText, url: maybeText, pushed: maybeFlag });

export const cooldown = v.object({ model: text, until: time, reason: text });

/** The key of every object but those of `run` and `loop`. */
export const named = { command: about(maybeText, "the command's name, or null if none was given") };

/**
 * The report of a command other than `run` and `loop`; after an error that ended it early, none of its own keys is
 * there.
 */
export function reportOf<Entries extends v.ObjectEntries>(answer: Entries) {
  return v.object({
    ...named,
    ...end,
    ...v.partial(v.object(answer)).entries,
  });
}

export const ok = about(flag, "true if no finding is an error");
