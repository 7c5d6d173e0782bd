import * as v from "valibot";
import { about, type Shape } from "../../../text/shape.ts";
import { count, flag, maybeNumber, maybePhase, maybeText, phase, text, texts } from "../values.ts";
import { ok, reportOf } from "./common.ts";

const forged = v.object({
  commit: text,
  author: maybeText,
  date: maybeText,
  subject: maybeText,
  task: about(text, "the folder's name"),
  from: maybePhase,
  to: maybePhase,
  code: text,
  file: text,
  line: maybeNumber,
  message: text,
});

export const historyKeys = v.object({
  commits: count,
  transitions: count,
  events: count,
  tasks: count,
  forged: v.array(forged),
  signatures: v.exactOptional(
    about(
      v.object({ required: count, good: count, signers: texts }),
      "with `--allowed-signers` only: the commits that must be signed, those that are, and by whom",
    ),
  ),
});

const checkEntries = {
  ok,
  tasks: about(
    v.array(v.object({ folder: text, ok: flag, verdicts: count })),
    "`verdicts` is the number of verdicts that were decided again; with `--git` it is 0, since the history judges them",
  ),
  proposal: v.exactOptional(
    about(
      v.object({
        from: phase,
        proposed: phase,
        gates: v.array(v.object({ gate: text, ok: flag, detail: text })),
      }),
      "with `--proposal` only, and `tasks` is empty then; the gates that need no check to run",
    ),
  ),
  attestations: v.exactOptional(
    about(
      v.array(v.object({ folder: text, ok: flag, signer: maybeText })),
      "with `--attestation` only. `signer` is null if no signature holds",
    ),
  ),
  history: v.exactOptional(
    about(
      historyKeys,
      "with `--history` only. In an item of `forged`, `from` and `to` are null if it is not a move. With `--since REV` the numbers count only what was judged: commits that REV does not go back to",
    ),
  ),
};

export const checkKeys = v.object(checkEntries);
export const checkReport = reportOf(checkEntries);

export type CheckKeys = Shape<typeof checkKeys>;
export type HistoryKeys = Shape<typeof historyKeys>;
export type ForgedStep = Shape<typeof forged>;
