import { lstatSync } from "node:fs";
import { readCode } from "../../checks/read-code.ts";
import { type RepoDescription, readRepo } from "../../git/list-paths.ts";
import { decide } from "../../rules/decide.ts";
import { type Facts, noFacts, noPolicy, type Tamper } from "../../rules/facts.ts";
import { elapsedOf } from "../../rules/usage.ts";
import { gatherSyncs } from "../../store/folder.ts";
import { fingerprintExcludes } from "../../task/fingerprint-excludes.ts";
import { saveInterrupted } from "../../task/records/staging.ts";
import { passFolder, type TaskPlace } from "../../task/records/task-place.ts";
import { type HeldTask, parseAccepted } from "../../task/session.ts";
import { dataError } from "../../text/errors.ts";
import { recordVerdict } from "../verdict/record-verdict.ts";
import { askAfter } from "../verdict/stop-task.ts";

/**
 * The newest pass, which has no verdict, gets one: interrupted. What the runner captured goes to the folder of the
 * pass, and so does the STATE.md that it left; the last accepted one is restored. `isFromBranch`: what is there is no
 * pass's, and stays.
 */
export async function closeInterrupted(
  session: HeldTask,
  pass: number,
  { repo, restored, isFromBranch }: { repo: string | null; restored: readonly Tamper[]; isFromBranch: boolean },
): Promise<void> {
  const { place, ports, history, anchor } = session;
  const started = session.journal.events.findLast((event) => event.type === "pass_started");
  if (history.state === null || started === undefined)
    throw dataError("TP_JOURNAL", "the journal starts a pass but accepts no STATE.md", { file: place.journal });
  const folder = passFolder(place, pass);
  const syncs = gatherSyncs();
  // The run that was cut off need not have made the name of the folder durable.
  for (const made of [place.passes, folder]) syncs.add(made);
  const over = isFromBranch ? [] : saveInterrupted(place, anchor, folder, history.state, ports.redactor, syncs);
  const accepted = parseAccepted(history.state, place.journal);
  const { fingerprint } = started;
  const now = ports.now();
  const after = repo === null ? fingerprint : await presentFingerprint(place, repo, fingerprint);
  const facts: Facts = {
    ...noFacts,
    pass,
    end: { kind: "interrupted", cause: "cut_off", reason: "the runner was cut off before a verdict" },
    tampering: restored,
    fingerprint: { before: fingerprint, after, present: null },
    reviewed_fingerprint: history.reviewedFingerprint,
    history: history.counts,
  };
  const before = { state: accepted.view };
  const proposal = { kind: "unreadable", problems: [] } as const;
  const left = repo === null ? noRepo : await readRepo(repo, fingerprintExcludes(place, repo), ports.env);
  // Nothing of the contract bears on the verdict of an interrupted pass.
  const decision = decide(before, proposal, facts, noPolicy);
  const at = now.toISOString();
  recordVerdict({
    session,
    syncs,
    asked: askAfter(session, decision, pass, at),
    task: { id: place.name, title: place.name, userFacing: false },
    record: {
      version: 1,
      task: place.name,
      pass,
      model: null,
      stages: [],
      before,
      proposal,
      facts,
      policy: noPolicy,
      decision,
      overridden: [],
      changed_paths: [],
      output: null,
      ended_processes: [],
      note: "recorded by the next run",
    },
    state: history.state,
    over: isFromBranch ? null : over,
    at,
    // The time of its end is unknown; count the most that it can have used.
    durationMs: elapsedOf(started.at, now, started.timeout_ms),
    costUsd: null,
    tokens: { input: null, output: null },
    contractSha256: history.contractSha256 ?? "",
    commits: null,
    answer: null,
    code: null,
    worked: started.model === null ? null : { name: started.model, cooldownMs: 0, repo: left },
  });
}

const noRepo: RepoDescription = { branch: null, dirty: null };

async function presentFingerprint(place: TaskPlace, repo: string, otherwise: string): Promise<string> {
  if (lstatSync(repo, { throwIfNoEntry: false })?.isDirectory() !== true) return otherwise;
  return (await readCode(repo, place, "model")).fingerprint.hash;
}
