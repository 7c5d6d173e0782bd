import { join } from "node:path";
import * as v from "valibot";
import { somePaths } from "../../git/choose-paths.ts";
import { readHead } from "../../git/head.ts";
import { listLeft } from "../../git/log.ts";
import { findGitPlace, type GitPlace } from "../../git/place.ts";
import { listBetween, listMoves, movesSince, type ReflogEntry } from "../../git/reflog.ts";
import { findCommit } from "../../git/revision.ts";
import { nameChanged, readSettingsAndHooks, type SettingsAndHooks } from "../../git/settings-and-hooks.ts";
import { reflogAction } from "../../rules/words.ts";
import { passMachineFault } from "../../store/error-code.ts";
import { putFile } from "../../store/put-file.ts";
import { readJsonOr, readRegularFile } from "../../store/read-file.ts";
import { openPrivateFolder, stateHome } from "../../store/state-home.ts";
import type { Anchor } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { catchForeseenIn } from "../../text/attempt.ts";
import { type Finding, warningFinding } from "../../text/finding.ts";
import { parseObject } from "../../text/json-object.ts";
import { redactDeep } from "../../text/redact.ts";
import { sha256 } from "../../text/sha256.ts";
import { shorten } from "../../text/shorten.ts";

/** The code of a finding after which no pass of the call begins. */
export const branchSwitched = "TP_GIT_BRANCH";

/** Where the repo's HEAD is. */
export interface SeenHead {
  readonly commit: string;
  /** Such as `refs/heads/main`; null if detached. */
  readonly ref: string | null;
  /** How many moves of HEAD git knew then. */
  readonly moves?: number;
}

type HeadPorts = Pick<PassPorts, "env" | "home">;

/** Null without git, before the first commit, and if git failed: nothing rests on it but words and where is committed. */
export async function findHead(repo: string, { env }: Pick<HeadPorts, "env">): Promise<SeenHead | null> {
  const git = findGitPlace(repo);
  const head = git === null ? null : await unlessGitFails(() => readHead(git, env), null);
  return head === null ? null : { commit: head.commit, ref: head.ref };
}

/** With what `findHeadMoves` needs to know which moves came later. */
export async function seeHead(repo: string, ports: Pick<HeadPorts, "env">): Promise<SeenHead | null> {
  const git = findGitPlace(repo);
  const moves = git === null ? 0 : listMoves(git).length;
  const head = await findHead(repo, ports);
  return head === null ? null : { ...head, moves };
}

/** Null without git, and if it failed. */
export async function seeSettingsAndHooks(
  repo: string,
  { env }: Pick<HeadPorts, "env">,
): Promise<SettingsAndHooks | null> {
  const git = findGitPlace(repo);
  return git === null ? null : await unlessGitFails(() => readSettingsAndHooks(git, repo, env), null);
}

/** What changed since `before` and no diff shows. `visible`: the paths that one shows. */
export async function findChangedSettings(
  repo: string,
  before: SettingsAndHooks | null,
  { env, redactor }: Pick<PassPorts, "env" | "redactor">,
  visible: readonly string[] = [],
): Promise<Finding[]> {
  const names = before === null ? [] : nameChanged(before, await seeSettingsAndHooks(repo, { env }), visible);
  if (names.length === 0) return [];
  const told = `settings or hooks of git changed since the pass began: ${somePaths(redactDeep(names, redactor))}`;
  const fix =
    "read them (settings: git config --list): no diff shows them, and your next git command may run what they name";
  return [warningFinding("TP_GIT_SETTINGS", told, { file: repo, fix })];
}

const keptSettings = v.object({ pass: v.number(), settings: v.array(v.tuple([v.string(), v.string()])) });

/** For the run after one that is killed. Not durable: an agent causes no power cut. */
export function keepSettings({ folder }: Pick<Anchor, "folder">, pass: number, settings: SettingsAndHooks): void {
  const text = JSON.stringify({ pass, settings: [...settings] });
  putFile(join(folder, "settings.json"), text, { mode: 0o600, durable: false });
}

/** As they were when this pass began; null if they were not kept. */
export function readKeptSettings({ folder }: Pick<Anchor, "folder">, pass: number): SettingsAndHooks | null {
  const kept = readJsonOr(join(folder, "settings.json"), keptSettings, 16 * 1024 * 1024, null);
  return kept?.pass === pass ? new Map(kept.settings) : null;
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

/**
 * What became of HEAD while a pass worked, by the reflog, in which a model's git names itself. Empty without git or a reflog,
 * and if git failed.
 */
export interface HeadMoves {
  /** What a person committed, as `9a01b22 Fix it`; `switched`: they only moved HEAD. */
  readonly persons: readonly { readonly name: string; readonly paths: readonly string[]; readonly switched: boolean }[];
  /**
   * The commits, newest first, that the model took off HEAD's branch, or that a person made and it took off every branch;
   * `9a01b22` alone if git no longer has the newest.
   */
  readonly lost: readonly string[];
}

export async function findHeadMoves(
  repo: string,
  was: SeenHead | null,
  { env, redactor }: Pick<PassPorts, "env" | "redactor">,
): Promise<HeadMoves> {
  const git = was === null ? null : findGitPlace(repo);
  if (was === null || git === null) return { persons: [], lost: [] };
  const moves = movesSince(git, was.commit, was.moves);
  const byPerson = moves.filter((move) => isMove(move) && !isModels(move));
  const clean = (text: string) => shorten(redactor.redact(text), 80);
  const readPersons = byPerson.map(async (move) => ({
    name: `${move.to.slice(0, 7)} ${clean(move.message.replace(/^[^:]*: /, ""))}`,
    paths: await listBetween(git, repo, move, env),
    switched: /^(?:checkout|reset): /.test(move.message),
  }));
  const persons = await unlessGitFails(() => Promise.all(readPersons), []);
  if (moves.length > 0 && !moves.some(isModels)) return { persons, lost: [] };
  // To switch to a branch puts nothing on it, and takes nothing off the other one.
  const made = byPerson.filter(({ message }) => !message.startsWith("checkout: "));
  // But who leaves a branch that is not the pass's knows what they committed there.
  const left = byPerson.filter(({ message }) => {
    const name = /^checkout: moving from (\S+) to /.exec(message)?.[1];
    return name !== undefined && `refs/heads/${name}` !== was.ref;
  });
  return { persons, lost: (await unlessGitFails(() => listLost(git, was, { made, left }, env), [])).map(clean) };
}

const isModels = ({ message }: ReflogEntry): boolean => message.startsWith(reflogAction);

/**
 * These leave HEAD where it is and write lines, too: a stash, the end of a rebase, a checkout of the present branch, and a new
 * name of it, whose two lines lead to no commit and back.
 */
function isMove({ from, to, message }: ReflogEntry): boolean {
  if (from === to) return /^checkout: moving from (\S+) to (?!\1$)/.test(message);
  return !/^0+$/.test(from) && !/^0+$/.test(to);
}

async function listLost(
  git: GitPlace,
  { commit, ref }: SeenHead,
  { made, left }: Readonly<Record<"made" | "left", readonly ReflogEntry[]>>,
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const tip = await findCommit(git, ref ?? "HEAD", env);
  if (tip === commit && made.length === 0) return [];
  if ((await findCommit(git, commit, env)) === null) return [commit.slice(0, 7)];
  const branches = ["HEAD", "--branches"];
  // Of commits of the same second, git lists the one first that is named first.
  const tips = made.map(({ to }) => to).reverse();
  const dropped = tips.length === 0 ? [] : await listLeft(git, tips, branches, env);
  // A detached HEAD has no branch to lose what another one has.
  const gone = await listLeft(git, [commit], ref === null ? branches : [tip ?? "HEAD"], env);
  const lost = [...new Set([...dropped, ...gone])];
  if (lost.length === 0) return [];
  const taken = await Promise.all([...made, ...left].map(({ from, to }) => listLeft(git, [from], [to], env)));
  return lost.filter((name) => !taken.flat().includes(name));
}
