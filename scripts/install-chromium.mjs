import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];
const packages = ["chromium", "fonts-dejavu-core"];
const longestUpdateMs = 2 * 60_000;
const longestInstallMs = 6 * 60_000;

/**
 * A Chromium that runs: CHROMIUM_PATH, else the first on PATH, else Debian's, which is installed where that can be
 * done. Returns its `path` and `version`, or the `problem` that kept it from being had.
 */
export function installChromium(print = () => {}) {
  try {
    const path = findChromium() ?? installFromDebian(print);
    return { path, version: readVersion(path) };
  } catch (error) {
    return { problem: error.message };
  }
}

function findChromium() {
  const named = process.env.CHROMIUM_PATH ?? "";
  if (named !== "") {
    if (!isProgram(named)) throw new Error(`CHROMIUM_PATH names no program: ${named}`);
    return named;
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
}

function installFromDebian(print) {
  const missing = `no Chromium: CHROMIUM_PATH is not set, and PATH holds none of ${names.join(", ")}`;
  if (!existsSync("/etc/debian_version")) throw new Error(`${missing}; it is installed on Debian alone`);
  if (process.getuid?.() !== 0) throw new Error(`${missing}; only root can install it: apt-get install ${packages[0]}`);
  print(`installing ${packages.join(" and ")} from Debian`);
  runAptGet(["update", "-qq"], longestUpdateMs);
  runAptGet(["install", "-y", "-qq", "--no-install-recommends", ...packages], longestInstallMs);
  const path = findChromium();
  if (path === null) throw new Error(`${missing}, also after apt-get install ${packages[0]}`);
  return path;
}

function runAptGet(args, timeout) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const end = spawnSync("apt-get", args, { env, encoding: "utf8", timeout, input: "", maxBuffer: 1 << 26 });
  if (end.status === 0) return;
  const said = (end.stderr ?? "").split("\n").filter((line) => /^[EW]:/.test(line));
  const why = end.error?.message ?? `it ended with ${end.status ?? end.signal}: ${said.slice(0, 3).join("; ")}`;
  throw new Error(`apt-get ${args[0]} failed: ${why}`);
}

/** What it says of itself: a package may contain only a note that the program comes by another way. */
function readVersion(path) {
  const end = spawnSync(path, ["--version"], { encoding: "utf8", timeout: 60_000, input: "" });
  const version = /\b\d+\.\d+\.\d+\.\d+\b/.exec(end.stdout ?? "")?.[0];
  if (end.status === 0 && version !== undefined) return version;
  const said = `${end.stdout ?? ""}${end.stderr ?? ""}`.trim().split("\n")[0];
  throw new Error(`${path} --version told no version: ${end.error?.message ?? said}`);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
