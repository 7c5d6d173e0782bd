import { join, relative } from "node:path";
import type { LoadedConfig } from "../../documents/config/load-config.ts";
import { markdownLink, mdLink } from "../../documents/templates/markdown-nodes.ts";
import { branchFileUrl, editFileUrl, fileUrl } from "../../git/hosts/links.ts";
import { adviseOnHost, findHostedRepository } from "../../git/hosts/web.ts";
import { findGitTop } from "../../git/place.ts";
import { askRemote, findPushedCopies, isIgnoredFile, type PushedCopies } from "../../git/remote.ts";
import type { HostedCode } from "../../rules/verdict-event.ts";
import type { PassPorts } from "../../task/records/ports.ts";
import { stands, type TaskPlace } from "../../task/records/task-place.ts";
import type { EvidenceUrl } from "../../task/request.ts";
import { encodePath } from "../../text/web-address.ts";

type HostPorts = Pick<PassPorts, "env">;
type HostSettings = Pick<LoadedConfig, "evidence">;

export interface HostedTask {
  readonly place: TaskPlace;
  readonly config: HostSettings;
  /** False: its folder cannot lead to a repository. */
  readonly hasGit?: boolean;
  readonly hasPage?: boolean;
}

export interface LocatedEvidence {
  readonly link: EvidenceUrl | null;
  readonly advice: string | null;
}

const unlocated: LocatedEvidence = { link: null, advice: null };

/** `leaveOut` names folders that are no code. Uses no network, and does not throw if git fails. */
export async function readHostedCode(
  repo: string,
  leaveOut: readonly string[],
  config: HostSettings,
  { env }: HostPorts,
): Promise<HostedCode> {
  const view = await askRemote(repo, leaveOut, env);
  if (view === null) return { commit: null, branch: null, dirty: null, web: null, kind: null, pushed: null };
  const { commit, branch, dirty, url, pushed } = view;
  const page = url === null ? { web: null, kind: null } : findHostedRepository(url, { env, config: config.evidence });
  return { commit, branch, dirty, ...page, pushed };
}

export async function findEvidenceUrl(
  place: TaskPlace,
  config: HostSettings,
  ports: HostPorts,
): Promise<EvidenceUrl | null> {
  const located = await locateEvidence([{ place, config }], ports);
  return located.get(place.taskDir)?.link ?? null;
}

/** The page below `evidence.base_url`, else EVIDENCE.md on the git host, since hosts show HTML as source. */
export async function locateEvidence(
  tasks: readonly HostedTask[],
  ports: HostPorts,
): Promise<ReadonlyMap<string, LocatedEvidence>> {
  const located = new Map<string, LocatedEvidence>();
  const shown = tasks.filter(({ place, hasPage }) => hasPage ?? stands(place.page));
  for (const { place, config } of shown) {
    const url = servedPage(place, config);
    if (url !== null) located.set(place.taskDir, { link: { url, pushed: true, label: "" }, advice: null });
  }
  const others = shown.filter(({ place }) => !located.has(place.taskDir));
  for (const { task, copies, index } of await findCopies(others, ({ evidence }) => evidence, ports)) {
    located.set(task.place.taskDir, copies === null ? unlocated : onHost(copies, index, task.config, ports));
  }
  return located;
}

/** By task folder, if the host can edit and has the same text as this disk. */
export async function locateDecisions(
  tasks: readonly HostedTask[],
  ports: HostPorts,
): Promise<ReadonlyMap<string, string>> {
  const located = new Map<string, string>();
  for (const { task, copies, index } of await findCopies(tasks, ({ decisions }) => decisions, ports)) {
    const { path, commit } = copies?.files[index] ?? { path: "", commit: null };
    if (copies === null || copies.url === null || copies.branch === null || commit === null) continue;
    const { web, kind } = findHostedRepository(copies.url, { env: ports.env, config: task.config.evidence });
    const page = web === null || kind === null ? null : editFileUrl(web, kind, copies.branch, path);
    if (page !== null) located.set(task.place.taskDir, page);
  }
  return located;
}

export async function findDecisionsEditor(
  place: TaskPlace,
  config: HostSettings,
  ports: HostPorts,
): Promise<string | null> {
  return (await locateDecisions([{ place, config }], ports)).get(place.taskDir) ?? null;
}

/** One file of each task as its remote has it, without tasks outside of git. */
async function findCopies<Task extends HostedTask>(
  tasks: readonly Task[],
  fileOf: (place: TaskPlace) => string,
  ports: HostPorts,
): Promise<{ task: Task; copies: PushedCopies | null; index: number }[]> {
  const inGit = new Map<string, Task[]>();
  const tops = new Map<string, string | null>();
  for (const task of tasks) {
    const { taskDir, tasksRoot } = task.place;
    const folder = task.hasGit === false ? tasksRoot : taskDir;
    const top = tops.has(folder) ? (tops.get(folder) ?? null) : findGitTop(folder);
    tops.set(folder, top);
    const together = top === null ? undefined : inGit.get(top);
    if (together !== undefined) together.push(task);
    else if (top !== null) inGit.set(top, [task]);
  }
  const found = [];
  for (const together of inGit.values()) {
    const files = together.map(({ place }) => fileOf(place));
    const copies = await findPushedCopies(files, ports.env);
    found.push(...together.map((task, index) => ({ task, copies, index })));
  }
  return found;
}

function onHost(copies: PushedCopies, index: number, { evidence }: HostSettings, { env }: HostPorts): LocatedEvidence {
  const { url, branch, files } = copies;
  const { path, commit } = files[index] ?? { path: "", commit: null };
  if (url === null) return unlocated;
  const sources = { env, config: evidence };
  const { web, kind } = findHostedRepository(url, sources);
  if (web === null || kind === null) return { link: null, advice: adviseOnHost(url, sources) };
  const page = commit === null ? null : fileUrl(web, kind, commit, path);
  if (page !== null) return { link: { url: page, pushed: true, label: "" }, advice: null };
  const later = branch === null ? null : branchFileUrl(web, kind, branch, path);
  return { link: later === null ? null : { url: later, pushed: false, label: "not pushed yet" }, advice: null };
}

/**
 * The Evidence link of STATE.md, empty before there is proof: the served page, else EVIDENCE.md, which every verdict
 * writes before STATE.md; else the agent's link, if that is one file. Relative to the task folder, which leads somewhere on
 * each branch and in each clone, with the full address behind it if host and branch are known; `links: full`: that alone.
 */
export function evidenceLink(
  place: TaskPlace,
  target: string | null,
  config: HostSettings,
  hosted: HostedRepo | null,
): string {
  if (target === null) return "";
  const url = servedPage(place, config);
  const { links } = config.evidence;
  const link = (path: string) => {
    const full = links === "relative" ? null : addressOnHost(place, path, hosted);
    if (full !== null && links === "full") return mdLink(path, full);
    const here = markdownLink(path, path);
    return full === null ? here : `${here} (${mdLink(`on ${new URL(full).host}`, full)})`;
  };
  const own = url === null ? link(runners) : mdLink("evidence.html", url);
  return target === runners ? own : `${own}, ${link(target)}`;
}

export type HostedRepo = Readonly<Awaited<ReturnType<typeof hostedRepo>>>;

/** Asks git only if the host is known. `ignored`: git ignores EVIDENCE.md, so that no push takes it to the host. */
export async function hostedRepo({ evidence }: TaskPlace, repo: string, code: HostedCode | null, { env }: HostPorts) {
  return { repo, code, ignored: code !== null && code.web !== null && (await isIgnoredFile(evidence, env)) };
}

/** A file of the task folder on the code's branch; null if they are in two repositories, or the host is unknown. */
function addressOnHost(place: TaskPlace, path: string, hosted: HostedRepo | null): string | null {
  const { web = null, kind = null, branch = null } = hosted?.code ?? {};
  const top = findGitTop(place.taskDir);
  if (hosted === null || hosted.ignored || web === null || kind === null || branch === null) return null;
  if (top === null || top !== findGitTop(hosted.repo)) return null;
  return branchFileUrl(web, kind, branch, relative(top, join(place.taskDir, path)));
}

const runners = "EVIDENCE.md";

function servedPage(place: TaskPlace, { evidence }: HostSettings): string | null {
  const path = encodePath(`${place.name}/artifacts/evidence.html`);
  return evidence.baseUrl === null || path === null ? null : `${evidence.baseUrl}/${path}`;
}
