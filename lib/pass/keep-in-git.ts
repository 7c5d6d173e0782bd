import type { VerdictEvent } from "../machine/events.ts";
import { gitCheckpoint } from "./git-checkpoint.ts";
import type { TaskContract } from "./load-contract.ts";
import type { PassPorts } from "./ports.ts";
import type { PreparedPass } from "./prepared-pass.ts";
import type { Stop, TaskSession } from "./session.ts";

/** The very last write of a pass: what is written later would stand uncommitted. */
export async function keepInGit(
  { session, contract, repo, guarded }: PreparedPass,
  event: VerdictEvent,
  changed: readonly { readonly path: string }[],
  ports: PassPorts,
): Promise<void> {
  if (guarded === null) return;
  const verdicts = session.journal.events.filter((each): each is VerdictEvent => each.type === "verdict");
  const kept = await gitCheckpoint(
    {
      mode: contract.config.checkpoint,
      place: session.place,
      anchor: guarded.anchor,
      repo,
      task: contract.contract.id,
      event,
      changedPaths: changed.map(({ path }) => path),
      earlier: verdicts.filter(({ pass }) => pass < event.pass),
    },
    ports,
  );
  session.findings.push(...kept.findings);
}

/** The same where the runner stopped the task without a pass: whoever looks in the git host sees why. */
export async function keepStopInGit(
  session: TaskSession,
  { contract, config }: TaskContract,
  repo: string,
  { from, to, escalated }: Stop,
  ports: PassPorts,
): Promise<void> {
  if (session.anchor === null || escalated === null || from === null || to === null) return;
  const kept = await gitCheckpoint(
    {
      mode: config.checkpoint,
      place: session.place,
      anchor: session.anchor,
      repo,
      task: contract.id,
      event: { from, to, verdict: "stopped", pass: session.history.lastPass },
      changedPaths: [],
      earlier: [],
    },
    ports,
  );
  session.findings.push(...kept.findings);
}
