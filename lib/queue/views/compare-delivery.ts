import { eventsOfProof, gone, isTest, pathsOfTask, serializeTask } from "../../checks/delivered-paths.ts";
import { loadWatch } from "../../checks/watch-repo.ts";
import { readAttributes } from "../../git/attributes.ts";
import { withoutReturns } from "../../git/checked-blobs.ts";
import { readSettings, settingOf } from "../../git/git-settings.ts";
import { readHead } from "../../git/head.ts";
import { listTree } from "../../git/list-tree.ts";
import { findGitPlace } from "../../git/place.ts";
import { insideOf } from "../../git/stage.ts";
import { readHistory } from "../../rules/add-event.ts";
import type { Moved } from "../../rules/standing-facts.ts";
import { joinBytes, pathBytes } from "../../store/path-key.ts";
import { pathsOfPasses } from "../../task/pass-paths.ts";
import { anchorFolder, readDelivered, readReviewedLines } from "../../task/records/anchor.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { readTaskJournal } from "../../task/records/task-journal.ts";
import type { TaskPlace } from "../../task/records/task-place.ts";
import { sha256 } from "../../text/sha256.ts";

interface Compared {
  readonly place: TaskPlace;
  /** Null: the entries are those of a commit. */
  readonly repo: string | null;
  /** The repo as it is now. */
  readonly entries: ReadonlyMap<string, string>;
  /** The fingerprint of the work tree at `done`, and the digest of what the task handed over. */
  readonly then: string;
  readonly delivered: string;
}

/**
 * The differences between the task's delivery and the repo: a path has moved if it has neither the delivered bytes nor
 * those that it had at `done`, such as a person's draft. An uncommitted test is a draft too. Throws TP_GIT and data
 * errors.
 */
export async function compareDelivery(
  { place, repo, entries, then, delivered }: Compared,
  ports: Pick<PassPorts, "env" | "home">,
): Promise<Moved | null> {
  const anchor = { folder: anchorFolder(place.taskDir, ports) };
  const handed = readDelivered(anchor, delivered)?.entries ?? null;
  if (handed === null) return await compareDigest({ place, repo, entries, then, delivered }, ports.env);
  const news = [...entries.keys()].filter((path) => isTest(path) && !handed.has(path));
  const added = news.length === 0 ? [] : await filterCommitted(repo, news, ports.env);
  const differs = (path: string, now = entries) => (now.get(path) ?? gone) !== (handed.get(path) ?? gone);
  const differing = [...handed.keys(), ...added].filter((path) => differs(path));
  if (differing.length === 0) return null;
  const lines = readReviewedLines(anchor, then);
  const moved = differing.filter((path) => !hasLine(lines, path, entries.get(path)));
  const stored = await asStored(repo, entries, moved, ports.env);
  const count = moved.filter((path) => differs(path, stored)).length;
  return count === 0 ? null : { kind: "paths", count };
}

/** The entries with those of `paths` as git would store them if `core.autocrlf` gives files here other line endings. */
async function asStored(
  repo: string | null,
  entries: ReadonlyMap<string, string>,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  const git = repo === null || paths.length === 0 ? null : findGitPlace(repo);
  const converts = git === null ? null : settingOf(await readSettings(git, env), "core.autocrlf");
  if (repo === null || git === null || !/^(?:true|input)$/.test(converts ?? "")) return entries;
  const inside = insideOf(git, repo) ?? Buffer.alloc(0);
  const fromTop = (path: string) => joinBytes(inside, pathBytes(path));
  const attributes = await readAttributes(git, paths.map(fromTop), { env });
  const stored = paths.flatMap((path): (readonly [string, string])[] => {
    const [type, mode] = (entries.get(path) ?? gone).split(" ");
    const text = attributes.get(fromTop(path).toString("latin1"))?.get("text");
    if (type !== "file" || text === "unset") return [];
    const bytes = withoutReturns(joinBytes(Buffer.from(repo), pathBytes(path)));
    // Git takes a file with a NUL for a binary one, and leaves it as it is.
    const isText = bytes !== null && (text === "set" || !bytes.includes(0));
    return isText ? [[path, `${type} ${mode} ${sha256(bytes)}`]] : [];
  });
  return new Map([...entries, ...stored]);
}

/** Whether this was the path's entry when the lines were written. */
function hasLine(lines: ReadonlySet<string> | null, path: string, entry: string | undefined): boolean {
  if (lines === null) return false;
  if (entry !== undefined) return lines.has(JSON.stringify([path, entry]));
  const start = `[${JSON.stringify(path)},`;
  return ![...lines].some((line) => line.startsWith(start));
}

/** Another machine has the digest alone: of the paths that the journal names, and of tests. */
async function compareDigest(
  { place, repo, entries, delivered }: Compared,
  env: NodeJS.ProcessEnv,
): Promise<Moved | null> {
  const events = readTaskJournal(place.journal)?.events ?? [];
  const changed = pathsOfPasses(place, eventsOfProof(events));
  const paths = pathsOfTask(changed, loadWatch({ place, history: readHistory(events) }));
  const holds = (seen: ReadonlyMap<string, string>) => sha256(serializeTask(seen, paths)) === delivered;
  if (holds(entries)) return null;
  const tests = [...entries.keys()].filter((path) => isTest(path) && !paths.has(path));
  const stored = await asStored(repo, entries, [...paths, ...tests], env);
  if (holds(stored)) return null;
  const committed = new Set(await filterCommitted(repo, tests, env));
  const drafts = new Set(tests.filter((path) => !committed.has(path)));
  if (drafts.size > 0 && holds(new Map([...stored].filter(([path]) => !drafts.has(path))))) return null;
  return { kind: "unknown", reason: "only the machine that did the work knows which paths" };
}

/** The paths that the commit contains; all of them without a commit. */
async function filterCommitted(
  repo: string | null,
  paths: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const git = repo === null ? null : findGitPlace(repo);
  const inside = git === null || repo === null ? null : insideOf(git, repo);
  const head = git === null ? null : await readHead(git, env);
  if (git === null || inside === null || head === null) return [...paths];
  const tree = await listTree(git, head.commit, env);
  return paths.filter((path) => tree.has(joinBytes(inside, pathBytes(path)).toString("latin1")));
}
