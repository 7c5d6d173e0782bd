import path from "node:path";
import { findGitTop } from "../git/list-paths.ts";
import { askRemote } from "../git/remote.ts";
import { findHostTool } from "../scaffold/host-tools/host-tool.ts";
import { readIssue, readIssueName } from "../scaffold/host-tools/issue.ts";
import type { BriefSource } from "../scaffold/init/given-brief.ts";
import { configError, usageError } from "../text/errors.ts";
import { warningFinding } from "../text/finding.ts";
import type { CommandContext } from "./command.ts";
import { newTasksRoot } from "./find-root.ts";
import { configFor } from "./init-checks.ts";

/** The brief of `--issue`: from the remote of the repo, or from the address that was given. */
export async function readIssueSource(context: CommandContext, given: string) {
  const { flags, env, home, cwd } = context;
  if (flags.on("brief"))
    throw usageError("TP_USAGE_TWO_BRIEFS", "--issue and --brief cannot be combined", { fix: "omit one of them" });
  const name = readIssueName(given);
  const repo = path.resolve(cwd, flags.text("repo") ?? "");
  const url = name.url ?? (await askRemote(repo, [], env))?.url ?? null;
  if (url === null)
    throw configError("TP_INIT_ISSUE", `no git remote is known here that could have issue ${name.number}`, {
      file: repo,
      fix: "write its address: --issue https://github.com/OWNER/REPO/issues/42",
    });
  const root = newTasksRoot(cwd);
  const evidence = name.url === null ? configFor(context, { taskDir: path.join(root, "any") })?.evidence : null;
  const config = evidence ?? { hostKind: null, webBase: null };
  const tool = flags.text("with") ?? name.tool;
  const host = await findHostTool({ url, tool, env, home, agents: [findGitTop(repo) ?? repo, root], config });
  const issue = await readIssue(host, name.number);
  const source: BriefSource = {
    given: { front: null, body: issue.body, heading: issue.title },
    from: issue.url,
    issue: { id: `issue-${name.number}`, url: issue.url },
  };
  const closed = warningFinding("TP_INIT_ISSUE_CLOSED", `issue ${name.number} is closed on ${host.host}`);
  return { source, findings: issue.isOpen ? [] : [closed] };
}
