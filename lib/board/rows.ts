import { plural, words } from "../evidence/view/words.ts";
import { type Standing, standings } from "../machine/standing-facts.ts";
import { isUnblocked } from "../machine/state-view.ts";
import { relativeHref } from "../templates/relative-href.ts";
import { showShort } from "../templates/visible.ts";
import { type BoardInput, type BoardTask, boardFiles } from "./input.ts";
import { formatAge, formatMinute, formatSpend, formatTokenSum } from "./words.ts";

/** A task as a row: every text is one line and cut, every address relative to the tasks root or empty. */
export interface BoardRow {
  readonly name: string;
  readonly title: string;
  readonly tone: BoardTask["tone"];
  readonly stands: string;
  /** Empty if the standing says the same. */
  readonly phase: string;
  /** When, and how long ago; empty if it has not moved yet. */
  readonly moved: string;
  readonly need: string;
  readonly blockers: string;
  readonly questions: readonly { readonly id: string; readonly title: string }[];
  readonly moreQuestions: number;
  readonly problems: readonly string[];
  readonly verdict: string;
  readonly reason: string;
  readonly passes: string;
  readonly cost: string;
  readonly tokens: string;
  readonly links: Readonly<Record<"state" | "evidence" | "page" | "decisions", string>>;
  readonly hosted: { readonly href: string; readonly note: string } | null;
}

export interface BoardGroup {
  readonly key: (typeof groups)[number]["key"];
  readonly title: string;
  readonly caption: string;
  readonly rows: readonly BoardRow[];
  /** Rows that were left out. */
  readonly more: number;
}

const shownQuestions = 5;
const titleLength = 120;
const textLength = 300;

const standingWords: Readonly<Record<Standing, string>> = {
  asks: "asks",
  stuck: "stuck",
  blocked: "blocked",
  unreadable: "cannot be read",
  running: "running",
  runnable: "ready",
  cooling: "cooling down",
  waits: "waits",
  paused: "paused",
  cancelled: "cancelled",
  done: "done",
};

const groups = [
  {
    key: "person",
    title: "Needs a person",
    caption: "These continue once a person answers, edits or repairs something",
  },
  { key: "next", title: "Continues by itself", caption: "The next run works on these, or one is running now" },
  { key: "waiting", title: "Waits for other tasks", caption: "These start when their dependencies are done" },
  { key: "paused", title: "Paused", caption: "A person stopped these" },
  { key: "done", title: "Done", caption: "The runner ran their checks itself" },
] as const;

/** The groups that have rows, those that need a person first. */
export function groupRows({ tasks, at }: BoardInput): BoardGroup[] {
  const sorted = [...tasks].sort(byUrgency);
  return groups
    .map((group) => ({
      ...group,
      rows: sorted.filter((task) => groupOf(task) === group.key).map((task) => makeRow(task, at)),
      more: 0,
    }))
    .filter(({ rows }) => rows.length > 0);
}

/** `12 tasks: 2 ask, 1 blocked, 9 done`. */
export function summarise(tasks: readonly Pick<BoardTask, "standing">[]): string {
  if (tasks.length === 0) return "no task";
  const parts = countStandings(tasks).map(({ standing, count }) => `${count} ${inWords(standing, count)}`);
  return `${plural(tasks.length, "task")}: ${parts.join(", ")}`;
}

export function countStandings(tasks: readonly Pick<BoardTask, "standing">[]) {
  return standings
    .map((standing) => ({ standing, count: tasks.filter((task) => task.standing === standing).length }))
    .filter(({ count }) => count > 0);
}

/** The word for that many tasks: one asks, two ask. */
function inWords(standing: Standing, count: number): string {
  const several: Partial<Record<Standing, string>> = { asks: "ask", cooling: "cooling down", waits: "wait" };
  return (count === 1 ? undefined : several[standing]) ?? standingWords[standing];
}

/** The standing of one task; a task that waits for something impossible is not shown as waiting. */
export function renderStanding({ standing, who }: Pick<BoardTask, "standing" | "who">): string {
  return standing === "waits" && who === "person" ? "cannot continue" : standingWords[standing];
}

/** The name of a task for people: its id, else that of its folder. */
export function nameOf({ id, folder }: Pick<BoardTask, "id" | "folder">): string {
  return showShort(id ?? folder, 80) || "a task without a name";
}

/** True if a person's answer, edit or repair is due. Who paused or cancelled a task knows of it. */
export function needsPerson({ standing, who }: Pick<BoardTask, "standing" | "who">): boolean {
  return who === "person" && standing !== "paused" && standing !== "cancelled" && standing !== "done";
}

function groupOf(task: BoardTask): BoardGroup["key"] {
  const { standing, who } = task;
  if (standing === "done" || standing === "paused") return standing;
  if (standing === "cancelled") return "paused";
  if (needsPerson(task)) return "person";
  return who === "tasks" ? "waiting" : "next";
}

/** The longest wait first, then by folder, so that the order is always the same. */
function byUrgency(left: BoardTask, right: BoardTask): number {
  const order = standings.indexOf(left.standing) - standings.indexOf(right.standing);
  const [a, b] = [left.movedAt ?? "", right.movedAt ?? ""];
  // Among done tasks the newest comes first: the others were read before.
  const time = a === b ? 0 : (a < b ? -1 : 1) * (left.standing === "done" ? -1 : 1);
  return order || time || (left.folder < right.folder ? -1 : 1);
}

function makeRow(task: BoardTask, at: string): BoardRow {
  const { standing, tone, lastVerdict, movedAt, files, folder, spend, passes } = task;
  const blockers = isUnblocked(task.blockers) || task.blockers.trim() === task.why.trim() ? "" : task.blockers;
  const href = (file: string, there: boolean) => (there ? (relativeHref(`${folder}/${file}`) ?? "") : "");
  const need = showShort(withMinutes(task.why), textLength);
  return {
    name: nameOf(task),
    title: showShort(task.title ?? "", titleLength),
    tone,
    stands: renderStanding(task),
    phase: describePhase(task),
    moved: movedAt === null ? "" : renderMoved(standing, movedAt, at),
    need,
    blockers: showShort(blockers, textLength),
    questions: task.questions
      .slice(0, shownQuestions)
      .map(({ id, title }) => ({ id: showShort(id, 20), title: showShort(title, titleLength) }))
      // A question that the standing already shows is only linked.
      .map(({ id, title }) => ({ id, title: need.includes(title) ? "" : title })),
    moreQuestions: Math.max(0, task.questions.length - shownQuestions),
    problems: [...new Set(task.problems)]
      .filter((problem) => problem !== task.why)
      .slice(0, shownQuestions)
      .map((problem) => showShort(problem, textLength)),
    verdict: lastVerdict === null ? "no pass yet" : `pass ${lastVerdict.pass}: ${words(lastVerdict.verdict)}`,
    reason: lastVerdict === null ? "" : showShort(lastVerdict.reason, textLength),
    passes: passes === 0 ? "no pass" : plural(passes, "pass", "passes"),
    cost: formatSpend(spend),
    tokens: formatTokenSum(spend.tokens, passes),
    links: {
      state: href(boardFiles.state, files.state),
      evidence: href(boardFiles.evidence, files.evidence),
      page: href(boardFiles.page, files.page),
      decisions: href("DECISIONS.md", files.decisions),
    },
    hosted: task.hosted,
  };
}

function renderMoved(standing: Standing, movedAt: string, at: string): string {
  return `${standing === "asks" ? "asks since" : "last moved"} ${formatMinute(movedAt)}, ${formatAge(movedAt, at)}`;
}

/** Nobody reads a board for its milliseconds. */
function withMinutes(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g, formatMinute);
}

function describePhase({ phase, standing }: BoardTask): string {
  if (phase === null) return "phase not known";
  return phase === standing ? "" : words(phase);
}
