import { asObject } from "../../text/json-object.ts";
import { type HostTool, textOf } from "./host-tool.ts";

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: "open" | "merged" | "closed";
  /** The newest commit that it proposes. */
  readonly commit: unknown;
  readonly base: string;
  readonly isDraft: boolean;
}

interface RequestText {
  readonly title: string;
  readonly body: string;
}

/** Asks the host for the repository, which also shows that there is a login. All of it throws as `HostTool.ask`. */
export async function openRepository({ tool, root, ask }: HostTool) {
  const found = asObject(await ask("GET", root));
  const isGitHub = tool === "gh";
  // A renamed repository answers under its old name, but finds no pull request by it.
  const name = isGitHub ? textOf(found, "full_name") : "";
  const requests = isGitHub ? `repos/${name}/pulls` : `projects/${Number(found?.id)}/merge_requests`;
  const read = (answer: unknown): PullRequest => {
    const each = asObject(answer);
    return {
      number: Number(each?.[isGitHub ? "number" : "iid"]),
      url: textOf(each, isGitHub ? "html_url" : "web_url"),
      state: typeof each?.merged_at === "string" ? "merged" : each?.state === "closed" ? "closed" : "open",
      commit: isGitHub ? asObject(each?.head)?.sha : each?.sha,
      base: isGitHub ? textOf(each?.base, "ref") : textOf(each, "target_branch"),
      isDraft: each?.draft === true,
    };
  };
  // GitLab keeps in the title that it is a draft, and obeys lines such as `/merge`.
  const write = ({ title, body }: RequestText, isDraft: boolean) =>
    isGitHub
      ? { title, body: cut(body, 60_000) }
      : { title: `${isDraft ? "Draft: " : ""}${title}`, description: cut(body.replace(/^\//gm, "&#47;"), 900_000) };
  return {
    defaultBranch: textOf(found, "default_branch"),
    /** The newest first. */
    list: async (branch: string): Promise<PullRequest[]> => {
      const head = encodeURIComponent(isGitHub ? `${name.split("/")[0]}:${branch}` : branch);
      const query = `state=all&per_page=100&${isGitHub ? "head" : "source_branch"}=${head}`;
      const all = await ask("GET", `${requests}?${query}`);
      // A fork may have a branch of that name too.
      const isOwn = (each: unknown) => isGitHub || asObject(each)?.source_project_id === found?.id;
      return (Array.isArray(all) ? all : []).filter(isOwn).map(read);
    },
    /** Not as a draft after all where the host has none, as GitHub in some private repositories. */
    create: async (text: RequestText, head: string, base: string, isDraft: boolean): Promise<PullRequest> => {
      const post = async (draft: boolean) => {
        const branches = isGitHub ? { head, base, draft } : { source_branch: head, target_branch: base };
        return read(await ask("POST", requests, { ...write(text, draft), ...branches }));
      };
      return await post(isDraft).catch((error: Error) => {
        if (isDraft && /draft pull requests are not supported/i.test(error.message)) return post(false);
        throw error;
      });
    },
    /** Whether it is a draft stays as it is. */
    update: async ({ number, isDraft }: PullRequest, text: RequestText, base: string): Promise<unknown> => {
      const change = { ...write(text, isDraft), [isGitHub ? "base" : "target_branch"]: base };
      return await ask(isGitHub ? "PATCH" : "PUT", `${requests}/${number}`, change);
    },
  };
}

/** Hosts take 65,536 and 1,048,576 characters, and count in their own way. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, text.lastIndexOf("\n", most))}\n\nThe rest is in EVIDENCE.md of the task.\n`;
}
