import type { Verdict } from "../../rules/decision.ts";
import type { Phase } from "../../rules/phases.ts";
import type { Spend } from "../../rules/spend.ts";
import type { OpenAsk, Standing, StandingAnswer } from "../../rules/standing-facts.ts";

/** One task of a tasks root, as values. Texts may be anything that is in a file. */
export interface BoardTask {
  readonly folder: string;
  /** Null if its brief cannot be read. */
  readonly id: string | null;
  readonly title: string | null;
  readonly standing: Standing;
  /** What it waits for, or what comes next. */
  readonly why: string;
  readonly who: StandingAnswer["who"];
  readonly tone: StandingAnswer["tone"];
  readonly phase: Phase | null;
  readonly lastVerdict: { readonly pass: number; readonly verdict: Verdict; readonly reason: string } | null;
  /** When it last moved or was judged, or since when it waits, ISO 8601, UTC; null before that. */
  readonly movedAt: string | null;
  readonly passes: number;
  readonly spend: Pick<Spend, "knownUsd" | "unknownPasses" | "tokens" | "timeMs">;
  /** Empty if nothing is in the way. */
  readonly blockers: string;
  /** The open ones. */
  readonly questions: readonly BoardQuestion[];
  /** The page of the git host that edits DECISIONS.md; null if it is not known. */
  readonly editUrl: string | null;
  readonly dependsOn: readonly string[];
  readonly problems: readonly string[];
  /** The files linked by a board that exist. */
  readonly files: Readonly<Record<BoardFile, boolean>>;
  /** Where the evidence is on the git host, and what to say beside that link; null if there is no such place. */
  readonly hosted: { readonly href: string; readonly note: string } | null;
}

/** An open question. What is not written is empty. */
export type BoardQuestion = Omit<OpenAsk, "ofStop" | "place" | "takenFrom" | "due">;

export const boardFiles = { state: "STATE.md", evidence: "EVIDENCE.md", page: "artifacts/evidence.html" } as const;
export type BoardFile = keyof typeof boardFiles | "decisions";

/** What counts and places a task on the board. There may be many more of these than the board shows. */
export type BriefTask = Pick<
  BoardTask,
  "folder" | "id" | "standing" | "who" | "tone" | "movedAt" | "passes" | "spend" | "dependsOn"
>;
