import { plural, words } from "../evidence/view/words.ts";
import { sumSpend } from "../machine/run-usage.ts";
import { type Standing, standings } from "../machine/standing-facts.ts";
import { isUnblocked } from "../machine/state-view.ts";
import { relativeHref } from "../templates/relative-href.ts";
import { showShort } from "../templates/visible.ts";
import { formatDuration } from "../text/duration.ts";
import { type BoardInput, type BoardQuestion, type BoardTask, boardFiles } from "./input.ts";
import { formatMinute, formatSpend, formatTokenSum } from "./words.ts";

/** A task as a row: every text is one line and cut, every address relative to the tasks root or empty. */
export interface BoardRow {
  readonly name: string;
  readonly title: string;
  readonly tone: BoardTask["tone"];
  readonly stands: string;
  /** Empty if the standing says the same. */
  readonly phase: string;
  /** Since when; empty if it has not moved yet. */
  readonly moved: string;
  /** Empty if the questions say it. */
  readonly need: string;
  readonly blockers: string;
  readonly questions: readonly BoardAsk[];
  readonly moreQuestions: number;
  readonly problems: readonly string[];
  readonly verdict: string;
  readonly reason: string;
  readonly passes: string;
  readonly cost: string;
  readonly tokens: string;
  readonly links: Readonly<Record<"state" | "evidence" | "page" | "decisions", string>>;
  readonly hosted: { readonly href: string; readonly note: string } | null;
  /** The page that edits DECISIONS.md; empty if it is not known. */
  readonly editor: string;
}

/** An open question: what is asked, what may be answered and until when, and the command that answers it. */
export interface BoardAsk {
  readonly id: string;
  readonly title: string;
  readonly more: readonly string[];
  readonly command: string;
}

export interface BoardGroup {
  readonly key: (typeof groups)[number]["key"];
  readonly title: string;
  readonly caption: string;
  /** What `need` of its rows is. */
  readonly need: string;
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
    need: "What is needed",
  },
  {
    key: "next",
    title: "Continues by itself",
    caption: "The next run works on these, or one is running now",
    need: "What comes next",
  },
  {
    key: "waiting",
    title: "Waits for other tasks",
    caption: "These start when their dependencies are done",
    need: "What it waits for",
  },
  { key: "paused", title: "Paused", caption: "A person stopped these", need: "Why" },
  { key: "done", title: "Done", caption: "The runner ran their checks itself", need: "Proof" },
] as const;

/** The groups that have rows, those that need a person first. */
export function groupRows({ tasks }: Pick<BoardInput, "tasks">): BoardGroup[] {
  const sorted = [...tasks].sort(byUrgency);
  return groups
    .map((group) => ({
      ...group,
      rows: sorted.filter((task) => groupOf(task) === group.key).map((task) => makeRow(task)),
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

/** `31 passes, 4.20 USD, 2h10m`: what all tasks took together; empty before the first pass. */
export function summariseSpend(tasks: readonly Pick<BoardTask, "passes" | "spend">[]): string {
  const passes = tasks.reduce((sum, task) => sum + task.passes, 0);
  if (passes === 0) return "";
  const spend = sumSpend(tasks.map((task) => task.spend));
  return `${plural(passes, "pass", "passes")}, ${formatSpend(spend)}, ${formatDuration(spend.timeMs)}`;
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

function makeRow(task: BoardTask): BoardRow {
  const { standing, tone, lastVerdict, movedAt, files, folder, spend, passes } = task;
  const blockers = isUnblocked(task.blockers) || task.blockers.trim() === task.why.trim() ? "" : task.blockers;
  const href = (file: string, there: boolean) => (there ? (relativeHref(`${folder}/${file}`) ?? "") : "");
  const need = standing === "asks" && task.questions.length > 0 ? "" : showShort(withMinutes(task.why), textLength);
  return {
    name: nameOf(task),
    title: showShort(task.title ?? "", titleLength),
    tone,
    stands: renderStanding(task),
    phase: describePhase(task),
    moved: movedAt === null ? "" : `${standing === "asks" ? "asks since" : "last moved"} ${formatMinute(movedAt)}`,
    need,
    blockers: showShort(blockers, textLength),
    questions: task.questions.slice(0, shownQuestions).map((question) => describeAsk(question, nameOf(task))),
    moreQuestions: Math.max(0, task.questions.length - shownQuestions),
    problems: [...new Set(task.problems)]
      .filter((problem) => problem !== task.why)
      .slice(0, shownQuestions)
      .map((problem) => showShort(problem, textLength)),
    verdict: lastVerdict === null ? "no pass yet" : `pass ${lastVerdict.pass}: ${words(lastVerdict.verdict)}`,
    // A question and a stop say why by themselves, and what a task was accepted for stands in its evidence.
    reason:
      lastVerdict === null || lastVerdict.verdict === "accepted" || need.includes(lastVerdict.reason)
        ? ""
        : showShort(lastVerdict.reason, textLength),
    passes: passes === 0 ? "no pass yet" : plural(passes, "pass", "passes"),
    cost: passes === 0 ? "" : formatSpend(spend),
    tokens: formatTokenSum(spend.tokens, passes),
    links: {
      state: href(boardFiles.state, files.state),
      evidence: href(boardFiles.evidence, files.evidence),
      page: href(boardFiles.page, files.page),
      decisions: href("DECISIONS.md", files.decisions),
    },
    hosted: task.hosted,
    editor: task.editUrl ?? "",
  };
}

function describeAsk({ id, title, question, options, safeDefault, end }: BoardQuestion, task: string): BoardAsk {
  const asked = showShort(title === "" ? question : title, titleLength);
  const shortId = showShort(id, 20);
  return {
    id: shortId,
    title: asked,
    more: [
      question === title || title === "" ? "" : question,
      options === "" ? "" : `Options: ${options}`,
      safeDefault === "" ? "" : `Safe default: ${safeDefault}`,
      end === "" ? "" : capital(withMinutes(end)),
    ]
      .filter((line) => line !== "")
      .map((line) => showShort(line, textLength)),
    command: `task-phase answer ${task} ${shortId} TEXT`,
  };
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Nobody reads a board for its milliseconds. */
function withMinutes(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g, formatMinute);
}

/** A standing that says why no pass runs needs no phase that says the same. */
function describePhase({ phase, standing }: BoardTask): string {
  return phase === null || phase === standing || phase === "needs_user_decision" ? "" : words(phase);
}
