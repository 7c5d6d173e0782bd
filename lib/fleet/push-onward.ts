import { readSettings } from "../git/git-settings.ts";
import { pushCall, withNetwork } from "../git/network.ts";
import { findPushTarget } from "../git/push-target.ts";
import { readPushAnswer, renderEnd } from "../git/swap-ref.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { type Finding, warningFinding } from "../text/finding.ts";
import { branchName } from "../text/ref-name.ts";
import type { ClaimPlace } from "./claim-place.ts";
import type { LocalWork } from "./local-work.ts";

/**
 * With `checkpoint: push` the branch of a task goes on to the remote of the person's repository, where a git host shows it.
 * Never by force, and no verdict waits for it: what is not pushed now is pushed with the next one.
 */
export async function pushOnward(
  { tree, config }: LocalWork,
  { scratch }: Pick<ClaimPlace, "scratch">,
  { ref, commit }: { readonly ref: string; readonly commit: string },
  env: PassPorts["env"],
): Promise<Finding[]> {
  if (config.checkpoint !== "push") return [];
  const settings = await readSettings(tree, env);
  const found = findPushTarget(settings, ref);
  if (found.kind === "none") return [notPushed(ref, found.why, found.fix)];
  const { url } = found.target;
  const network = { place: tree, settings, scratch, env, signal: null, url };
  return await withNetwork(network, async ({ call }) => {
    const end = await call(pushCall(url, commit, ref));
    if (readPushAnswer(end).kind === "pushed") return [];
    return [notPushed(ref, renderEnd(end), "git push says more; the next run tries again")];
  });
}

function notPushed(ref: string, why: string, fix: string): Finding {
  return warningFinding("TP_PUSH", `${branchName(ref)} is not pushed: ${why}`, { fix });
}
