import { existsSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { findCarried } from "../checks/proof/carry.ts";
import { judgeCommands } from "../checks/require-ready.ts";
import { checkEnvironment } from "../checks/runs/environment.ts";
import { foretellTroubles } from "../checks/runs/foretell-trouble.ts";
import { type LoadedConfig, loadConfig } from "../documents/config/load-config.ts";
import { type Contract, type ContractCheck, slugOf } from "../documents/contract.ts";
import { applyDefaults } from "../documents/contract-defaults.ts";
import { packageVersion } from "../documents/templates/package-files.ts";
import { takeFingerprint } from "../git/fingerprint.ts";
import { readHead } from "../git/head.ts";
import { findGitPlace, findLostGit, type GitPlace } from "../git/place.ts";
import { runGit } from "../git/run-git.ts";
import { listHidden } from "../git/sort-delivery.ts";
import { type Proven, provenShape } from "../rules/shapes/reports/prove.ts";
import { checkSources, findChecks } from "../scaffold/init/find-checks.ts";
import { removeAll, statEntry } from "../store/folder.ts";
import { tryLock } from "../store/lock.ts";
import { putFile } from "../store/put-file.ts";
import { readRegularFile } from "../store/read-file.ts";
import { removeTree } from "../store/remove-tree.ts";
import { cacheHome, namesIn, openPrivateFolder } from "../store/state-home.ts";
import type { PassPorts } from "../task/records/ports.ts";
import { lockedError, TaskPhaseError, usageError } from "../text/errors.ts";
import type { Finding } from "../text/finding.ts";
import { msBetween } from "../text/moment.ts";
import { sha256 } from "../text/sha256.ts";
import { readShape } from "../text/shape.ts";
import { splitShellWords } from "../text/shell-words.ts";
import { shorten } from "../text/shorten.ts";
import { type Base, findBase } from "./find-base.ts";
import { type Late, proveChange } from "./prove-change.ts";
import { listTaskFiles } from "./task-files.ts";

export interface ProveCall {
  /** A folder in the repo. */
  readonly folder: string;
  /** The revision to compare with; null: the default branch. */
  readonly base: string | null;
  /** Command lines; none: those of task-phase.yaml, else the test command that the repo names. */
  readonly checks: readonly string[];
  /** When the work began, where the default branch itself has it; null: it is not committed there. */
  readonly since: Date | null;
  /** Whether checks pass and tests were weakened, and no more: the base's code and wrong versions are not tried. */
  readonly quick: boolean;
  /** --config. */
  readonly config: string | null;
  /** The absolute path of a page that this call writes: no part of the change. */
  readonly page: string | null;
  /** When to judge by what ran until then; null: never. */
  readonly late: Late | null;
}

export interface ProveEnd {
  /** The top of its work tree. */
  readonly repo: string;
  readonly proven: Proven;
  readonly base: Base;
  /** Nothing ran: the same was proven before. */
  readonly known: boolean;
  /** Why a check that failed cannot work here, where files of the repo show it. */
  readonly findings: readonly Finding[];
}

/**
 * Proves the change of a repo, and writes nothing in it. Null after a signal. A usage error without git, a commit or a
 * check; a locked error while another call works on the repo. Throws TP_GIT and TP_DISK.
 */
export async function runProve(call: ProveCall, ports: PassPorts): Promise<ProveEnd | null> {
  const place = findGitPlace(call.folder);
  if (place === null) {
    const { message, ...where } = findLostGit(call.folder) ?? {
      message: "this folder is in no git repository, so nothing says what changed",
      file: call.folder,
      fix: "go to the repo; without one: git init, and commit what was there before the change",
    };
    throw usageError("TP_PROVE_NO_GIT", message, where);
  }
  const base = await findBase(place, call.base, call.since, ports.env);
  const config = configOf(place, call, ports);
  const contract = asked(contractOf(place, call, config), call);
  const missing = judgeCommands(contract.validators, null, place.top, ports.env);
  if (missing.length > 0 && call.checks.length > 0) throw new TaskPhaseError("usage", missing);
  if (missing.length > 0)
    throw new TaskPhaseError(
      "config",
      missing.map((one) => ({ ...one, fix: `${one.fix}; --check 'COMMAND' names one for this call` })),
    );
  const home = cacheHome(ports.env, ports.home);
  // A hook's short proof takes nothing from a whole one: neither its turn nor what is kept of it.
  const own = join(home, "prove", `${sha256(place.top).slice(0, 16)}${call.quick ? "-hook" : ""}`);
  for (const folder of [home, join(home, "prove"), own]) openPrivateFolder(folder);
  const lock = tryLock(join(own, "lock"));
  if (lock === null)
    throw lockedError("TP_LOCKED", "another task-phase prove works on this repo", { fix: "wait for it to end" });
  try {
    const leaveOut = [
      own,
      ...(call.page === null ? [] : [call.page]),
      ...(await listTaskFiles(place, base.commit, ports.env)),
    ];
    const fingerprint = await takeFingerprint(place.top, leaveOut, ports.env);
    const carried = findCarried(place.top, fingerprint.entries.keys(), contract.proof.carry);
    const inputs = [
      packageVersion(),
      process.version,
      Object.entries(checkEnvironment(ports.env))
        .filter(([name]) => !fleeting.test(name))
        .sort(),
      base.commit,
      fingerprint.hash,
      await stampHidden(place, ports.env),
      contract,
      config.sandbox,
    ];
    const key = sha256(JSON.stringify([...inputs, ...stampDependencies(place.top, carried)]));
    const known = readKnown(own, key, contract.proof.freshMs, ports.now());
    if (known !== null) return { repo: place.top, proven: known, base, known: true, findings: [] };
    const began = ports.now();
    const [folder, logs] = [join(own, "run"), join(own, "logs")];
    // Of a call that was killed.
    removeTree(folder);
    removeAll(logs);
    openPrivateFolder(folder);
    const found = await proveChange(
      { place, base, fingerprint, leaveOut, contract, config, folder, logs, late: call.late },
      ports,
    );
    if (found === null) return null;
    const at = ports.now();
    const proven = { ...found, duration_ms: Math.round(msBetween(began, at)), at: at.toISOString() };
    const failed = proven.matrix?.clean?.results.filter(({ status }) => status !== "pass") ?? [];
    // What fails may fail for a reason outside of the repo, so that the next call runs it again.
    const isSettled =
      call.late?.signal.aborted !== true &&
      proven.matrix?.clean !== null &&
      failed.length === 0 &&
      proven.matrix?.steadiness === undefined;
    if (isSettled) saveProven(own, key, proven);
    const ground = { repo: place.top, env: ports.env, home: ports.home, commits: null, tasks: null };
    return { repo: place.top, proven, base, known: false, findings: foretellTroubles(failed, ground, place.top) };
  } finally {
    lock.release();
  }
}

function asked(contract: Contract, { quick }: ProveCall): Contract {
  if (!quick) return contract;
  return { ...contract, proof: { ...contract.proof, without: "off", wrong: { ...contract.proof.wrong, mode: "off" } } };
}

/** The configuration of the repo's tasks root if there is one; else the one that a task in the repo would find. */
function configOf({ top }: GitPlace, { config: configFlag }: ProveCall, { env, home, cwd }: PassPorts): LoadedConfig {
  const tasks = join(top, "tasks");
  const from = existsSync(join(tasks, "task-phase.yaml")) ? tasks : top;
  return loadConfig({ configFlag, env, home, cwd, taskDir: join(from, "any") });
}

/** Variables that differ from one terminal or call to the next; no check depends on them. */
const fleeting =
  /^(?:_|SHLVL|(?:OLD)?PWD|COLUMNS|LINES|TERM.*|WINDOWID|SSH_.*|SESSION_MANAGER|(?:.*_)?SESSION(?:_ID|_NAME)?|DBUS_SESSION_BUS_ADDRESS|.*_PID)$/;

const checkMs = 10 * 60_000;
const longestName = 40;

function contractOf({ top }: GitPlace, { folder, checks }: ProveCall, { defaults }: LoadedConfig): Contract {
  const given = checks.map(commandOf);
  const written = given.length > 0 ? given : (defaults.validators ?? []);
  const found = written.length > 0 ? [] : findChecks(top, folder).checks.filter(({ name }) => name === "tests");
  const validators = [...written, ...found.slice(0, 1).map(({ name, command }) => checkOf(name, command))];
  if (validators.length > 0) return applyDefaults({ id: "change", title: "", validators: apart(validators) }, defaults);
  throw usageError("TP_PROVE_NO_CHECK", `no check: looked from here to the top of the repo for ${checkSources}`, {
    file: top,
    fix: "name it: task-phase prove --check 'npm test'",
  });
}

function checkOf(name: string, command: readonly string[]): ContractCheck {
  return { name, command: [...command], timeoutMs: checkMs, required: true, expect: { minTests: null, output: null } };
}

/** What only a shell understands runs in one: a person typed it for this call. */
function commandOf(line: string): ContractCheck {
  const split = splitShellWords(line);
  const [first = ""] = split.kind === "words" ? split.words : [];
  if (line.trim() === "")
    throw usageError("TP_PROVE_CHECK", "--check: no command", { fix: "write --check 'npm test'" });
  const plain = split.kind === "words" && !first.includes("=") ? split.words : ["sh", "-c", line];
  return checkOf(shorten(line.trim(), longestName), plain);
}

/** Each has a log of its own, named after it. */
function apart(checks: readonly ContractCheck[]): ContractCheck[] {
  const taken = new Set<string>();
  return checks.map((check) => {
    let name = check.name;
    for (let number = 2; taken.has(slugOf(name)); number += 1) name = `${check.name} ${number}`;
    taken.add(slugOf(name));
    return { ...check, name };
  });
}

const knownShape = v.object({ key: v.string(), proven: provenShape });
const mostKnownBytes = 64 * 1024 * 1024;
const knownFile = "known.json";

/** What was proven of exactly these inputs at most so long ago; null if nothing was, or its logs are gone. */
function readKnown(folder: string, key: string, freshMs: number, now: Date): Proven | null {
  const read = readRegularFile(join(folder, knownFile), mostKnownBytes);
  const known = read.kind === "file" ? readShape(knownShape, read.bytes) : null;
  if (known?.kind !== "read" || known.value.key !== key) return null;
  const age = now.getTime() - Date.parse(known.value.proven.at);
  return age >= 0 && age < freshMs ? known.value.proven : null;
}

function saveProven(folder: string, key: string, proven: Proven): void {
  putFile(join(folder, knownFile), JSON.stringify({ key, proven }), { mode: 0o600, durable: false });
}

/**
 * Says whether folders of dependencies are as they were: by the times of what is up to three levels deep in them, where
 * package managers put and remove packages. What somebody edits deeper in a package is not seen.
 */
function stampDependencies(repo: string, folders: readonly string[]): string[] {
  const stamp = (path: string, depth: number): string[] => {
    const stats = statEntry(path);
    const inside = depth === 0 || stats?.isDirectory() !== true ? [] : namesIn(path);
    return [
      `${path} ${stats?.ctimeMs ?? "gone"}`,
      ...inside.flatMap((name) =>
        statEntry(join(path, name))?.isDirectory() ? stamp(join(path, name), depth - 1) : [],
      ),
    ];
  };
  return folders.flatMap((folder) => stamp(join(repo, folder), 3));
}

/** Of what git hides in the working tree the commit and the index say more than the fingerprint; null if it hides nothing. */
async function stampHidden(place: GitPlace, env: NodeJS.ProcessEnv): Promise<string | null> {
  if ((await listHidden(place, env)).size === 0) return null;
  const { stdout } = await runGit(place, ["ls-files", "--stage", "-z"], { env });
  return `${(await readHead(place, env))?.commit} ${sha256(stdout)}`;
}
