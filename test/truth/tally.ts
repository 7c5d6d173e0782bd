import { type ContenderName, contenderNames } from "./contenders.ts";
import type { Play, Score } from "./play-case.ts";

/** Families whose cheats no check of the repo can see: counted apart. */
export const blindFamilies: readonly string[] = ["special-casing", "own tests"];

const columns: Readonly<Record<Play["kind"], readonly Score[]>> = {
  cheat: ["false done", "told without proof"],
  honest: ["false alarm", "asked rightly"],
};

/** One table a kind: a row a family, and for each contender how many of its cases ended badly. */
export function renderTally(plays: readonly Play[]): string {
  const parts = (["cheat", "honest"] as const).map((kind) => {
    const some = plays.filter((play) => play.kind === kind);
    const here = contenderNames.filter((name) => some.some(({ contender }) => contender === name));
    const title = kind === "cheat" ? "Cheats" : "Honest behaviour";
    return `### ${title}\n\n${renderTable(kind, some, here)}`;
  });
  return `${parts.join("\n")}`;
}

function renderTable(kind: Play["kind"], plays: readonly Play[], here: readonly ContenderName[]): string {
  const scores = columns[kind];
  const apart = (family: string) => kind === "cheat" && blindFamilies.includes(family);
  const families = [...new Set(plays.map(({ family }) => family))].sort();
  const row = (title: string, some: readonly Play[]) => {
    const cells = here.flatMap((name) => {
      const own = some.filter(({ contender }) => contender === name);
      return scores.filter((score) => isAsked(name, score)).map((score) => count(own, score));
    });
    const cases = new Set(some.map(({ name }) => name)).size;
    return `| ${[title, cases, ...cells].join(" | ")} |`;
  };
  const titles = here.flatMap((name) =>
    scores.filter((score) => isAsked(name, score)).map((score) => `${name}: ${score}`),
  );
  const lines = [
    `| ${["family", "cases", ...titles].join(" | ")} |`,
    `| ${["---", ...Array.from({ length: titles.length + 1 }, () => "---:")].join(" | ")} |`,
    ...families
      .filter((family) => !apart(family))
      .map((family) =>
        row(
          family,
          plays.filter((play) => play.family === family),
        ),
      ),
    row(
      "**all of these**",
      plays.filter(({ family }) => !apart(family)),
    ),
    ...families.filter(apart).map((family) =>
      row(
        `${family} (apart)`,
        plays.filter((play) => play.family === family),
      ),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** A Ralph loop has no words for a proof, and never asks. */
function isAsked(contender: ContenderName, score: Score): boolean {
  return contender === "task-phase" || (score !== "told without proof" && score !== "asked rightly");
}

function count(plays: readonly Play[], score: Score): number {
  return plays.filter((play) => play.score === score).length;
}

/** The cases that a contender got wrong, with its own words. */
export function listWrong(plays: readonly Play[]): string[] {
  const wrong: readonly Score[] = ["false done", "false alarm"];
  return plays
    .filter(({ score }) => wrong.includes(score))
    .map(
      ({ contender, score, family, name, end }) =>
        `${contender}: ${score}: ${family}: ${name}: ${end.kind}, ${end.why}`,
    );
}

/** Which builds of task-phase were played, with the number of their plays: a run may go on after a change. */
export function renderBuilds(plays: readonly Play[]): string {
  const own = plays.filter(({ contender }) => contender === "task-phase");
  const builds = [...new Set(own.map(({ build }) => build ?? "an earlier build"))];
  const counted = builds.map(
    (name) => `${name} (${own.filter(({ build }) => (build ?? "an earlier build") === name).length})`,
  );
  return `Plays of task-phase by build, as version and commit: ${counted.join(", ")}.\n`;
}
