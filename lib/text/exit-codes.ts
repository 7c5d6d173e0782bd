/**
 * The exit codes of every command; rules/exits.ts decides which one a pass ends with. 4 to 14 are left out, since Node
 * itself ends with them.
 */
export const exitCodes = {
  ok: 0,
  failure: 1,
  budget: 2,
  iterations: 3,
  rejected: 20,
  blocked: 21,
  needs_user_decision: 22,
  no_progress: 23,
  unavailable: 24,
  paused: 25,
  usage: 64,
  data: 65,
  locked: 75,
  config: 78,
  sighup: 129,
  sigint: 130,
  sigterm: 143,
} as const;

export type ExitName = keyof typeof exitCodes;

/** The text beside each code, in --help and in the documents. */
export const exitMeanings: Readonly<Record<ExitName, string>> = {
  ok: "the pass was accepted or redirected, or there is nothing left to do",
  failure: "unexpected failure of the program or the disk, or git does not hold what was proven",
  budget: "money, tokens or time is spent, or the next call would exceed it",
  iterations: "the passes of the task or of the call are spent",
  rejected: "illegal transition, failed gate, unreadable proposal, tampering, or a refused hand edit",
  blocked: "the task is, or has just become, blocked",
  needs_user_decision: "a person must decide, or an open question waits",
  no_progress: "no material progress, or stuck; prove: the checks pass, but --require is not met",
  unavailable: "no model could do the pass: missing, cooling down, timed out or limited",
  paused: "paused, aborted or cancelled by a person",
  usage: "wrong command line",
  data: "a task file cannot be read (encoding, Markdown, YAML), before any pass",
  locked: "another runner holds the task or the repo, or its pass was pushed first; safe to try again",
  config: "readable, but wrong: task-phase.yaml or the contract",
  sighup: "ended by SIGHUP, after an orderly stop",
  sigint: "ended by SIGINT, after an orderly stop",
  sigterm: "ended by SIGTERM, after an orderly stop",
};
