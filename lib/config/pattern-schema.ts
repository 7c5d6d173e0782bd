import * as v from "valibot";
import { expects } from "../task-folder/schema-findings.ts";
import { shorten } from "../text/shorten.ts";

/**
 * A limit's text in a message is one phrase. A pattern is run against at most 4,000 characters, and a long one is where
 * repetitions pile up that take forever.
 */
const longest = 200;

const fix = 'write it as in JavaScript, in quotes, such as "come back (later|tomorrow)"';

/** A regular expression as text, without slashes and flags; upper and lower case are alike in it. */
export const patternSchema = v.pipe(
  v.custom<string>(
    (value) => typeof value === "string" && value !== "" && value.length <= longest,
    expects(`a regular expression of 1 to ${longest} characters`, fix),
  ),
  v.rawTransform<string, RegExp>(({ dataset, addIssue, NEVER }) => {
    const compiled = compile(dataset.value);
    if (typeof compiled === "string") {
      addIssue({ message: `${compiled}, found the text "${shorten(dataset.value)}"\n${fix}` });
      return NEVER;
    }
    return compiled;
  }),
);

/** The expression, or what is wrong with it. */
function compile(text: string): RegExp | string {
  try {
    const pattern = withFlags(text);
    // A character of the private use area is in no message: what finds it finds anything.
    const findsAnything = ["", "\uE000"].some((message) => pattern.test(message));
    return findsAnything ? "must match limit messages only, not any text: every error would count as a limit" : pattern;
  } catch (error) {
    const problem = (error instanceof Error ? error.message : String(error)).split(": ").at(-1) ?? "";
    return `must be a regular expression (${shorten(problem)})`;
  }
}

/** Unicode mode if the text allows it: there a letter outside the basic plane is one character. */
function withFlags(text: string): RegExp {
  try {
    return new RegExp(text, "iu");
  } catch {
    return new RegExp(text, "i");
  }
}
