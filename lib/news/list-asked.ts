import type { TaskPlace } from "../anchor/task-place.ts";
import type { AskedQuestion } from "../notify/webhook-body.ts";
import { readableQuestions } from "../task/look.ts";

/**
 * The open questions of DECISIONS.md as a message tells them; none if the file cannot be read. `findEditor` gives the
 * page that edits the file, and is called only if something is open.
 */
export async function listAsked(place: TaskPlace, findEditor: () => Promise<string | null>): Promise<AskedQuestion[]> {
  const open = readableQuestions(place).filter((question) => question.open);
  if (open.length === 0) return [];
  const editor = await findEditor();
  return open.map(({ id, title, question, options, safeDefault, deadline, line }) => ({
    ...{ id, title, question, options, deadline },
    safe_default: safeDefault,
    place: `DECISIONS.md:${line}`,
    edit_url: editor,
  }));
}
