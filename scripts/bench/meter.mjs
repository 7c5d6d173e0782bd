import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command } from "./checkout.mjs";

const preload = fileURLToPath(new URL("note-rss.cjs", import.meta.url));
// bash has the only clock of a whole process tree that a plain Debian brings: getrusage of its children, to the
// millisecond. It counts every process that somebody waited for.
const script = 'TIMEFORMAT="%3U %3S"; out=$1; err=$2; shift 2; time "$@" > "$out" 2> "$err" < /dev/null';

let profiles = null;

/** From now on each run of the command itself leaves a CPU profile, in a folder of its own in this one. */
export function profileInto(folder) {
  profiles = folder;
}

/**
 * Runs a program to its end. `cpuMs` is user and system time of it and of every process below it; `rssMb`, in MiB, is
 * the peak of the largest Node process among them, or null where it was not asked for; `profile` is the folder of its
 * CPU profile, or null. Throws with what the program said if its exit code is not one of `codes`.
 */
export function runMetered(argv, { cwd, env, rss = false, codes = [0] }) {
  const folder = mkdtempSync(join(tmpdir(), "bench-meter-"));
  try {
    const [out, err, note] = ["out", "err", "rss"].map((name) => join(folder, name));
    const added = rss ? { NODE_OPTIONS: `--require=${preload}`, BENCH_RSS_FILE: note } : {};
    const profile = profiles !== null && argv[0] === command ? mkdtempSync(join(profiles, "run-")) : null;
    const words =
      profile === null ? argv : ["node", "--cpu-prof", "--cpu-prof-interval=250", `--cpu-prof-dir=${profile}`, ...argv];
    const end = spawnSync("bash", ["-c", script, "meter", out, err, ...words], {
      cwd,
      env: { ...env, ...added },
      encoding: "utf8",
    });
    const times = /^(\d+\.\d+) (\d+\.\d+)$/m.exec(end.stderr ?? "");
    if (times === null || !codes.includes(end.status)) {
      const said = [out, err].map((file) => (existsSync(file) ? readFileSync(file, "utf8").slice(-2000) : "")).join("");
      throw new Error(`${argv.join(" ")} ended with ${end.status ?? end.error}: ${end.stderr}${said}`);
    }
    const cpuMs = Math.round((Number(times[1]) + Number(times[2])) * 1000);
    return { cpuMs, rssMb: rss ? readPeak(note) : null, profile };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readPeak(note) {
  const peaks = readFileSync(note, "utf8").trim().split("\n").map(Number);
  return Math.round(Math.max(...peaks) / 1024);
}
