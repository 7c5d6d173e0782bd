import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execaSync } from "execa";

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
  execaSync("apt-get", args, { env, timeout, input: "" });
}

/** What it says of itself: a package may contain only a note that the program comes by another way. */
function readVersion(path) {
  const { all } = execaSync(path, ["--version"], { timeout: 60_000, input: "", all: true });
  const version = /\b\d+\.\d+\.\d+\.\d+\b/.exec(all)?.[0];
  if (version !== undefined) return version;
  throw new Error(`${path} --version printed no version: ${all.split("\n")[0]}`);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
