import * as v from "valibot";
import { about, recordOf, type Shape } from "../../../text/shape.ts";
import { count, flag, text } from "../values.ts";
import { reportOf } from "./common.ts";

export const boardKeys = v.object({
  board: about(v.object({ markdown: text, page: text }), "the two files, absolute"),
  tasks: about(count, "tasks of the root"),
  by_standing: about(recordOf(count), "how many tasks have each `standing`; none with 0"),
  by_phase: about(recordOf(count), "how many are in each phase; tasks whose phase is not known are in none"),
  changed: about(
    flag,
    "false if both files said the same already. They are left alone for a day then; after that their ages are brought up to date",
  ),
});
export const boardReport = reportOf(boardKeys.entries);
export type BoardKeys = Shape<typeof boardKeys>;
