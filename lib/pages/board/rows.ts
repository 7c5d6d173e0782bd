import { relativeHref } from "../../documents/templates/relative-href.ts";
import { showShort } from "../../documents/templates/visible.ts";
import { isUnblocked } from "../../rules/state-view.ts";
import { capital, plural } from "../../rules/wording.ts";
import { words } from "../view/format.ts";
import { type BoardQuestion, type BoardTask, boardFiles } from "./input.ts";
import { formatMinute, formatSpend, formatTokenSum, nameOf, renderStanding } from "./standings.ts";

/** A task as a row: every text is one line and cut, every address relative to the tasks root or empty. */
export type BoardRow = ReturnType<typeof makeRow>;

/** An open question: what is asked, what may be answered and until when, and the command that answers it. */
export type BoardAsk = ReturnType<typeof toBoardAsk>;

const shownQuestions = 5;
const titleLength = 120;
const textLength = 300;

export function makeRow(task: BoardTask) {
  const { standing, tone, lastVerdict, movedAt, files, folder, spend, passes } = task;
  const blockers = isUnblocked(task.blockers) || task.blockers.trim() === task.why.trim() ? "" : task.blockers;
  const href = (file: string, there: boolean) => (there ? (relativeHref(`${folder}/${file}`) ?? "") : "");
  const need = standing === "asks" && task.questions.length > 0 ? "" : showShort(withMinutes(task.why), textLength);
  return {
    name: nameOf(task),
    title: showShort(task.title ?? "", titleLength),
    tone,
    stands: renderStanding(task),
    phase: renderPhase(task),
    /** Empty if it has not moved yet. */
    moved: movedAt === null ? "" : `${standing === "asks" ? "asks since" : "last moved"} ${formatMinute(movedAt)}`,
    /** Empty if the questions say it. */
    need,
    blockers: showShort(blockers, textLength),
    questions: task.questions.slice(0, shownQuestions).map((question) => toBoardAsk(question, nameOf(task))),
    moreQuestions: Math.max(0, task.questions.length - shownQuestions),
    problems: [...new Set(task.problems)]
      .filter((problem) => problem !== task.why)
      .slice(0, shownQuestions)
      .map((problem) => showShort(problem, textLength)),
    verdict: lastVerdict === null ? "no pass yet" : `pass ${lastVerdict.pass}: ${words(lastVerdict.verdict)}`,
    // Questions and stops carry their own reason, and the reason of an accepted task is in its evidence.
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

function toBoardAsk({ id, title, question, options, safeDefault, end }: BoardQuestion, task: string) {
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

/** A board shows no milliseconds. */
function withMinutes(text: string): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g, formatMinute);
}

/** A standing that says why no pass runs needs no phase that says the same. */
function renderPhase({ phase, standing }: BoardTask): string {
  return phase === null || phase === standing || phase === "needs_user_decision" ? "" : words(phase);
}
