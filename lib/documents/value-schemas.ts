import * as v from "valibot";
import { parseDuration } from "../text/duration.ts";
import { expects } from "./schema-findings.ts";

const week = 7 * 24 * 3600 * 1000;

/** At most a week; timers cannot hold more than 24 days, and a longer one is a mistake. */
export const durationSchema = v.pipe(
  v.custom<string | number>(
    (value) => (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= week,
    expects("a duration such as 90s, 5m or 2h, at most 168h", "write a number followed by s, m or h"),
  ),
  v.transform((value) => parseDuration(value) ?? week),
);

export function textSchema(what: string, most: number, fix: string) {
  const good = (value: unknown): boolean =>
    typeof value === "string" && value.trim() !== "" && value.length <= most && !/\p{Cc}|[\u2028\u2029]/u.test(value);
  return v.custom<string>(good, expects(`${what}, one line of at most ${most} characters`, fix));
}

export function listSchema<S extends v.GenericSchema>(item: S, what: string, example: string) {
  return v.array(item, expects(`a list of ${what}`, `write it as a list: ${example}`));
}

export function countSchema(least: number, most = 1_000_000) {
  const good = (value: unknown): boolean =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  return v.custom<number>(
    good,
    expects(`a whole number of at least ${least}`, `write a number such as ${Math.max(least, 5)}`),
  );
}

export const yesNoSchema = v.boolean(expects("true or false", "write true or false"));

export const commandSchema = v.pipe(
  v.array(
    v.custom<string>(
      (word) => typeof word === "string" && !word.includes("\0"),
      expects("text", "put the word in quotes"),
    ),
    (issue) =>
      `must be a list of words, found ${typeof issue.input === "string" ? `the text "${issue.input.slice(0, 60).replace(/\s+/g, " ")}"` : "something else"}\nwrite a list, since no shell runs it: ${exampleCommand(issue.input)}`,
  ),
  v.check((words) => (words[0] ?? "").trim() !== "", "must name a program first\nwrite a list such as [npm, test]"),
);

function exampleCommand(input: unknown): string {
  const words = typeof input === "string" ? input.trim().split(/\s+/) : [];
  const plain = words.length > 0 && words.length < 9 && words.every((word) => /^[\w./@-]+$/.test(word));
  return `command: [${plain ? words.join(", ") : "npm, test"}]`;
}

/** US dollars. Money is shown in cents, so less than a cent would read as nothing. */
const leastMoney = 0.01;

export const moneySchema = v.custom<number>(
  (value) => typeof value === "number" && Number.isFinite(value) && value >= leastMoney,
  expects(`an amount of at least ${leastMoney} US dollars`, "write a number such as 5, or remove the key for no limit"),
);

export const tokensSchema = countSchema(1, 1_000_000_000_000);
