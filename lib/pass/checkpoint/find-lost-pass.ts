import type { LoadedConfig } from "../../documents/config/load-config.ts";
import type { LostPush } from "../../git/give-way.ts";
import { findGitPlace } from "../../git/place.ts";
import { findLost } from "../../git/push.ts";
import { openPrivateFolder } from "../../store/state-home.ts";
import type { Anchor } from "../../task/records/anchor.ts";
import type { FenceRefusal, PassPorts } from "../../task/records/ports.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { gitFolder } from "../../task/records/work-folder.ts";
import { warningFinding } from "../../text/finding.ts";
import { pinFile, readPin } from "./git-capture.ts";
import { fenceOf } from "./git-checkpoint.ts";
import { signerOf } from "./signing-key.ts";

/** An unpushed newest pass while another machine's is on the remote: the task continues there. Throws TP_GIT. */
export async function findLostPass(
  found: { place: TaskPlace; anchor: Anchor; task: string; pass: number; repo: string; sign: LoadedConfig["sign"] },
  ports: PassPorts,
): Promise<LostPush | null> {
  const { place, anchor, task, pass, ...signing } = found;
  const git = findGitPlace(place.taskDir);
  if (git === null || pass === 0) return null;
  const file = pinFile(git.gitDir, ports);
  const scratch = gitFolder(anchor.folder);
  openPrivateFolder(scratch);
  return await findLost({
    repo: git.top,
    scratch,
    expected: { url: readPin(file), file },
    unwelcome: () => [],
    fence: fenceOf(place, task, pass, git),
    signer: signerOf({ place, ...signing }, ports),
    env: ports.env,
    signal: ports.signal,
  });
}

export function supersededBy({ ref, isKeptThere, inTheWay }: LostPush, task: string, pass: number): FenceRefusal {
  const message = `pass ${pass} of ${task} does not count: another machine pushed a pass of it first`;
  const kept = `the work is kept as ${ref}${isKeptThere ? "" : ", in this clone only"}`;
  const fix =
    inTheWay === null
      ? `nothing to do: the next run continues from theirs, and ${kept}`
      : `the branch could not be moved to theirs: ${inTheWay}. Correct that, and the next run moves it; ${kept}`;
  return { exitName: "locked", findings: [warningFinding("TP_SUPERSEDED", message, { fix })] };
}
