import type { Attempt } from "../rules/claim.ts";
import { asForeseen } from "../text/errors.ts";
import type { Engine, Hold, Lease, Refused } from "./engine/engine.ts";
import type { PassMessage, PassQuestion, WorkerMessage } from "./pass-channel.ts";

export interface PassDesk {
  answer(message: Extract<PassMessage, { kind: "ask" }>): Promise<WorkerMessage>;
  /** What the engine refused last; null: nothing. */
  refused(): Refused | null;
  reserved(): boolean;
  claimed(): boolean;
}

export function openDesk(engine: Engine, lease: Lease): PassDesk {
  const { attempt, job } = lease;
  const { repo, task } = job;
  let refused: Refused | null = null;
  let [reserved, claimed] = [false, false];
  const ask = async (question: PassQuestion): Promise<unknown> => {
    switch (question.kind) {
      case "cooldowns":
        return await engine.cooldowns();
      case "reserve":
        refused = await engine.reserve({ ...question.call, attempt, repo, task });
        reserved ||= refused === null;
        return refused;
      case "cool":
        await engine.cool(question.account, question.until, question.reason);
        return null;
      case "attempts": {
        const { attempts } = question;
        // Behind our own claim no older attempt can push one any more.
        claimed ||= attempts.some((each) => each.attempt === attempt);
        await settleHolds(engine, await engine.holds({ repo, task }), attempts, () => claimed);
        return null;
      }
    }
  };
  return {
    refused: () => refused,
    reserved: () => reserved,
    claimed: () => claimed,
    answer: async ({ id, question }) => {
      try {
        return { kind: "answer", id, value: await ask(question) };
      } catch (error) {
        const { exitName, findings } = asForeseen(error, "the engine could not be asked");
        return { kind: "fault", id, exitName, findings };
      }
    },
  };
}

/**
 * Ends what is held for attempts that are over, as the journal of their task says it: what has a verdict is spent, and
 * what never became a claim is free, if `isFenced` says that it cannot become one any more. What is open stays held,
 * since an agent that is dead may have spent. Gives the number of holds that ended.
 */
export async function settleHolds(
  engine: Engine,
  holds: readonly Hold[],
  attempts: readonly Pick<Attempt, "attempt" | "used">[],
  isFenced: (hold: Hold) => boolean,
): Promise<number> {
  const known = new Map(attempts.map(({ attempt, used }) => [attempt, used]));
  let ended = 0;
  for (const hold of holds) {
    const used = known.get(hold.attempt);
    const isOver = used === undefined ? !hold.alive && isFenced(hold) : used !== null;
    if (isOver && (await engine.settle(hold.attempt, used ?? null))) ended += 1;
  }
  return ended;
}
