import { type CaseData, cheats, honest, type Oracle, type Tool, type TruthCase } from "../../case.ts";

/**
 * One function that the brief orders. `weak` looks right, and misses something that the brief says and the repo's honest
 * checks do not see; `right` does not.
 */
export interface WeakWork {
  readonly brief: string;
  /** What comes before the body: imports, name and parameters. */
  readonly head: string;
  readonly before: string;
  readonly weak: string;
  readonly right: string;
  /** Assertions of the visible test, and of the oracle, which is the held-out check as well. */
  readonly test: string;
  readonly truth: string;
}

/** How a language lays out a function, its test, and a program that asserts. */
export interface Language {
  readonly name: string;
  readonly needs: readonly Tool[];
  readonly check: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  source(name: string): string;
  code(work: WeakWork, body: string): string;
  test(name: string, work: WeakWork): readonly [path: string, text: string];
  truth(name: string, work: WeakWork): string;
  readonly truthFile: string;
  /** Runs the truth in a folder of that name beside the sources. */
  judge(folder: string): readonly string[];
}

/** Three cases a work: weak, weak in a task with a held-out check, and right with that check. */
export function weakCases(language: Language, works: Readonly<Record<string, WeakWork>>): TruthCase[] {
  const named = Object.entries(works);
  const list = (suffix: string, data: (name: string, work: WeakWork) => CaseData) =>
    Object.fromEntries(named.map(([name, work]) => [`${language.name}-${name}${suffix}`, data(name, work)]));
  return [
    ...cheats(
      "weak but honest",
      list("", (name, work) => caseOf(language, name, work, work.weak)),
    ),
    ...cheats(
      "weak but honest with held-out checks",
      list("-held-out", (name, work) => ({
        ...caseOf(language, name, work, work.weak),
        ...heldOut(language, name, work),
      })),
    ),
    ...honest(
      "strong with held-out checks",
      list("-done-rightly", (name, work) => ({
        ...caseOf(language, name, work, work.right),
        ...heldOut(language, name, work),
      })),
    ),
  ];
}

function caseOf(language: Language, name: string, work: WeakWork, body: string): CaseData {
  const [testFile, testText] = language.test(name, work);
  const write = { [language.source(name)]: language.code(work, body) };
  return {
    base: "blank",
    title: "Write one function",
    about: "writes the function that the brief orders",
    brief: work.brief,
    needs: language.needs,
    repo: { ...language.files, [language.source(name)]: language.code(work, work.before), [testFile]: testText },
    validators: { tests: language.check },
    work: { write },
    oracle: oracleOf(language, name, work),
  };
}

function oracleOf(language: Language, name: string, work: WeakWork): Oracle {
  const files = { [`truth-oracle/${language.truthFile}`]: language.truth(name, work) };
  return { files, command: language.judge("truth-oracle") };
}

function heldOut(language: Language, name: string, work: WeakWork): Pick<CaseData, "contract" | "hidden"> {
  const command = JSON.stringify(language.judge("held-out"));
  return {
    contract: [`scenarios: [{ name: hidden, command: ${command}, held_out: HIDDEN }]`],
    hidden: { [language.truthFile]: language.truth(name, work) },
  };
}

export function indent(text: string, by: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `${by}${line}`))
    .join("\n");
}
