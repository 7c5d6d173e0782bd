import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
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
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { sha256 } from "../../lib/text/sha256.ts";
import { type CrashWorld, lookAtTask, makeCrashWorld, type Standing } from "./crash-world.ts";
import { cutOffAtWork } from "./cut-off-at-work.ts";

const mostKilobytes = 200 * 1024;
/** Each file in each way takes minutes: every so many of them, unless all are asked for. */
const every = process.env.TASK_PHASE_FAULT_STEP === "1" ? 1 : 9;
const usage = pathToFileURL(path.join(import.meta.dirname, "report-usage.js")).href;

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

function put(file: string, bytes: Buffer): boolean {
  writeFileSync(file, bytes);
  return true;
}

/** The same with another phase and verdict, and the right digest where it begins with one. */
function forge(file: string, to: string): boolean {
  const bytes = readFileSync(file);
  const hasDigest = bytes.toString("latin1", 0, 64) === sha256(bytes.subarray(64));
  const text = bytes
    .toString("latin1")
    .replace(/\bimplement\b/g, "done")
    .replace(/\b(?:no_progress|interrupted)\b/g, "accepted");
  const body = Buffer.from(text, "latin1").subarray(hasDigest ? 64 : 0);
  return put(to, hasDigest ? Buffer.concat([Buffer.from(sha256(body)), body]) : body);
}

/** The files that the runner keeps, one of each kind: names that differ in digests, numbers and times alone are one kind. */
function listKept(world: CrashWorld): string[] {
  const roots = ["state", "home/.cache", "tasks/.task-phase", "tasks/T-1"].filter((name) => world.exists(name));
  const files = roots.flatMap((root) =>
    readdirSync(world.path(root), { recursive: true, encoding: "utf8" }).map((name) => path.join(root, name)),
  );
  const plain = files.filter(
    (name) => lstatSync(world.path(name)).isFile() && !/T-1\/(?:STATE|README)\.md$/.test(name),
  );
  const kinds = new Map(plain.sort().map((name) => [name.replace(/[0-9a-f]{8,}|\d+/g, "*"), name]));
  return [...kinds.values()];
}

async function judge(world: CrashWorld, before: Standing): Promise<string | null> {
  const file = world.path("usage.json");
  rmSync(file, { force: true });
  const env = { NODE_OPTIONS: `--import=${usage}`, USAGE_FILE: file };
  const end = await world.start("nobody", { env });
  if (end.signal !== null) return `ends with ${end.signal}`;
  const { exit_code: code, findings } = end.json() as {
    exit_code: number;
    findings: { code: string; severity: string }[];
  };
  const errors = findings.filter(({ severity }) => severity === "error").map((finding) => finding.code);
  if (code !== end.code || errors.includes("TP_UNEXPECTED")) return `ends with ${end.code}: ${end.stdout}`;
  if (code !== 64 && errors.length === 0) return `ends with ${code} and says nothing: ${end.stdout}`;
  const { maxRSS } = JSON.parse(readFileSync(file, "utf8")) as { maxRSS: number };
  if (maxRSS > mostKilobytes) return `takes ${Math.round(maxRSS / 1024)} MB`;
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

test("whatever becomes of a file that the runner keeps, the next run takes no move from it, or says what is wrong", async (t) => {
  const world = await makeCrashWorld(t);
  await world.until("shape");
  const old = new Map(listKept(world).map((name) => [name, readFileSync(world.path(name))]));
  await world.until("implement");
  await world.inside("status", []);
  const before = await cutOffAtWork(world);
  const files = listKept(world);
  const cases = files.flatMap((file) => Object.entries(ways).map(([way, change]) => ({ file, way, change })));
  const wrong: string[] = [];
  let tried = 0;
  for (const { file, way, change } of cases.filter((_, at) => at % every === 0)) {
    world.reset();
    if (!change({ file: world.path(file), old: old.get(file) ?? null })) continue;
    tried += 1;
    const problem = await judge(world, before);
    if (problem !== null) wrong.push(`${file}: ${way}: ${problem}`);
  }
  t.diagnostic(`${tried} of ${cases.length} cases, ${files.length} files`);
  assert.deepEqual(wrong, []);
  assert(files.length > 25, `only ${files.length} files: ${files.join(", ")}`);
});
