export type PlainAnswer = "yes" | "no";

/**
 * `yes` for a plain yes at the beginning that nothing takes back, `no` for a plain no or a request to undo. Null in
 * doubt: asking again costs a minute, guessing costs passes or a false `done`.
 */
export function readPlainAnswer(answer: string): PlainAnswer | null {
  const text = wordsOf(answer);
  // Anything may follow `no:`.
  if (/^no\s*:/.test(text)) return "no";
  if (doubtMarks.test(text)) return null;
  if (saysYes(text)) return "yes";
  return saysNo(text) ? "no" : null;
}

const end = "(?![\\p{L}\\p{N}'/+-])";
const stop = /^\s*(?:$|[:;,.!()[\]\u2013\u2014]|-+\s)/u;

const yes = new RegExp(
  `^(?:please |(?:i|we) (?:hereby )?)?(?:yes|yep|yeah|yup|yea|aye|y|ok|okay|\\+1|lgtm|approved?|accept(?:ed)?|agreed?|confirmed)${end}`,
  "u",
);
/** A yes only before a stop: `fine` is one, `right side overlaps` is not. */
const yesAlone = new RegExp(
  `^(?:(?:it|this|that|all|everything|they|these)(?: of (?:it|them))?(?:'s| is| are)? )?(?:(?:looks?|sounds?|works|proceed|continue|does|good|fine|great|perfect|correct|right|ok|okay|fits|is|works|sure|absolutely|definitely|certainly|of course|go on|go ahead|go for it|ship it|as it should be|as they should be|may stay|keep(?: (?:exactly )?(?:it|them|all|(?:these|the) changes|these))?)(?: (?:good|fine|great|perfect|correct|right|ok|okay|as it should|(?:to|for|by|with) (?:me|us)))*)${end}`,
  "u",
);
const no =
  /^(?:(?:i|we) )?(?:no(?: thanks| thank you| way)?|nope|nah|n|never|(?:absolutely|definitely|certainly) not|not (?:ok|okay|right|good|fine|correct|approved|accepted|as it should be)|(?:do not|don't|cannot|can't|won't) (?:accept|approve|agree|keep)|don't|disagree|disapproved?|declined?)(?![\p{L}\p{N}'/+-])/u;
const undo =
  /^(?:(?:please|i) )?(?:undo|revert|reject(?:ed)?|refused?|(?:put|take) (?:it|them|all|these|everything) back)(?![\p{L}\p{N}'/+-])/u;
/** `no problem` is no refusal; `no the menu is cut off` is one. */
const subject = /^\s+(?:the|it|this|that|these|those|they|there|its|i|we|please|because|since|undo|revert)\b/u;

function saysYes(text: string): boolean {
  const strong = yes.exec(text)?.[0];
  const alone = strong === undefined ? yesAlone.exec(text)?.[0] : undefined;
  const first = strong ?? alone;
  if (first === undefined) return false;
  const rest = text.slice(first.length);
  return (strong !== undefined || stop.test(rest)) && !takesBack(rest);
}

function saysNo(text: string): boolean {
  const plain = no.exec(text)?.[0];
  if (plain !== undefined) {
    const rest = text.slice(plain.length);
    return (stop.test(rest) || subject.test(rest)) && !approves(rest);
  }
  const first = undo.exec(text)?.[0];
  if (first === undefined) return false;
  const rest = text.slice(first.length);
  return !approves(rest) && !isPartial(rest);
}

/** Lower case, without quotes and emphasis; thumbs and the like become their words. */
function wordsOf(answer: string): string {
  return answer
    .replace(/<!--[\s\S]*?-->/g, " ")
    .replace(/\u200d|\ufe0e|\ufe0f|[\u{1F3FB}-\u{1F3FF}]/gu, "")
    .replace(thumbsUp, " yes ")
    .replace(thumbsDown, " no ")
    .replace(friendly, " ")
    .toLowerCase()
    .replace(/\u2019/g, "'")
    .replace(/["`*_\u201c\u201d\u201e\u2018\u00ab\u00bb]|(?<!\p{L})'|'(?!\p{L})/gu, "")
    .replace(/\s+/g, " ")
    .replace(/^(?:[-+>] |[ (]|\[x\] )+| +$/g, "");
}

/** Marks that make any answer doubtful: strike-through, question mark, dots, arrow, unhappy face. */
const doubtMarks = /~~|[?\uff1f\u2026]|\.\.|[\u2190-\u21ff]|->|=>|<-|\p{Extended_Pictographic}|:[a-z0-9+-]+:/u;
const thumbsUp =
  /[\u{1F44D}\u{1F44C}\u{1F197}\u2705\u2714\u2713\u2611]|:(?:\+1|thumbsup|ok_hand|white_check_mark|heavy_check_mark):/gu;
const thumbsDown =
  /[\u{1F44E}\u274c\u2716\u2717\u2718\u{1F6AB}\u26d4\u{1F6D1}]|:(?:-1|thumbsdown|x|no_entry|no_entry_sign):/gu;
const friendly =
  /[\u{1F389}\u{1F973}\u{1F600}-\u{1F604}\u{1F60A}\u{1F60E}\u{1F642}\u{1F64F}\u{1F64C}\u{1F44F}\u{1F680}\u{1F4AF}\u2764\u2728]|:(?:tada|rocket|smile|pray|100|heart|sparkles):/gu;

/** After a yes: a condition, limit, wish or fault, or too much text to be praise alone. */
function takesBack(rest: string): boolean {
  const said = rest.replace(/\bas (?:it|they) should(?: be)?\b|\b(?:the|this|that|each|every) change\b/g, " ");
  const words = said.match(/[\p{L}\p{N}']+/gu) ?? [];
  return words.length > mostWords || isPartial(said) || words.some((word) => word.endsWith("n't") || doubts.test(word));
}

/** May be about a part alone. */
function isPartial(rest: string): boolean {
  return (
    /[\\/]|[\p{L}\p{N}]\.[\p{L}\p{N}]/u.test(rest) ||
    /^\W*(?:(?:to|for) (?!me\b|us\b|all\b)|\d+\b(?! ?%|-\d))|\bfor now\b|(?<!100 ?)%/.test(rest) ||
    (rest.match(/\p{L}+/gu) ?? []).some((word) => limits.test(word))
  );
}

function approves(rest: string): boolean {
  return (
    /(?<!\bnot |n't )\b(?:yes|yep|yeah|yup|ok|okay|lgtm|accept(?:ed)?|approved?|keep|fine|perfect|correct)\b/u.test(
      rest,
    ) ||
    /\b(?:yet|later|unless|maybe|perhaps|unsure|not sure|don't know|no (?:problem|issue|objection|complaint)s?)\b/u.test(
      rest,
    ) ||
    saysYes(rest.replace(/^[\s:;,.!()\u2013\u2014-]+/u, ""))
  );
}

const mostWords = 25;

const limits = wordPattern(
  "but except* excluding apart besides aside minus only just merely part* half most* almost nearly some* first second third last rest other* one either or",
);
const doubts = wordPattern(
  "if unless once when until till before after while whereas however though although yet still despite provided given assuming pending depend* condition* subject long principle",
  "maybe perhaps probably possibly presumably likely guess think suppose hope seem* might would could should must need* want*",
  "no nope not none nothing never neither nor without cannot hardly barely",
  "hm* meh eh temporar* ish more less than too little bit slightly roughly instead rather otherwise also plus kind sort",
  "make add remove delete drop rename move change fix use try write put replace revert undo reject* improve reduce increase adjust update wait hold stop todo tbd later soon tomorrow",
  "comment* remark* nit* reservation* caveat* suggest* question* concern* worr* doubt* afraid sorry unfortunately sadly",
  "wrong* bug* broke* break* miss* fail* error* problem* issue* bad* worse* ugly cut* clip* overlap* overflow* truncat* invisible flicker* crash* hang* slow* lag* typo* unread* illegib* confus* odd* weird strange incomplete incorrect un* poor* lack* lost gone empty blank garb* horribl* awful* terribl* regress* nan undefined null hidden flash* off differ* twice double* duplicat* another upside smaller bigger larger wider narrower darker lighter misalign* shift* disappear* vanish*",
);

function wordPattern(...lists: readonly string[]): RegExp {
  const forms = lists.flatMap((list) => list.split(" ")).map((word) => word.replace("*", "\\p{L}*"));
  return new RegExp(`^(?:${forms.join("|")})$`, "u");
}
