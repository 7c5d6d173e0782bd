import { relative, sep } from "node:path";
import type { PassPorts } from "../anchor/ports.ts";
import type { TaskPlace } from "../anchor/task-place.ts";
import { findGitTop } from "../git/list-paths.ts";
import { findEvidenceUrl } from "../keep/hosted.ts";
import { openTask } from "../task/open-task.ts";
import { openPreview } from "../task/session.ts";
import { describeForReview, modelEvidence } from "../verdict/write-evidence.ts";
import { watchMoved } from "./moved-since.ts";

/** The text of a pull request about a task as it is now, as Markdown. Nothing is locked and nothing is written. */
export async function describePullRequest(
  place: TaskPlace,
  configFlag: string | null,
  ports: PassPorts,
): Promise<string> {
  const session = openPreview(place, ports);
  const contract = openTask(place, configFlag, ports);
  const { id, title, userFacing } = contract.contract;
  const moved = await watchMoved(ports)({ place, contract, history: session.history });
  const model = modelEvidence(session, { id, title, userFacing }, null, { moved });
  const url = (await findEvidenceUrl(place, contract.config, ports))?.url ?? "";
  return describeForReview(session, model, addressOf(place, url));
}

function addressOf({ taskDir, tasksRoot, evidence }: TaskPlace, url: string): Parameters<typeof describeForReview>[2] {
  const path = relative(findGitTop(taskDir) ?? tasksRoot, evidence)
    .split(sep)
    .join("/");
  const end = ["EVIDENCE.md", "artifacts/evidence.html"].find((name) => url.endsWith(`/${name}`));
  return { path, href: url, base: end === undefined ? "" : url.slice(0, -end.length) };
}
