import { join } from "node:path";
import type { ClaimContext, WaitUntil } from "../../lib/fleet/claim-context.ts";
import type { Mirror } from "../../lib/fleet/mirror.ts";
import type { OpenBranch } from "../../lib/fleet/open-branch.ts";
import type { Network, NetworkEnd } from "../../lib/git/network.ts";
import type { GitPlace } from "../../lib/git/place.ts";
import { readHistory } from "../../lib/rules/add-event.ts";
import type { TaskEvent } from "../../lib/rules/events.ts";
import type { PassPorts } from "../../lib/task/records/ports.ts";
import { placeOf, type TaskPlace } from "../../lib/task/records/task-place.ts";
import { sha256 } from "../../lib/text/sha256.ts";
import { type EventKey, eventOf, partsOf } from "./event-keys.ts";
import { here, type Machine, type Outcome } from "./world.ts";

/**
 * What stands in for git, files and locks while claims are played against each other; each function is that of the same
 * name in lib. What decides (the claimed run, the fence, what is settled after a kill, the swap of a ref, what was
 * seen, who holds a claim) is lib's own.
 */

let folder = "";

/** Where the machines have their folders; that of each clone is really there. */
export function setFolder(path: string): void {
  folder = path;
}

export function placeOfMachine(name: string): string {
  return join(folder, name);
}

export function machineAt(path: string): Machine {
  const name = /^\/m(\d+)\//.exec(path.slice(folder.length))?.[1];
  if (!path.startsWith(folder) || name === undefined) throw new Error(`${path} is of no machine`);
  return here().machine(Number(name));
}

function cloneOf(machine: Machine) {
  if (machine.clone === null) throw new Error(`${machine.name} has no clone`);
  return machine.clone;
}

export const branch = "refs/heads/task-phase/T-1";
export const url = "https://git.example.org/team/repo.git";

export function portsOf(machine: Machine, now: () => Date): PassPorts {
  const home = placeOfMachine(machine.name);
  const ports = {
    ...{ env: { XDG_CACHE_HOME: join(home, "cache") }, home, cwd: `${home}/`, now },
    redactor: { redact: (text: string) => text },
    signal: new AbortController().signal,
    tell: () => undefined,
  };
  return ports as unknown as PassPorts;
}

// anchor, task

export function readTaskJournal(path: string) {
  const keys = machineAt(path).clone?.holds ?? null;
  if (keys === null) return null;
  const bytes = bytesOf(keys);
  return { events: keys.map(eventOf), head: null, seq: keys.length, bytes, sha256: sha256(bytes) };
}

function bytesOf(keys: readonly EventKey[]): Buffer {
  return Buffer.from(keys.map((key) => `${key}\n`).join(""));
}

export function locateTask(named: string): TaskPlace {
  return placeOf(named);
}

export function openAnchor() {
  return {};
}

const freeLock = { release: () => undefined };

export function lockTask() {
  return freeLock;
}

export function lockInRoot() {
  return freeLock;
}

export function handOnDelivered(): void {}

/** Closes the pass that was open. */
export async function recoverTask(place: TaskPlace): Promise<void> {
  closeOpen(machineAt(place.taskDir));
}

export function closeOpen(machine: Machine): void {
  const { holds: keys } = cloneOf(machine);
  const { unfinishedPass } = readHistory(keys.map(eventOf));
  if (unfinishedPass === null) return;
  const started = keys.map(partsOf).findLast(({ letter }) => letter === "S");
  append(machine, `I${unfinishedPass}:${started?.attempt}`);
}

export function append(machine: Machine, key: EventKey): void {
  here().change(machine);
  const clone = cloneOf(machine);
  clone.holds = [...clone.holds, key];
}

export function openHeld(place: TaskPlace, anchor: unknown, ports: PassPorts) {
  const journal = readTaskJournal(place.journal);
  if (journal === null) throw new Error("there is no journal");
  return { place, anchor, ports, journal, history: readHistory(journal.events), findings: [] };
}

export function accept({ place }: { readonly place: TaskPlace }, { event }: { readonly event: TaskEvent }): void {
  if (event.type !== "released") throw new Error(`nothing of ${event.type} is accepted here`);
  append(machineAt(place.taskDir), `R${event.pass}:`);
}

export async function readCode() {
  return { fingerprint: { hash: "f1" } };
}

export function loadConfig() {
  return { sign: null, notify: {}, fleet: null };
}

export function signerOf(): null {
  return null;
}

export function requireTrustedRemote(): void {}

// store

export function openPrivateFolder(): void {}

export function putFile(path: string, text: string): void {
  const machine = machineAt(path);
  // Written again by whoever was cut off right after it, so no kill is worth a moment of its own there.
  if (!path.endsWith(".ended")) here().change(machine);
  machine.files.set(path.slice(folder.length), text);
}

export function readJsonFile(path: string) {
  const text = machineAt(path).files.get(path.slice(folder.length));
  return text === undefined ? { kind: "missing" } : { kind: "read", value: JSON.parse(text) };
}

export function readJsonOr(path: string, _schema: unknown, _maxBytes: number, otherwise: unknown) {
  const read = readJsonFile(path);
  return read.kind === "read" ? read.value : otherwise;
}

export function removeNote(path: string): void {
  const machine = machineAt(path);
  here().change(machine);
  machine.files.delete(path.slice(folder.length));
}

export function tryLock(path: string) {
  return here().lock(machineAt(path), path);
}

// git

function placeAt(path: string): GitPlace {
  const top = join(placeOfMachine(machineAt(path).name), "clone");
  return { top, gitDir: join(top, ".git"), commonDir: join(top, ".git") };
}

export function findGitPlace(path: string): GitPlace | null {
  const { clone } = machineAt(path);
  return clone === null ? null : { ...placeAt(path), top: path };
}

/** The one that several commands work in. */
export function repository({ name }: Machine): GitPlace {
  const top = join(placeOfMachine(name), "repo");
  return { top, gitDir: repositoryDir, commonDir: repositoryDir };
}

const repositoryDir = "/repository/.git";

/** Nothing is. */
export function checkedOutIn(): null {
  return null;
}

export function refuseCheckedOut(): void {}

export async function readSettings() {
  return { own: [], repo: [] };
}

export async function listChanged(): Promise<readonly string[]> {
  return [];
}

/** A claim's commit is the one whose last event begins or claims a pass. */
export async function findTrailer(_git: GitPlace, { commit }: { readonly commit: string }): Promise<string | null> {
  const { letter } = partsOf(here().holdsOf(commit).at(-1) ?? "");
  return letter === "S" || letter === "C" ? commit : null;
}

export async function runGit(git: GitPlace, args: readonly string[]) {
  const machine = machineAt(git.top);
  const [command, flag, object = ""] = args;
  const last = args.at(-1) ?? "";
  if (command === "update-ref" && flag === "-d") await forget(machine, object, args[3] ?? null);
  else if (command === "merge-base")
    return { exitCode: here().isBehind(object, last) ? 0 : 1, stdout: Buffer.alloc(0) };
  else if (command === "rev-parse") {
    const commit = here().refs.get(last.replace("^{commit}", "")) ?? null;
    return { exitCode: commit === null ? 1 : 0, stdout: Buffer.from(commit ?? "") };
  } else if (command === "update-ref") cloneOf(machine).head = last;
  else if (command === "cat-file") return { exitCode: 0, stdout: bytesOf(here().holdsOf(object.split(":")[0] ?? "")) };
  else if (command !== "symbolic-ref") throw new Error(`no git ${args.join(" ")}`);
  return { exitCode: 0, stdout: Buffer.alloc(0) };
}

export async function giveAgain(): Promise<void> {}

async function forget(machine: Machine, ref: string, expected: string | null): Promise<void> {
  await here().point(machine, `forget ${ref}`, true);
  const was = here().refs.get(ref) ?? null;
  if (expected === null || was === expected) here().move(ref, null);
}

export async function commitPaths({ repo }: { readonly repo: string }) {
  const machine = machineAt(repo);
  here().change(machine);
  const clone = cloneOf(machine);
  if (here().holdsOf(clone.head).length === clone.holds.length) return { sha: null, findings: [] };
  // Its time and its author differ from those of any other commit.
  clone.head = here().commit([clone.head], clone.holds, `${machine.name}.${machine.calls}`);
  return { sha: clone.head, findings: [] };
}

export async function withNetwork<Value>(
  request: { readonly place: GitPlace; readonly url: string },
  act: (network: Network) => Promise<Value>,
): Promise<Value> {
  const machine = machineAt(request.place.top);
  const isRemote = request.url === url || request.url === repositoryDir;
  return await act({
    gitDir: "",
    // The mirror has every commit that its machine ever had.
    call: async (args) => (isRemote ? await callRemote(machine, args) : answered()),
  });
}

function answered(stdout = "", exitCode = 0): NetworkEnd {
  return { exitCode, stdout, said: "" };
}

const noAnswer: NetworkEnd = { exitCode: 128, stdout: "", said: "fatal: the remote end hung up unexpectedly" };

async function callRemote(machine: Machine, args: readonly string[]): Promise<NetworkEnd> {
  const [command, flag] = args;
  switch (command) {
    case "update-ref":
      return answered();
    case "merge-base":
      return answered("", here().isBehind(args.at(-2) ?? "", args.at(-1) ?? "") ? 0 : 1);
    case "fetch":
      return (await here().point(machine, "fetch", true)) === "answered" ? answered() : noAnswer;
    case "ls-remote": {
      const ref = args.at(-1) ?? "";
      const outcome = await here().point(machine, `read ${ref}`, true);
      const commit = outcome === "answered" ? (here().refs.get(ref) ?? null) : null;
      here().saw(machine, `${commit}`);
      return outcome === "answered" ? answered(commit === null ? "" : `${commit}\t${ref}\n`) : noAnswer;
    }
    case "push":
      return await push(machine, args, flag);
    default:
      throw new Error(`no git ${args.join(" ")} over the network`);
  }
}

async function push(machine: Machine, args: readonly string[], flag: string | undefined): Promise<NetworkEnd> {
  const [commit = "", ref = ""] = (args.at(-1) ?? "").split(":");
  const lease = /^--force-with-lease=[^:]*:(.*)$/.exec(flag ?? "")?.[1];
  const expected = lease === "" ? null : lease;
  const outcome: Outcome = await here().point(machine, `push ${ref} ${commit}`, true);
  const step = { ref, expected, commit };
  if (outcome === "late") here().late.push(step);
  const arrives = outcome === "answered" || outcome === "unanswered";
  const isForced = flag?.startsWith("--force=") === true;
  if (arrives && isForced) here().move(ref, commit);
  const taken = arrives && (isForced || here().swap(step));
  here().saw(machine, `${taken}`);
  if (outcome !== "answered") return noAnswer;
  return taken ? answered() : answered(`!\t${commit}:${ref}\t[rejected] (stale info)\n`, 1);
}

// fleet

/** One more attempt, and then no time is left. */
export function waitUntil(ports: PassPorts): WaitUntil {
  let left = 1;
  return async () => {
    const machine = machineAt(ports.cwd);
    await here().point(machine, "wait");
    left -= 1;
    return left >= 0;
  };
}

export async function fetchMirror(request: { readonly mirror: string }): Promise<Mirror | string> {
  const machine = machineAt(request.mirror);
  if ((await here().point(machine, "fetch all", true)) !== "answered") return "no answer";
  const refs = new Map(here().refs);
  here().saw(machine, JSON.stringify([...refs]));
  return {
    place: placeAt(request.mirror),
    commitOf: (ref) => refs.get(ref) ?? null,
    isEmpty: false,
    head: "refs/heads/main",
  };
}

export async function openBranch({ place }: ClaimContext, mirror: Mirror): Promise<OpenBranch> {
  const machine = machineAt(place.clone);
  const tip = mirror.commitOf(branch);
  const base = tip ?? mirror.commitOf("refs/heads/main") ?? "";
  here().change(machine);
  machine.clone = { head: base, holds: here().holdsOf(base) };
  const git = { ...placeAt(place.clone), top: place.clone };
  const clone = { git, settings: { own: [], repo: [] } };
  const layout = { base: null } as unknown as OpenBranch["layout"];
  return { clone, taskDir: join(place.clone, "T-1"), ref: branch, tip, base, fleet: null, layout };
}

export async function openCode(_context: ClaimContext, opened: OpenBranch) {
  return { branch: opened, code: null };
}

export function requireOwnRepo(): void {}

/** The files of a clone are whole here. */
export async function mendTorn(): Promise<void> {}

export async function findMet() {
  return { met: new Set(), unmerged: new Set() };
}

export async function forgetPass(): Promise<void> {}

export async function dropClone(
  { place }: ClaimContext,
  _taskDir: string | null,
  lost: string | null = null,
): Promise<void> {
  const machine = machineAt(place.clone);
  here().change(machine);
  if (lost !== null) machine.keptTrees.push(lost.slice(folder.length));
  machine.clone = null;
  removeNote(place.note);
}
