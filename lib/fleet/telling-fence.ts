import type { FenceRefusal } from "../anchor/ports.ts";
import { readTaskJournal } from "../anchor/task-journal.ts";
import { placeOf } from "../anchor/task-place.ts";
import { readAttempts } from "../machine/claim.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { TaskFence } from "./fence.ts";

/** Tells whoever shares limits what the journal of the branch says, now that all machines see it. */
export async function tellAttempts({ ports }: ClaimContext, taskDir: string): Promise<void> {
  await ports.shared?.accepted(readAttempts(readTaskJournal(placeOf(taskDir).journal)?.events ?? []));
}

/** The same fence, which tells that after each push. */
export function tellingFence(fence: TaskFence, context: ClaimContext): TaskFence {
  const telling = async (taskDir: string, refused: FenceRefusal | null): Promise<FenceRefusal | null> => {
    if (refused === null) await tellAttempts(context, taskDir);
    return refused;
  };
  return {
    ...fence,
    claim: async (pass) => await telling(pass.taskDir, await fence.claim(pass)),
    accept: async (step) => await telling(step.taskDir, await fence.accept(step)),
  };
}
