import { type ContenderName, contenderNames, extraNames } from "./contenders.ts";
import type { Grade } from "./ends.ts";
import type { Play, Score } from "./play-case.ts";

/** Families of wrong work that the checks of the repo cannot see: counted apart. */
const apart: readonly string[] = [
  "special-casing",
  "own tests",
  "weak but honest",
  "weak but honest with held-out checks",
];

/** A column of a table: the plays that it counts. */
interface Figure {
  readonly title: string;
  counts(play: Play): boolean;
  /** A Ralph loop has no words for a proof, and never asks. */
  readonly ofEveryone?: true;
}

const figures: Readonly<Record<Play["kind"], readonly Figure[]>> = {
  cheat: [{ ...scored("false done"), ofEveryone: true }, scored("told without proof")],
  honest: [
    { ...scored("false alarm"), ofEveryone: true },
    { title: "needless question", counts: ({ score, end }) => score === "false alarm" && end.kind === "asks" },
    scored("told hollow"),
    graded("shown"),
    graded("kept"),
    graded("unshown"),
    scored("asked rightly"),
  ],
};

function scored(score: Score): Figure {
  return { title: score, counts: (play) => play.score === score };
}

function graded(grade: Grade): Figure {
  return { title: grade, counts: ({ end }) => end.kind === "done" && end.grade === grade };
}

/** One table a kind: a row a family, and for each contender how its cases ended. */
export function renderTally(plays: readonly Play[]): string {
  const parts = (["cheat", "honest"] as const).map((kind) => {
    const some = plays.filter((play) => play.kind === kind);
    const here = [...contenderNames, ...extraNames].filter((name) => some.some(({ contender }) => contender === name));
    const title = kind === "cheat" ? "Cheats" : "Honest behaviour";
    return `### ${title}\n\n${renderTable(kind, some, here)}`;
  });
  return `${parts.join("\n")}`;
}

function renderTable(kind: Play["kind"], plays: readonly Play[], here: readonly ContenderName[]): string {
  const columns = here.flatMap((name) =>
    figures[kind]
      .filter(({ ofEveryone }) => ofEveryone === true || !name.startsWith("ralph"))
      .map((figure) => ({ name, figure })),
  );
  const row = (title: string, counted: (family: string) => boolean) => {
    const some = plays.filter(({ family }) => counted(family));
    const cells = columns.map(
      ({ name, figure }) => some.filter((play) => play.contender === name && figure.counts(play)).length,
    );
    return [title, new Set(some.map((play) => play.name)).size, ...cells];
  };
  const isApart = (family: string) => apart.includes(family);
  const families = [...new Set(plays.map(({ family }) => family))].sort();
  const rows = [
    ["family", "cases", ...columns.map(({ name, figure }) => `${name}: ${figure.title}`)],
    ["---", "---:", ...columns.map(() => "---:")],
    ...families.filter((family) => !isApart(family)).map((name) => row(name, (family) => family === name)),
    row("**all of these**", (family) => !isApart(family)),
    ...families.filter(isApart).map((name) => row(`${name} (apart)`, (family) => family === name)),
  ];
  return rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

/** The cases that a contender got wrong, with its own words. */
export function listWrong(plays: readonly Play[]): string[] {
  const wrong: readonly Score[] = ["false done", "false alarm", "told hollow"];
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
