import { pathBytes, pathKey } from "../store/path-key.ts";
import { catchForeseenIn } from "../text/attempt.ts";
import { shorten } from "../text/shorten.ts";
import { onlyForShow } from "./attributes.ts";
import { moveTree } from "./branch.ts";
import { orUnsigned } from "./commit.ts";
import { type GitSettings, identityVariables } from "./git-settings.ts";
import { isFile, listTree } from "./list-tree.ts";
import { listDiffering } from "./log.ts";
import { mergeTrees } from "./merge.ts";
import { readBlob } from "./objects.ts";
import type { GitPlace } from "./place.ts";
import { runGit, splitNul } from "./run-git.ts";
import { signedBy } from "./signatures.ts";
import { commitSigning, type FindSigner, type Signer } from "./ssh-keygen.ts";

export interface RebaseRequest {
  readonly place: GitPlace;
  readonly settings: GitSettings;
  readonly head: string;
  readonly theirs: string;
  /** Incoming paths, as `pathKey` from the top, that must not come in now. */
  readonly unwelcome: (paths: readonly string[]) => readonly string[];
  readonly drop: string | null;
  /** Signs again what it has signed. */
  readonly signer?: FindSigner | null;
  readonly env: NodeJS.ProcessEnv;
}

export type Rebased =
  | { readonly kind: "rebased"; readonly head: string }
  /** Others changed code under what was proven. */
  | { readonly kind: "unwelcome"; readonly paths: readonly string[] }
  | { readonly kind: "conflict"; readonly paths: readonly string[] }
  | { readonly kind: "refused"; readonly why: string };

/** A runner that pushes after each pass makes fewer. */
const maxCommits = 100;

interface OwnCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: Readonly<Record<string, string>>;
  readonly message: string;
}

/**
 * Puts local commits of passes, in one line, on top of the others'; a person's own are never rewritten. Computes all of
 * it in the object store first, so there is nothing to abort; then writes only incoming paths, and nothing if
 * uncommitted work is in the way. Throws TP_GIT.
 */
export async function rebaseOwnCommits(request: RebaseRequest): Promise<Rebased> {
  const { place, settings, head, theirs, env } = request;
  const base = await findBase(request);
  if (base === null) return { kind: "refused", why: "the two histories have no common commit" };
  const incoming = (await listDiffering(place, [base, theirs], env)).map(pathKey);
  const unwelcome = request.unwelcome(incoming);
  if (unwelcome.length > 0) return { kind: "unwelcome", paths: unwelcome };
  const rules = incoming.filter((path) => path === ".gitattributes" || path.endsWith("/.gitattributes"));
  // Commit by commit, since `listTree` keeps one tree.
  for (const commit of [base, theirs]) {
    for (const path of rules) {
      if (await onlyShows(request, commit, path)) continue;
      return { kind: "refused", why: "a .gitattributes file came in, which changes how other files are written" };
    }
  }
  const commits = await listCommits(request, base);
  const strange = commits.find(({ parents, message }) => parents.length !== 1 || !/^Task-Phase-Task: /m.test(message));
  if (strange !== undefined) {
    return {
      kind: "refused",
      why: `the commit ${strange.sha.slice(0, 12)} was not made by a pass and is not pushed yet`,
    };
  }
  if (commits.length > maxCommits)
    return { kind: "refused", why: `more than ${maxCommits} commits are not pushed yet` };
  const kept = commits.filter(({ message }) => request.drop === null || !isOfTask(message, request.drop));
  const replayed = await replay(request, kept);
  if (replayed.kind !== "rebased") return replayed;
  // Move the tree before the branch: after a kill in between, the incoming changes show as uncommitted, and the next
  // push moves both. The other way round, a person's next commit would revert them.
  const moved = await moveTree(place, head, replayed.head, env);
  if (moved.kind === "refused") return moved;
  const variables = identityVariables(settings, env);
  const args = ["update-ref", "-m", "rebase: commits of passes", "HEAD", replayed.head, head];
  const end = await catchForeseenIn(
    () => runGit(place, args, { env, variables }),
    ({ message }) => message,
  );
  if (typeof end !== "string") return replayed;
  await moveTree(place, replayed.head, head, env);
  return { kind: "refused", why: `the branch could not be moved: ${shorten(end, 200)}` };
}

function isOfTask(message: string, task: string): boolean {
  return message.split("\n").some((line) => line === `Task-Phase-Task: ${task}`);
}

/** Whether a commit's rules only affect display, or are absent. */
async function onlyShows({ place, env }: RebaseRequest, commit: string, path: string): Promise<boolean> {
  const entry = (await listTree(place, commit, env)).get(pathBytes(path).toString("latin1"));
  if (entry === undefined) return true;
  const rules = isFile(entry) ? await readBlob(place, entry.oid, env) : null;
  return rules !== null && onlyForShow(rules.toString("latin1"));
}

async function findBase({ place, head, theirs, env }: RebaseRequest): Promise<string | null> {
  const { exitCode, stdout } = await runGit(place, ["merge-base", head, theirs], { env, accept: [0, 1] });
  return exitCode === 0 ? (stdout.toString("utf8").trim().split("\n")[0] ?? null) : null;
}

async function listCommits({ place, head, env }: RebaseRequest, base: string): Promise<OwnCommit[]> {
  const format = ["%H", "%P", "%an", "%ae", "%ad", "%B"].join("%x1f");
  const args = ["log", "-z", "--reverse", "--topo-order", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8"];
  const range = ["--date=raw", `--max-count=${maxCommits + 1}`, `--format=${format}`, `${base}..${head}`];
  const { stdout } = await runGit(place, [...args, ...range], { env });
  return splitNul(stdout).map((entry) => {
    const [sha = "", parents = "", name = "", email = "", date = "", ...message] = entry.toString("utf8").split("\x1f");
    return {
      sha,
      parents: parents.split(" ").filter((parent) => parent !== ""),
      author: { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
      message: message.join("\x1f"),
    };
  });
}

async function replay(
  request: RebaseRequest,
  commits: readonly OwnCommit[],
): Promise<Exclude<Rebased, { kind: "unwelcome" }>> {
  const { place, settings, env } = request;
  const identity = identityVariables(settings, env);
  const commit = async (tree: string, parent: string, { author, message }: OwnCommit, signer: Signer | null) => {
    const signing = commitSigning(signer);
    const variables = { ...identity, ...author, ...signing.variables };
    const args = ["commit-tree", ...signing.args, "-p", parent, "-F", "-", tree];
    const options = { env, variables, input: Buffer.from(message), extra: [...encoding, ...signing.extra] };
    const { stdout } = await runGit(place, args, options);
    return stdout.toString("utf8").trim();
  };
  // A forged trailer must not earn the runner's signature.
  const shas = commits.map(({ sha }) => sha);
  const runner = commits.length === 0 ? null : ((await request.signer?.()) ?? null);
  const signed = runner === null ? new Set() : await signedBy(place, shas, runner);
  let onto = request.theirs;
  for (const own of commits) {
    // A stand-in with the commit's parent and the others' contents: merging it with the commit adds exactly the
    // commit's changes. `--merge-base` does this only from git 2.40.
    const standIn = await commit(`${onto}^{tree}`, own.parents[0] ?? "", { ...own, message: "stand-in\n" }, null);
    const merged = await catchForeseenIn(
      () => mergeTrees(place, standIn, own.sha, env),
      ({ message }) => ({ kind: "refused", why: shorten(message, 200) }) as const,
    );
    if (merged.kind === "refused") return merged;
    if (merged.kind === "conflict") return { kind: "conflict", paths: merged.paths };
    const signer = signed.has(own.sha) ? runner : null;
    const { tree } = merged;
    const parent = onto;
    onto = await orUnsigned(signer, place, () => commit(tree, parent, own, signer));
  }
  return { kind: "rebased", head: onto };
}

const encoding = ["i18n.commitEncoding=UTF-8"];
