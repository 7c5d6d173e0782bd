const person =
  "(?:a |an |the )?(?:person|user|human|answer|decision|input|reply|response|owner|maintainer|you|someone)";
const phrases = new RegExp(
  [
    "(?:tbd|todo|to be (?:decided|determined|answered|confirmed|filled(?: in)?))(?: by [^\\n]{1,40})?",
    "unanswered|no answer(?: yet)?|not (?:yet )?answered(?: yet)?|not yet",
    `(?:awaiting|waiting (?:for|on)|pending) ${person}\\b[^\\n]{0,40}`,
  ]
    .map((form) => `(?:${form})`)
    .join("|")
    .replace(/^/, "^(?:")
    .concat(")[.!]?$"),
  "i",
);
const slots =
  /^(?:pending|open|empty|blank|waiting|awaiting|none yet|(?:your |the )?answer(?: here| goes here)?|fill (?:this |me )?in|leave (?:this )?empty|write (?:it )?here)$/i;

/**
 * True where nobody has answered yet: nothing, a line of dots or dashes, `TBD`, words that say so, or, in brackets or
 * emphasis, a word that holds the place. A bare `open` or `pending` may be somebody's answer.
 */
export function isOpenAnswer(answer: string): boolean {
  const bare = answer.replace(/<!--[\s\S]*?-->/g, "").trim();
  const inner = /^[_*([{<`\s]+([^\n]*?)[_*)\]}>`.\s]+$/.exec(bare)?.[1];
  if (/^[\s_.…?–—*-]*$/.test(bare) || phrases.test(bare)) return true;
  return inner !== undefined && (inner === "" || phrases.test(inner) || slots.test(inner));
}
