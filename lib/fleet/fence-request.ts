import type { PassRunner } from "../machine/events.ts";
import type { ClaimNote } from "./claim-note.ts";
import type { WorkClone } from "./clone.ts";
import type { CodeFence } from "./code-fence.ts";
import type { ClaimPlace } from "./places.ts";
import type { WaitUntil } from "./wait-until.ts";

/** What the fence of one task stands between. */
export interface FenceRequest {
  readonly clone: WorkClone;
  /** Null: the clone holds the code too. */
  readonly code: CodeFence | null;
  readonly place: Pick<ClaimPlace, "note" | "scratch" | "lost" | "mirror" | "seen">;
  readonly url: string;
  /** The branch of the task, a full name. */
  readonly ref: string;
  /** The branch that it begins at if the remote does not have it yet, a full name. */
  readonly begins: string;
  readonly runner: PassRunner;
  /** As in the fence. */
  readonly met: ReadonlySet<string>;
  readonly unmerged: ReadonlySet<string>;
  /** As it is before the first push: `tip` is what the branch is in the remote. */
  readonly note: ClaimNote;
  /** The commit that is checked out. */
  readonly base: string;
  readonly env: NodeJS.ProcessEnv;
  /** Pauses between attempts; false: no time is left. `until`: how long what is pushed is worth it. */
  readonly wait: WaitUntil;
  readonly now: () => Date;
}
