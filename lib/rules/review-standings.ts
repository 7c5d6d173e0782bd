import type { ReviewedEvent, TaskEvent } from "./events.ts";
import type { ReviewFinding, ReviewStanding } from "./facts.ts";
import type { Phase } from "./phases.ts";

export interface ReviewedState {
  /** In verify, the last review's reports count. */
  readonly phase: Phase;
  readonly fingerprint: string;
  /** `frameOf` the judged STATE.md: the proposed one, if a pass proposes. */
  readonly frame: string;
  /** The newest accepted repair; 0 if there is none. */
  readonly repairedPass: number;
}

/** Includes roles that never reported. */
export function reviewStandings(
  roles: readonly string[],
  newest: Readonly<Record<string, ReviewedEvent>>,
  now: ReviewedState,
): ReviewStanding[] {
  return roles.map((role) => {
    const event = newest[role];
    if (event === undefined) return { role, current: false, problem: "it has not reported yet", findings: [] };
    return { role, current: isCurrent(event, now), problem: event.problem, findings: event.findings };
  });
}

export function rolesToAsk(standings: readonly ReviewStanding[]): string[] {
  return standings.filter((standing) => !isReported(standing)).map(({ role }) => role);
}

export function isReported({ current, problem }: ReviewStanding): boolean {
  return current && problem === null;
}

export function openBlocking(standings: readonly ReviewStanding[]): { role: string; finding: ReviewFinding }[] {
  return standings
    .filter(isReported)
    .flatMap(({ role, findings }) => findings.filter(isBlocking).map((finding) => ({ role, finding })));
}

export function isBlocking({ severity }: ReviewFinding): boolean {
  return severity === "blocking";
}

/** The pass of the newest accepted repair; 0 if there is none. */
export function lastRepair(events: readonly TaskEvent[]): number {
  const repaired = events.findLast(
    (event) =>
      event.type === "verdict" && event.verdict === "accepted" && event.from === "repair" && event.to !== "repair",
  );
  return repaired?.type === "verdict" ? repaired.pass : 0;
}

/**
 * A report on the frame says nothing about the result, and the other way round. A repair outside the repo, as in
 * EVIDENCE.md, moves no fingerprint: a role that blocked looks again.
 */
function isCurrent(event: ReviewedEvent, now: ReviewedState): boolean {
  const phase = now.phase === "shape" ? "shape" : "review";
  if (event.phase !== phase || event.fingerprint !== now.fingerprint) return false;
  if (phase === "shape") return event.frame === now.frame;
  return event.pass > now.repairedPass || !event.findings.some(isBlocking);
}

export interface ReviewGround {
  readonly userFacing: boolean;
  /** Title and text of the brief. */
  readonly wish: string;
  readonly paths: readonly string[];
}

const words = {
  security:
    /\b(?:auth(?:n|z|ent\w*|ori[sz]\w*)?|log[ -]?ins?|passwords?|secrets?|credentials?|tokens?|permissions?|encrypt\w*|uploads?|sql|injections?|payments?|security|vulnerab\w+)\b/i,
  architecture: /\b(?:refactor\w*|migrat\w+|redesign\w*|architecture|rewrit\w+|moderni[sz]\w+)\b/i,
} as const;

const paths = {
  security:
    /(?:^|[/._-])(?:auth(?!ors?\b)|login|session|token|secret|crypt|password|permission|oauth|jwt|cors|csrf|upload|payment|sql|migrations?|middleware)|(?:^|\/)(?:Dockerfile|package(?:-lock)?\.json|requirements[^/]*\.txt|pyproject\.toml|go\.mod|Cargo\.toml)$|^\.github\/workflows\//i,
  prose: /\.(?:md|mdx|txt|rst|adoc|png|jpe?g|gif|svg)$/i,
  seen: /\.(?:html?|css|s[ac]ss|less|tsx|jsx|vue|svelte)$|(?:^|\/)(?:templates|views|locales)\//i,
} as const;

const manyPaths = 10;

/** In the order of asking; docs/reviewers.md describes it. */
const table = [
  {
    role: "architecture",
    when: ({ wish, paths: changed }) => words.architecture.test(wish) || changed.length >= manyPaths,
  },
  {
    role: "security",
    when: ({ wish, paths: changed }) => words.security.test(wish) || changed.some((path) => paths.security.test(path)),
  },
  { role: "tests", when: ({ paths: changed }) => changed.some((path) => !paths.prose.test(path)) },
  { role: "requirements", when: () => true },
  {
    role: "usability",
    when: ({ userFacing, paths: changed }) => userFacing || changed.some((path) => paths.seen.test(path)),
  },
] as const satisfies readonly { readonly role: string; readonly when: (ground: ReviewGround) => boolean }[];

type AutoRole = (typeof table)[number]["role"];

/** Deterministic: the brief and the paths alone choose the roles. */
export function chooseReviewers(ground: ReviewGround): AutoRole[] {
  return table.filter(({ when }) => when(ground)).map(({ role }) => role);
}
