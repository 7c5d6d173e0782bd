import { spawn, spawnSync } from "node:child_process";
import { accessSync, appendFileSync, chownSync, constants, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { EnginePlace } from "../../../lib/fleet/engine/engine.ts";

/** A PostgreSQL of one test file, in a temporary folder and reached by a socket in it. */
export interface Postgres {
  /** Its own binaries, such as `psql`. */
  readonly bin: string;
  readonly folder: string;
  /** The database, through the socket. */
  readonly url: string;
  /** An engine in this database; each test takes a schema of its own. */
  place(schema: string, change?: Partial<EnginePlace>): EnginePlace;
  /** As a crash or as an orderly end. */
  stop(mode: "immediate" | "fast"): void;
  start(): void;
  /** Ends it and removes the folder. The same happens when this process ends without it, however it ends. */
  remove(): Promise<void>;
}

/** Why the tests of the engine cannot run here; false if they can, or if somebody asked for them. */
export const missing: string | false = process.env.ENGINE_REQUIRED === "1" ? false : findMissing();

/** The server refuses to run as root. */
const nobody = 65_534;
const urlEnv = "TEST_ENGINE_URL";
/** Far from UTC, so that whatever takes a day from the time zone of the server is wrong for most of each day. */
const settings = (folder: string) => `
listen_addresses = ''
unix_socket_directories = '${folder}'
max_connections = 120
fsync = off
full_page_writes = off
timezone = 'Pacific/Kiritimati'
log_min_messages = warning
log_lock_waits = on
deadlock_timeout = 200ms
`;

export function startPostgres(): Postgres {
  const bin = findBinaries();
  if (bin === null) throw new Error("PostgreSQL is not installed");
  const folder = mkdtempSync(path.join(tmpdir(), "tp-pg-"));
  const who = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  if (who.uid !== undefined) chownSync(folder, who.uid, who.gid);
  const data = path.join(folder, "data");
  const run = (program: string, ...args: string[]) => {
    // The server inherits what is not closed here, and would keep a pipe open.
    const options = { ...who, cwd: folder, stdio: "ignore" as const, timeout: 120_000 };
    const { status, error } = spawnSync(path.join(bin, program), args, options);
    if (status !== 0)
      throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? status}${readLog(folder)}`);
  };
  // It reads until this process is gone, and knows the server by the pid in its folder, however often that was started.
  const guard = spawn(
    "sh",
    ["-c", 'cat > /dev/null; "$1/pg_ctl" -D "$2/data" stop -m immediate -s; cd /; rm -rf "$2"', "sh", bin, folder],
    { ...who, cwd: folder, detached: true, stdio: ["pipe", "ignore", "ignore"] },
  );
  guard.unref();
  run("initdb", "-D", data, "-U", "tests", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C");
  appendFileSync(path.join(data, "postgresql.conf"), settings(folder));
  const start = () => run("pg_ctl", "-D", data, "-l", path.join(folder, "log"), "-w", "-s", "start");
  start();
  const url = `postgres://tests@localhost/postgres?host=${encodeURIComponent(folder)}`;
  return {
    bin,
    folder,
    url,
    place: (schema, change = {}) => ({
      urlEnv,
      schema,
      heartbeatMs: 10_000,
      env: { [urlEnv]: url },
      cwd: process.cwd(),
      ...change,
    }),
    stop: (mode) => run("pg_ctl", "-D", data, "-m", mode, "-w", "-s", "stop"),
    start,
    remove: async () => {
      const ended = new Promise((resolve) => guard.once("exit", resolve));
      guard.ref();
      guard.stdin.end();
      await ended;
    },
  };
}

/** What the server wrote: its refusals, deadlocks and crashes. */
export function readLog(folder: string): string {
  try {
    return readFileSync(path.join(folder, "log"), "utf8");
  } catch {
    return "";
  }
}

/** Debian keeps them out of PATH, in a folder for each version. */
function findBinaries(): string | null {
  const debian = "/usr/lib/postgresql";
  const versions = listFolder(debian).sort((one, other) => Number(other) - Number(one));
  const places = [
    ...versions.map((version) => path.join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(":"),
  ];
  return (
    places.find((place) => ["initdb", "pg_ctl", "postgres"].every((name) => canRun(path.join(place, name)))) ?? null
  );
}

function findMissing(): string | false {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 12)) return "the engine needs Node 22.12 or newer";
  return findBinaries() === null ? "PostgreSQL (initdb, pg_ctl, postgres) is not installed" : false;
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
