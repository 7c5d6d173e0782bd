import { plainPhase } from "../documents/plain-phase.ts";
import { readState } from "../documents/read-state.ts";
import type { CommitNode } from "../git/commits.ts";
import { isFile } from "../git/list-tree.ts";
import type { GitPlace } from "../git/place.ts";
import { type AllowedSigners, type CommitSignature, readSignatures } from "../git/signatures.ts";
import type { SshKeygen } from "../git/ssh-keygen.ts";
import type { Phase } from "../rules/phases.ts";
import { shorten } from "../text/shorten.ts";
import { maxStateBytes } from "./judge-state.ts";
import type { Problem } from "./problem.ts";
import type { BlobSource } from "./read-journals.ts";
import { type CommittedStep, isSameEntry, journalFile, type TaskAt, type WalkedTask } from "./walk-tasks.ts";

export interface SignatureRule {
  readonly tool: SshKeygen;
  readonly allowedSigners: AllowedSigners;
  readonly id: string | null;
}

export interface JudgedSignatures {
  readonly problems: readonly Problem[];
  readonly required: number;
  /** Signed ones, and the names of their signers. */
  readonly good: number;
  readonly signers: readonly string[];
}

interface Required extends Pick<Problem, "order" | "sha" | "task" | "file" | "move"> {
  readonly what: string;
}

/**
 * Checks the signature of every commit that moves a journal or the phase of a STATE.md, or records a verdict by its
 * trailers. A merge that takes a task's files from a parent moves nothing. `commits`: the judged ones with their order.
 * Throws TP_GIT.
 */
export async function judgeSignatures(
  place: GitPlace,
  tasks: readonly WalkedTask[],
  commits: readonly { readonly commit: CommitNode; readonly order: number }[],
  trailers: ReadonlyMap<string, string>,
  rule: SignatureRule,
  read: BlobSource["read"],
): Promise<JudgedSignatures> {
  const required = new Map<string, Required>();
  for (const task of tasks) {
    for (const step of task.steps.filter(({ judged }) => judged)) {
      const move = await findMove(step, read);
      if (move === null || required.has(step.commit.sha)) continue;
      required.set(step.commit.sha, { ...move, order: step.order, sha: step.commit.sha, task: task.name });
    }
  }
  for (const { commit, order } of commits) {
    const said = trailers.get(commit.sha);
    if (said === undefined || required.has(commit.sha) || (rule.id !== null && said !== rule.id)) continue;
    const task = Buffer.from(shorten(said, 60)).toString("latin1");
    const what = "its trailers record a verdict";
    required.set(commit.sha, { what, order, sha: commit.sha, task, file: journalFile, move: null });
  }
  const signatures = await readSignatures(place, [...required.keys()], rule);
  const good = [...signatures.values()].filter((one) => one.kind === "good");
  return {
    problems: [...required.values()].flatMap((one) => judge(one, signatures.get(one.sha) ?? { kind: "none" }, rule)),
    required: required.size,
    good: good.length,
    signers: [...new Set(good.map(({ principal }) => principal))].sort(),
  };
}

async function findMove(
  { now, before }: CommittedStep,
  read: BlobSource["read"],
): Promise<Pick<Required, "what" | "file" | "move"> | null> {
  if (before.every(({ journal }) => !isSameEntry(journal, now.journal)))
    return { what: "it changes the journal", file: journalFile, move: null };
  const to = await phaseOf(now, read);
  if (to === null) return null;
  const from = await Promise.all(before.map((at) => phaseOf(at, read)));
  const begins = to === "intake" && before.every(({ state }) => state === null);
  if (begins || from.includes(to)) return null;
  return { what: "it moves the phase", file: "STATE.md", move: { from: from[0] ?? null, to } };
}

async function phaseOf({ state }: TaskAt, read: BlobSource["read"]): Promise<Phase | null> {
  if (state === null || !isFile(state)) return null;
  const object = await read(state.oid, maxStateBytes);
  if (object.kind !== "blob") return null;
  const plain = plainPhase(object.bytes.toString("utf8"));
  if (plain !== null) return plain;
  const parsed = readState(object.bytes, "STATE.md");
  return parsed.kind === "state" ? parsed.document.view.phase : null;
}

function judge({ what, ...at }: Required, signature: CommitSignature, rule: SignatureRule): Problem[] {
  const { file } = rule.allowedSigners;
  const wrong = (code: string, text: string): Problem[] => [
    {
      ...at,
      severity: "error",
      code,
      exit: "data",
      text,
      line: null,
      fix: "remove this commit from the branch, or, if you know who made it, add its key to the allowed signers",
    },
  ];
  switch (signature.kind) {
    case "good":
      return [];
    case "none":
      return wrong("TP_HISTORY_UNSIGNED", `${what}, but it has no ssh signature`);
    case "stranger":
      return wrong(
        "TP_HISTORY_SIGNER",
        `${what}, but its signer ${signature.key} was not allowed by ${file} at its date`,
      );
    case "bad":
      return wrong("TP_HISTORY_SIGNATURE", `${what}, but its signature is not valid for commits`);
  }
}
