import { realpathSync } from "node:fs";
import path from "node:path";
import { findGitPlace } from "../git/place.ts";
import { type AllowedSigners, readAllowedSigners } from "../git/signatures.ts";
import { findSshKeygen, type SshKeygen } from "../git/ssh-keygen.ts";
import { checkHistory, type HistoryReport } from "../history/check-history.ts";
import { isUnder } from "../process/bwrap.ts";
import type { HistoryKeys } from "../rules/shapes/reports/check.ts";
import { plural } from "../rules/wording.ts";
import { realOr } from "../store/folder.ts";
import { parseTaskJournal } from "../task/records/task-journal.ts";
import { configError, TaskPhaseError, usageError } from "../text/errors.ts";
import type { ExitName } from "../text/exit-codes.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { shorten } from "../text/shorten.ts";
import type { CommandContext } from "./command.ts";
import type { Target } from "./target.ts";

export interface CheckedHistory {
  readonly findings: readonly Finding[];
  readonly exits: readonly ExitName[];
  /** What is under `history` with --json. */
  readonly json: HistoryKeys;
  readonly answer: readonly string[];
}

/**
 * Judges what is committed of the target, of which `standing` are on disk. A failure of git is reported beside the
 * other results of the call; a usage error is thrown.
 */
export async function checkCommitted(
  target: Target,
  standing: readonly string[],
  signers: Signers | null,
  { env, flags }: CommandContext,
): Promise<CheckedHistory> {
  // In git a folder has one name, however many links lead to it.
  const folder = realpathSync(target.kind === "task" ? target.taskDir : target.tasksRoot);
  const tasksRoot = target.kind === "task" ? path.dirname(folder) : folder;
  const task = target.kind === "task" ? path.basename(folder) : null;
  return judgeHistory(async () =>
    checkHistory({
      tasksRoot,
      task,
      since: flags.text("since"),
      standing,
      env,
      parseJournal: parseTaskJournal,
      signatures: await makeRule(signers, tasksRoot, env),
    }),
  );
}

export interface Signers {
  readonly allowed: AllowedSigners;
  /** The id of the one task that is asked about; null: all of them. */
  readonly id: string | null;
}

/** `folder`: in the repository that is judged. Throws a config error without an ssh-keygen. */
export async function makeRule(signers: Signers | null, folder: string, env: NodeJS.ProcessEnv) {
  if (signers === null) return null;
  return { tool: await findVerifier(folder, env), allowedSigners: signers.allowed, id: signers.id };
}

/** What a look at commits found, or what stopped it; a usage error is thrown. */
export async function judgeHistory(look: () => Promise<HistoryReport>): Promise<CheckedHistory> {
  try {
    const report = await look();
    const { commits, transitions, events, tasks, forged, signatures } = report;
    const { required, good, signers: names } = signatures ?? { required: 0, good: 0, signers: [] };
    return {
      findings: report.findings,
      exits: report.exits,
      json: {
        ...{ commits, transitions, events, tasks, forged },
        ...(signatures === null ? {} : { signatures: { required, good, signers: names } }),
      },
      answer: renderHistory(report),
    };
  } catch (error) {
    if (!(error instanceof TaskPhaseError) || error.exitName === "usage") throw error;
    const json = { commits: 0, transitions: 0, events: 0, tasks: 0, forged: [] };
    return { findings: error.findings, exits: [error.exitName], json, answer: ["history: not judged"] };
  }
}

/** One line for the history, and one for each task with a problem. */
function renderHistory({ exits, commits, transitions, events, tasks, forged, signatures }: HistoryReport): string[] {
  if (exits.includes("config") || (commits === 0 && exits.length > 0)) return ["history: not judged"];
  const counts = [
    plural(tasks, "task"),
    plural(commits, "commit"),
    plural(transitions, "transition"),
    plural(events, "journal event"),
  ];
  const wrong = new Map<string, Set<string>>();
  for (const { task, commit } of forged) wrong.set(task, (wrong.get(task) ?? new Set()).add(commit));
  const signed =
    signatures === null
      ? []
      : [
          `signatures: ${signatures.good} of ${plural(signatures.required, "commit")} that must be signed`,
          ...signatures.signers.map((name) => `signed by ${shorten(name, 100)}`),
        ];
  return [
    ...signed,
    `history: ${forged.length === 0 ? "nothing is wrong" : "wrong"}, ${counts.join(", ")} judged`,
    ...[...wrong].map(([task, shas]) => `history of ${shorten(task)}: ${plural(shas.size, "commit")} wrong`),
  ];
}

/** A usage error if the signers are given without a use for them, or are missing. */
export function requireSigners({ flags }: CommandContext): void {
  const isGiven = flags.text("allowed-signers") !== null;
  if (isGiven && !flags.on("history") && !flags.on("attestation")) {
    const message = "--allowed-signers is only for --history and --attestation, but neither was given";
    throw usageError("TP_USAGE_SIGNERS", message, { fix: "add --history or --attestation, or omit --allowed-signers" });
  }
  if (!isGiven && flags.on("attestation")) {
    throw usageError("TP_USAGE_SIGNERS", "--attestation needs --allowed-signers: the task does not say who may sign", {
      fix: "add --allowed-signers FILE; docs/many-machines.md shows one",
    });
  }
}

/** Null if the flag was not given. */
export function readSigners({ cwd, flags }: CommandContext): AllowedSigners | null {
  const file = flags.text("allowed-signers");
  return file === null ? null : readAllowedSigners(path.resolve(cwd, file));
}

/** The authors of the repository would decide who may sign. */
export function warnOfOwn({ file }: AllowedSigners, top: string | null): Finding[] {
  if (top === null || !isUnder(realOr(file), [realOr(top)])) return [];
  const message =
    "the allowed signers are in the repository that they judge: whoever can write there decides who may sign";
  const fix = "keep the file elsewhere, or take it from a commit that you trust with git show";
  return [warningFinding("TP_ALLOWED_SIGNERS_PLACE", message, { file, fix })];
}

/** The ssh-keygen that reads signatures; none that lies in the repository. Throws a config error. */
export async function findVerifier(folder: string, env: NodeJS.ProcessEnv): Promise<SshKeygen> {
  const git = findGitPlace(folder);
  const found = await findSshKeygen(env, git === null ? [folder] : [folder, git.top]);
  if (found.kind === "found") return found.tool;
  throw configError("TP_SSH_KEYGEN", `signatures cannot be checked: ${found.problem}`, { fix: found.fix });
}
