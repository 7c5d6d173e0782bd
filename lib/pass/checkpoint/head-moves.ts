import { join } from "node:path";
import { readHead } from "../../git/head.ts";
import { listLeft } from "../../git/log.ts";
import { findGitPlace } from "../../git/place.ts";
import { listBetween, movesSince, type ReflogEntry } from "../../git/reflog.ts";
import { findCommit } from "../../git/revision.ts";
import { reflogAction } from "../../rules/words.ts";
import { passMachineFault } from "../../store/error-code.ts";
import { putFile } from "../../store/put-file.ts";
import { readRegularFile } from "../../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../../store/state-home.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { catchForeseenIn } from "../../text/attempt.ts";
import { parseObject } from "../../text/json-object.ts";
import { sha256 } from "../../text/sha256.ts";
import { shorten } from "../../text/shorten.ts";

/** The code of a finding after which no pass of the call begins. */
export const branchSwitched = "TP_GIT_BRANCH";

/** Where the repo's HEAD is. */
export interface SeenHead {
  readonly commit: string;
  /** Such as `refs/heads/main`; null if detached. */
  readonly ref: string | null;
}

type HeadPorts = Pick<PassPorts, "env" | "home">;

/** Null without git, before the first commit, and if git failed: nothing rests on it but words and where is committed. */
export async function findHead(repo: string, { env }: Pick<HeadPorts, "env">): Promise<SeenHead | null> {
  const git = findGitPlace(repo);
  const head = git === null ? null : await unlessGitFails(() => readHead(git, env), null);
  return head === null ? null : { commit: head.commit, ref: head.ref };
}

function unlessGitFails<Value>(act: () => Promise<Value>, instead: Value): Promise<Value> {
  return catchForeseenIn(act, (error) => {
    passMachineFault(error);
    return instead;
  });
}

/**
 * Notes where the runner leaves HEAD, for all tasks of the repo. `folder` is the task's own, whose next run removes a half-written
 * note. Not durable: without it a move is not told.
 */
export async function recordHead(repo: string, folder: string, ports: HeadPorts): Promise<void> {
  const head = await findHead(repo, ports);
  const file = headFile(repo, ports);
  if (head === null || file === null) return;
  openPrivateFolder(join(stateHome(ports.env, ports.home), "repos"));
  putFile(file, `${JSON.stringify(head)}\n`, { mode: 0o600, durable: false, temporaryIn: folder });
}

/** The HEAD that the runner left, and the present one, if somebody moved it since. */
export async function findMovedHead(
  repo: string,
  ports: HeadPorts,
): Promise<{ readonly was: SeenHead; readonly now: SeenHead } | null> {
  const file = headFile(repo, ports);
  const read = file === null ? null : readRegularFile(file, 4096);
  const kept = read?.kind === "file" ? parseObject(read.bytes.toString("utf8")) : null;
  if (typeof kept?.commit !== "string") return null;
  const was = { commit: kept.commit, ref: typeof kept.ref === "string" ? kept.ref : null };
  const now = await findHead(repo, ports);
  return now === null || (now.commit === was.commit && now.ref === was.ref) ? null : { was, now };
}

/** `moved HEAD: c0e845c to 9a01b22`, or `switched from main to elsewhere`. */
export function renderMove(was: SeenHead, now: SeenHead): string {
  const moved = was.commit === now.commit ? "" : `${was.commit.slice(0, 7)} to ${now.commit.slice(0, 7)}`;
  if (was.ref === now.ref) return `moved HEAD: ${moved}`;
  return `switched from ${nameHead(was)} to ${nameHead(now)}${moved === "" ? "" : ` (${moved})`}`;
}

/** `main`, or the short name of a detached commit. */
export function nameHead({ commit, ref }: SeenHead): string {
  return ref === null ? commit.slice(0, 7) : shorten(ref.replace(/^refs\/heads\//, ""), 80);
}

function headFile(repo: string, { env, home }: HeadPorts): string | null {
  const git = findGitPlace(repo);
  return git === null ? null : join(stateHome(env, home), "repos", `${sha256(git.gitDir).slice(0, 32)}.head.json`);
}

type WordPorts = Pick<PassPorts, "env" | "redactor">;

/**
 * What a person committed while a pass worked, by the reflog, in which a model's git names itself; `switched`: they only moved
 * HEAD. Empty without git or a reflog, and if git failed.
 */
export async function findPersonsCommits(
  repo: string,
  was: SeenHead | null,
  { env, redactor }: WordPorts,
): Promise<readonly { readonly name: string; readonly paths: readonly string[]; readonly switched: boolean }[]> {
  const git = was === null ? null : findGitPlace(repo);
  if (was === null || git === null) return [];
  const read = listPersonsMoves(movesSince(git, was.commit)).map(async (move) => ({
    name: `${move.to.slice(0, 7)} ${shorten(redactor.redact(move.message.replace(/^[^:]*: /, "")), 80)}`,
    paths: await listBetween(git, repo, move, env),
    switched: /^(?:checkout|reset): /.test(move.message),
  }));
  return await unlessGitFails(() => Promise.all(read), []);
}

const isModels = ({ message }: ReflogEntry): boolean => message.startsWith(reflogAction);

function listPersonsMoves(moves: readonly ReflogEntry[]): readonly ReflogEntry[] {
  // These leave HEAD where it is and write lines, too: a stash, the end of a rebase, a checkout of the present branch, and
  // a new name of it, whose two lines lead to no commit and back.
  const isMove = ({ from, to, message }: ReflogEntry) =>
    from === to ? /^checkout: moving from (\S+) to (?!\1$)/.test(message) : !/^0+$/.test(from) && !/^0+$/.test(to);
  return moves.filter((one) => isMove(one) && !isModels(one));
}

/**
 * The commits, newest first, that HEAD's branch has lost while a pass worked, as `9a01b22 Fix it`: by an amended commit or a reset
 * of the model. `9a01b22` alone if git no longer has the newest. Empty if only a person moved HEAD, without git, and if git failed.
 */
export async function findLostCommits(
  repo: string,
  was: SeenHead | null,
  { env, redactor }: WordPorts,
): Promise<readonly string[]> {
  const git = was === null ? null : findGitPlace(repo);
  if (was === null || git === null) return [];
  const moves = movesSince(git, was.commit);
  if (moves.length > 0 && !moves.some(isModels)) return [];
  return await unlessGitFails(async () => {
    const tip = await findCommit(git, was.ref ?? "HEAD", env);
    if (tip === was.commit) return [];
    if ((await findCommit(git, was.commit, env)) === null) return [was.commit.slice(0, 7)];
    // A detached HEAD has no branch to lose what another one has.
    const others = [tip ?? "HEAD", ...(was.ref === null ? ["--branches"] : [])];
    const lost = await listLeft(git, was.commit, others, env);
    // To leave a branch takes nothing off it.
    const byPerson = listPersonsMoves(moves).filter(
      ({ message }) => lost.length > 0 && !message.startsWith("checkout: "),
    );
    const taken = await Promise.all(byPerson.map(({ from, to }) => listLeft(git, from, [to], env)));
    return lost.filter((name) => !taken.flat().includes(name)).map((name) => shorten(redactor.redact(name), 80));
  }, []);
}
