import { withoutEmoji } from "../text/cells.ts";

/**
 * True if someone says under Blockers that there are none: `n/a`, `-`, `(none)`, `none (as of today)`, `no
 * blockers`. A placeholder is not yet an answer, and `none, but ...` is one of its own.
 */
export function saysNone(text: string): boolean {
  const bare = withoutEmoji(text)
    .replace(/["'`“”‘’*_~]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const inner = /^[([<{]\s*(.*?)\s*[)\]>}][.!]?$/.exec(bare)?.[1];
  const [, said = "", remark = ""] = /^(.*?)\s*(?:[([]([^()[\]]*)[)\]])?\s*[.!]*$/.exec(inner ?? bare) ?? [];
  if (/^\W*(?:but|except|apart|unless|other|besides|yet to)\b/i.test(remark) || remark.includes("?")) return false;
  return noneWords.test(said.replace(/[.!]+$/, "").trim());
}

const noWords = "[-–—]+|none|nil|null|n\\.?/?a|not applicable|nothing|no";
const noBlockers =
  "(?:there (?:are|is) )?(?:no|none|zero|0) (?:(?:known|open|current|active|remaining|outstanding|further|other|more) )?(?:blockers?|blocking issues?|impediments?)";
const asOf =
  "yet|now|left|known|remaining|currently|so far|right now|for now|at present|at this (?:time|point)|at the moment|as of now|to report|any ?more|open|identified|found";
const noneWords = new RegExp(`^(?:${noWords}|${noBlockers})(?: (?:${asOf}))?$`, "i");
