import { basename } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { hashStyle, renderTemplate } from "../documents/templates/render-template.ts";
import { formatTime } from "../pages/view/format.ts";
import { renderVersion } from "../rules/matrix.ts";
import type { ProveKeys } from "../rules/shapes/reports/prove.ts";
import { renderWatched } from "../rules/watched.ts";
import { plural } from "../rules/wording.ts";
import { readRegularFile } from "../store/read-file.ts";
import { formatDuration } from "../text/duration.ts";
import { quoteWord } from "../text/shell-words.ts";

const runs = [
  { name: "before", what: "the base, its own checks" },
  { name: "clean", what: "this change, today's checks" },
  { name: "old_checks", what: "this change, checks of the base" },
  { name: "without", what: "the base, today's checks" },
] as const;

const mostRows = 200;
const mostLogBytes = 16 * 1024;

/** One self-contained page without scripts; its logs are the ends of those of the runs. */
export function renderPage(keys: ProveKeys, repo: string, tone: "good" | "amber" | "bad"): string {
  const logs: { anchor: string; title: string; text: string; open: boolean }[] = [];
  const checks = keys.checks.map((row) => ({
    name: row.name,
    command: row.command.map(quoteWord).join(" "),
    marks: runs.map(({ name: run }) => {
      const mark = row[run];
      const log = mark?.log ?? null;
      const anchor = log === null ? "" : `log-${logs.length + 1}`;
      const isGood = run === "without" ? mark?.status === "fail" : mark?.status === "pass";
      if (log !== null)
        logs.push({ anchor, title: `${row.name}, ${run}`, text: readEnd(log), open: run === "clean" && !isGood });
      const text = mark === null ? "–" : log === null ? "as clean" : mark.status.replace("_", " ");
      return { run, text, anchor, style: mark === null || run === "before" ? "" : isGood ? " yes" : " no" };
    }),
  }));
  const { changed, base } = keys;
  return renderTemplate("prove.html", {
    styleHash: hashStyle("evidence/page-style.html.eta"),
    repo: basename(repo),
    base: `${base.name} (${base.commit.slice(0, 7)})`,
    tone: { good: "good", amber: "amber", bad: "stopped" }[tone],
    headline: keys.headline,
    summary: `${plural(changed.length, "path")} · ${plural(keys.runs, "run")} · ${formatDuration(keys.duration_ms)} · ${formatTime(keys.proven_at)}`,
    runs,
    checks,
    watched: keys.watched
      .slice(0, mostRows)
      .map((row) => ({ what: row.name, detail: renderWatched(row), asks: row.asks })),
    unnoticed: keys.unnoticed.map(renderVersion),
    paths: changed.slice(0, mostRows),
    morePaths: Math.max(0, changed.length - mostRows),
    logs,
    uncompared: keys.uncompared ?? "",
    unseparated: keys.unseparated ?? "",
  });
}

function readEnd(log: string): string {
  const read = readRegularFile(log, 64 * 1024 * 1024);
  return read.kind === "file"
    ? stripVTControlCharacters(read.bytes.subarray(-mostLogBytes).toString("utf8"))
    : "(the log is gone)";
}
