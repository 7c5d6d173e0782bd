import { relativeHref } from "../../templates/relative-href.ts";
import { formatSize } from "../view/words.ts";
import { htmlBytes } from "./page-budget.ts";
import type { PageLog } from "./page-files.ts";
import { takeLogLines } from "./page-log.ts";

/** Markup around one log. */
const aroundLog = 700;

/** The last part of each log, with the ids that links lead to; what failed is served first, the order stays. */
export function viewLogs(logs: readonly PageLog[], share: number) {
  let left = share;
  const byNeed = logs.map((log, index) => ({ log, index })).sort((a, b) => Number(b.log.urgent) - Number(a.log.urgent));
  const taken = new Map<number, ReturnType<typeof takeLogLines>>();
  for (const { log, index } of byNeed) {
    left -= aroundLog + 2 * htmlBytes(log.name);
    if (left < 0) break;
    if ("problem" in log.read) continue;
    const part = takeLogLines(log.read.log, `log-${index + 1}`, left);
    left -= part.bytes;
    taken.set(index, part);
  }
  const items = logs.flatMap(({ name, path, packed, failed, read }, index) => {
    const href = packed === true ? "" : (relativeHref(path, "artifacts") ?? "");
    const head = { id: `log-${index + 1}`, name, path, href, open: failed };
    const part = taken.get(index);
    if ("problem" in read) return [{ ...head, problem: read.problem, size: "", earlier: 0, lines: [] }];
    if (part === undefined) return [];
    return [
      {
        ...head,
        problem: "",
        size: formatSize(read.size),
        earlier: part.earlier,
        lines: part.lines,
      },
    ];
  });
  return { items, more: logs.length - items.length, bytes: share - Math.max(0, left) };
}
