import type { CommitWords } from "../git/commits.ts";
import type { Phase } from "../machine/phases.ts";
import type { Finding } from "../report/finding.ts";
import { shorten } from "../text/shorten.ts";

/** Something about one commit of a task, before anybody knows how the commit is called. */
export interface Problem {
  readonly severity: Finding["severity"];
  readonly code: string;
  /** The exit of the call for an error: an unreadable file is not a refused transition. */
  readonly exit: "rejected" | "data";
  readonly text: string;
  /** The place of the commit among all, oldest first, and its name. */
  readonly order: number;
  readonly sha: string;
  /** The folder's name, its bytes as latin1. */
  readonly task: string;
  /** Relative to the task folder. */
  readonly file: string;
  readonly line: number | null;
  readonly fix: string | null;
  /** The move that does not hold, if it is one. */
  readonly move: { readonly from: Phase | null; readonly to: Phase } | null;
}

/** The name of a task folder for people; bytes that are no UTF-8 are shown as such. */
export function shownName(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}

/** As `commit 1a2b3c4 ("Set done", Ann Example, 2026-11-21)`, safe to print. */
export function nameCommit(sha: string, words: CommitWords | undefined): string {
  if (words === undefined) return `commit ${sha.slice(0, 12)}`;
  const { short, author, date, subject } = words;
  return `commit ${short} ("${shorten(subject, 60)}", ${shorten(author, 40)}, ${shorten(date.slice(0, 10), 10)})`;
}
