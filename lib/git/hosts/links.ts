import type { HostKind } from "../../rules/verdict-event.ts";
import { cleanWebAddress, encodePath } from "../../text/web-address.ts";

// Addresses of pages on a git host. `web` is the repository's page there, as `https://github.com/owner/name`. Every
// segment is percent-encoded, so that no name can bring a scheme, a host, a query or a fragment. Null if `web` is
// not such an address, the commit is not a whole object name, or the path is absolute, empty or steps out of the
// repository.

/** GitLab's routes are behind `-`, since its groups nest; Gitea's say what the ref is. */
const atCommit: Readonly<Record<HostKind, string>> = {
  github: "blob",
  gitlab: "-/blob",
  gitea: "src/commit",
  bitbucket: "src",
};

const onBranch: Readonly<Record<HostKind, string>> = { ...atCommit, gitea: "src/branch" };

const ofCommit: Readonly<Record<HostKind, string>> = {
  github: "commit",
  gitlab: "-/commit",
  gitea: "commit",
  bitbucket: "commits",
};

/** The page of a file as it was at a commit. */
export function fileUrl(web: string, kind: HostKind, commit: string, path: string): string | null {
  return join(web, atCommit[kind], wholeName(commit), encodePath(path));
}

/** The page of a file on a branch; what it shows changes with the branch. */
export function branchFileUrl(web: string, kind: HostKind, branch: string, path: string): string | null {
  // Bitbucket takes the first segment alone for the ref: support.atlassian.com, "Hyperlink to source code".
  if (kind === "bitbucket" && branch.includes("/")) return null;
  return join(web, onBranch[kind], encodePath(branch), encodePath(path));
}

/** GitLab's routes are behind `-`. */
const editor = { github: "edit", gitlab: "-/edit", gitea: "_edit" } as const;

/** The page on which a browser edits a file of a branch; on Bitbucket the file itself, which has a button for that. */
export function editFileUrl(web: string, kind: HostKind, branch: string, path: string): string | null {
  if (kind === "bitbucket") return branchFileUrl(web, kind, branch, path);
  return join(web, editor[kind], encodePath(branch), encodePath(path));
}

export function commitUrl(web: string, kind: HostKind, commit: string): string | null {
  return join(web, ofCommit[kind], wholeName(commit));
}

function join(web: string, ...parts: readonly (string | null)[]): string | null {
  const base = cleanWebAddress(web);
  return base === null || parts.includes(null) ? null : [base, ...parts].join("/");
}

/** The whole name of a commit, in SHA-1 or SHA-256: a short one can mean another commit tomorrow. */
function wholeName(commit: string): string | null {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) ? commit : null;
}
