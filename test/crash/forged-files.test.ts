import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { sha256 } from "../../lib/text/sha256.ts";
import type { RunEnd } from "../cli/arrange.ts";
import { makeBranchWorld } from "../cli/branch-world.ts";
import { type Chance, chanceOf } from "../simulation/seeded.ts";
import { type CrashWorld, lookAtTask, makeCrashWorld, type Standing } from "./crash-world.ts";
import { cutOffAtWork } from "./cut-off-at-work.ts";

const mostKilobytes = 200 * 1024;
/** CPU time beyond that of the same command with honest files; what is large is compared, copied and cleaned of secrets. */
const mostExtraMs = (way: string) => (way === "300 MB" ? 8_000 : 1_000);
/** Each file in each way takes minutes: every so many of them, unless all are asked for. */
const every = Number(process.env.TASK_PHASE_FAULT_STEP ?? "88");
const seed = Number(process.env.TASK_PHASE_CRASH_SEED ?? "1");
const usage = `--import=${pathToFileURL(path.join(import.meta.dirname, "report-usage.js")).href}`;

interface Forging {
  readonly file: string;
  /** As it was some passes ago; null: it was not there. */
  readonly old: Buffer | null;
}

/** What somebody could do to a file. False: not to this one. */
const ways: Readonly<Record<string, (forging: Forging) => boolean>> = {
  "says that the task is done": ({ file }) => forge(file, file),
  "random bytes": ({ file }) => put(file, Buffer.from(Array.from({ length: 999 }, (_, at) => (at * 7919 + 13) % 251))),
  "an old copy": ({ file, old }) => old !== null && put(file, old),
  "a link": ({ file }) => {
    if (!forge(file, `${file}.elsewhere`)) return false;
    rmSync(file);
    symlinkSync(`${file}.elsewhere`, file);
    return true;
  },
  "a pipe": ({ file }) => {
    rmSync(file);
    return spawnSync("mkfifo", [file]).status === 0;
  },
  "a folder": ({ file }) => {
    rmSync(file);
    mkdirSync(file);
    return put(path.join(file, "inside"), Buffer.from("inside"));
  },
  "300 MB": ({ file }) => {
    truncateSync(file, 300 * 1024 * 1024);
    return true;
  },
  unreadable: ({ file }) => {
    // Root may read all.
    if (process.geteuid?.() === 0) return false;
    chmodSync(file, 0);
    return true;
  },
};

/** The same bytes with a few changes that a seed chooses. */
const editsOfFile = 13;
const edits = Object.fromEntries(
  Array.from({ length: editsOfFile }, (_, nth) => [
    `edited at random, seed ${seed}, ${nth}`,
    ({ file }: Forging) => rewrite(file, file, (body) => editAtRandom(body, chanceOf(seed, path.basename(file), nth))),
  ]),
);

function put(file: string, bytes: Buffer): boolean {
  writeFileSync(file, bytes);
  return true;
}

/** The same with another phase and verdict. */
function forge(file: string, to: string): boolean {
  return rewrite(file, to, (body) => {
    const text = body.toString("latin1").replace(/\bimplement\b/g, "done");
    return Buffer.from(text.replace(/\b(?:no_progress|interrupted)\b/g, "accepted"), "latin1");
  });
}

/** With the right digest where the file begins with one. */
function rewrite(file: string, to: string, change: (body: Buffer) => Buffer): boolean {
  const bytes = readFileSync(file);
  const hasDigest = bytes.toString("latin1", 0, 64) === sha256(bytes.subarray(64));
  const body = change(bytes.subarray(hasDigest ? 64 : 0));
  return put(to, hasDigest ? Buffer.concat([Buffer.from(sha256(body)), body]) : body);
}

const hostile = [
  "\0",
  "\n",
  "\xff\xfe",
  "\r\n---\n",
  '"',
  "{",
  "]".repeat(2_000),
  "[".repeat(20_000),
  "- Phase: done\n",
];
hostile.push(...["null", "-1", "1e999", "../../..", "\u2028", "<!--", "&a *a", "x".repeat(70_000), '{"__proto__":{}}']);

function editAtRandom(bytes: Buffer, chance: Chance): Buffer {
  let text = bytes.toString("latin1");
  for (let count = chance.between(1, 4); count > 0; count -= 1) {
    const [from, size] = [chance.between(0, text.length), chance.between(0, 60)];
    const [before, cut, after] = [text.slice(0, from), text.slice(from, from + size), text.slice(from + size)];
    const added = Buffer.from(chance.pick(hostile)).toString("latin1");
    text = chance.pick([
      before,
      before + after,
      before + cut + cut + after,
      before + added + after,
      before + added + cut + after,
    ]);
  }
  return Buffer.from(text, "latin1");
}

/** The files of these folders, one of each kind: names that differ in digests, numbers and times alone are one kind. */
function listKept(world: Pick<CrashWorld, "exists" | "path">, roots: readonly string[]): string[] {
  const files = roots
    .filter((name) => world.exists(name))
    .flatMap((root) =>
      readdirSync(world.path(root), { recursive: true, encoding: "utf8" }).map((name) => path.join(root, name)),
    );
  const plain = files.filter((name) => lstatSync(world.path(name)).isFile() && !ofGitOrAgent.test(name));
  const kinds = new Map(plain.sort().map((name) => [name.replace(/[0-9a-f]{8,}|\d+/g, "*"), name]));
  return [...kinds.values()];
}

/** What git alone reads, and what the agent writes and no run takes for its own. */
const ofGitOrAgent = /\/objects\/|\/(?:clones|views|land|files|lost)\/\w+\/[^/]+\/(?!\.git\/task-phase)/;

interface Called {
  readonly code: number;
  readonly errors: readonly string[];
  readonly stdout: string;
  readonly cpuMs: number;
  /** What is wrong, whatever was forged. */
  readonly wrong: string | null;
}

/** How a command ended that left its usage in this file. */
function readCall(end: RunEnd, file: string, honest: Called | null, most = 0): Called {
  const called = { code: end.code ?? -1, errors: [], stdout: end.stdout, cpuMs: 0 };
  if (end.signal !== null) return { ...called, wrong: `ends with ${end.signal}` };
  if (!end.stdout.startsWith("{")) return { ...called, wrong: `says ${end.stdout}${end.stderr}` };
  const { exit_code: code, findings } = end.json() as {
    exit_code: number;
    findings: { code: string; severity: string }[];
  };
  const errors = findings.filter(({ severity }) => severity === "error").map((finding) => finding.code);
  const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(readFileSync(file, "utf8")) as NodeJS.ResourceUsage;
  rmSync(file);
  const cpuMs = (userCPUTime + systemCPUTime) / 1_000;
  const wrong =
    code !== end.code || errors.includes("TP_UNEXPECTED")
      ? `ends with ${end.code}: ${end.stdout}`
      : maxRSS > mostKilobytes
        ? `takes ${Math.round(maxRSS / 1024)} MB`
        : honest !== null && cpuMs > honest.cpuMs + most
          ? `takes ${Math.round(cpuMs)} ms, and ${Math.round(honest.cpuMs)} ms with honest files`
          : null;
  return { ...called, errors, cpuMs, wrong };
}

async function judge(world: CrashWorld, before: Standing, honest: Called, most: number): Promise<string | null> {
  const { wrong, code, errors, stdout } = await callNext(world, honest, most);
  if (wrong !== null) return wrong;
  if (code !== 64 && errors.length === 0) return `ends with ${code} and says nothing: ${stdout}`;
  // Refused: a person restores what is wrong, and nothing was decided.
  const isRefused = !errors.includes("TP_MODEL_UNKNOWN");
  const journal = world.path("tasks/T-1/artifacts/journal.jsonl");
  if (isRefused && !(existsSync(journal) && lstatSync(journal).isFile())) return null;
  const now = lookAtTask(world);
  if (!isRefused && now.state !== before.state) return "STATE.md is not the accepted one";
  if (!isRefused && !now.journal.startsWith(before.journal)) return "the journal does not go on from where it was";
  const fresh = now.journal.startsWith(before.journal) ? now.journal.slice(before.journal.length) : "";
  return /"verdict":"(?!interrupted)/.test(fresh) ? `accepts: ${fresh}` : null;
}

async function callNext(world: CrashWorld, honest: Called | null, most = 0): Promise<Called> {
  const file = world.path("usage.json");
  return readCall(await world.start("nobody", { env: { NODE_OPTIONS: usage, USAGE_FILE: file } }), file, honest, most);
}

interface Subject {
  readonly path: (...parts: string[]) => string;
  readonly old: ReadonlyMap<string, Buffer>;
  reset(): void;
  /** Of the command behind the forged file, which may take so much more time. */
  judge(file: string, mostMs: number): Promise<string | null>;
}

const notThis = "this file cannot be forged so";

/** Forges one file after the other in each way, and judges what the next command makes of it. */
async function forgeEach(t: TestContext, subject: Subject, files: readonly string[], least: number): Promise<void> {
  const all = Object.entries({ ...ways, ...edits });
  const cases = files.flatMap((file) => all.map(([way, change]) => ({ file, way, change })));
  const wrong: string[] = [];
  let tried = 0;
  for (const { file, way, change } of cases.filter((_, at) => (at + seed) % every === 0)) {
    const tryOnce = async (): Promise<string | null> => {
      subject.reset();
      if (!change({ file: subject.path(file), old: subject.old.get(file) ?? null })) return notThis;
      return await subject.judge(file, mostExtraMs(way));
    };
    const first = await tryOnce();
    if (first === notThis) continue;
    tried += 1;
    // A storm of forks beside it, as another test makes one, costs it CPU time too: only what takes long twice is wrong.
    const problem = first?.startsWith("takes") === true ? await tryOnce() : first;
    if (problem !== null) wrong.push(`${file}: ${way}: ${problem.slice(0, 500)}`);
  }
  t.diagnostic(`${tried} of ${cases.length} cases, ${files.length} files`);
  assert.deepEqual(wrong, []);
  assert(files.length >= least, `only ${files.length} files: ${files.join(", ")}`);
}

const readAll = (world: Pick<CrashWorld, "path">, files: readonly string[]) =>
  new Map(files.map((name) => [name, readFileSync(world.path(name))]));

test("whatever becomes of a file of a task, the next run takes no move from it, or says what is wrong", async (t) => {
  const world = await makeCrashWorld(t);
  const list = () => listKept(world, ["state", "home/.cache", "tasks"]);
  await world.until("shape");
  const old = readAll(world, list());
  await world.until("implement");
  await world.inside("status", []);
  const before = await cutOffAtWork(world);
  const files = list();
  const honest = await callNext(world, null);
  assert.deepEqual([honest.code, honest.wrong], [64, null], honest.stdout);
  await forgeEach(t, { ...world, old, judge: (_, most) => judge(world, before, honest, most) }, files, 40);
});

test("whatever becomes of a cache of clones, lists and proofs, the next command takes nothing from it, or says what is wrong", async (t) => {
  const world = makeBranchWorld(t, { "T-1": {} });
  const caches = ["state", "home/.cache"];
  const check = ["prove", "--check", "sh -c 'test ! -f broken-T-1'"];
  world.write("repo/work.txt", "second\n");
  await world.ends(0, ...check);
  await world.ends(0, "run", "T-1");
  const old = readAll(world, listKept(world, caches));
  const stop = JSON.stringify({ session_id: "one", cwd: world.path("repo"), hook_event_name: "Stop" });
  await world.run("task-phase", [...check, "--hook"], { cwd: "repo", input: stop });
  world.write("repo/tasks/T-1/CONTROL.md", "- PAUSE for a while\n");
  await world.run("task-phase", ["run", "T-1"], { cwd: "repo" });
  rmSync(world.path("repo/tasks/T-1/CONTROL.md"));
  await world.ends(0, "run", "T-1");
  await world.run("task-phase", ["show", "T-1"], { cwd: "repo" });
  const kept = `${world.folder}.kept`;
  t.after(() => rmSync(kept, { recursive: true, force: true }));
  const copy = (from: string, to: string) => {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  };
  copy(world.folder, kept);
  const call = async (words: readonly string[], honest: Called | null, most = 0): Promise<Called> => {
    const file = world.path("usage.json");
    const options = { cwd: "repo", env: { NODE_OPTIONS: usage, USAGE_FILE: file } };
    return readCall(await world.run("task-phase", [...words, "--json"], options), file, honest, most);
  };
  const next = ["run", "T-1", "--model", "nobody"];
  const journal = () => world.onBranch("T-1", "artifacts/journal.jsonl");
  const before = journal();
  const honest = { prove: await call(check, null), next: await call(next, null) };
  const judgeCache = async (file: string, most: number): Promise<string | null> => {
    const isProof = /\/(?:prove|hooks)\//.test(file);
    const usual = isProof ? honest.prove : honest.next;
    const { wrong, code, errors, stdout } = await call(isProof ? check : next, usual, most);
    if (wrong !== null) return wrong;
    if (code !== usual.code && errors.length === 0) return `ends with ${code} and says nothing: ${stdout}`;
    const now = journal();
    if (!now.startsWith(before)) return "the journal does not go on from where it was";
    return /"verdict":"(?!interrupted)/.test(now.slice(before.length)) ? `accepts: ${now.slice(before.length)}` : null;
  };
  const reset = () => copy(kept, world.folder);
  reset();
  await forgeEach(t, { ...world, old, reset, judge: judgeCache }, listKept(world, caches), 10);
});
