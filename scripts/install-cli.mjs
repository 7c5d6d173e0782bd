import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execaSync } from "execa";
import { modelClis, newerNode } from "./model-clis.mjs";
import { checkout } from "./pass-after-pass.mjs";

const cache = join(checkout, ".models");
const longestMs = 10 * 60_000;

/**
 * Installs one CLI into .models/ of the checkout, unless it is there. Returns its version and the folders that PATH
 * needs, or the `problem` that kept it from being installed. Nothing else on this machine is changed.
 */
export function installCli(name, print = () => {}) {
  const cli = modelClis[name];
  try {
    const folder = install(name, cli, print);
    const bin = join(folder, "node_modules", ".bin");
    if (!existsSync(join(bin, cli.program))) throw new Error(`${cli.package} ${cli.version} holds no ${cli.program}`);
    const path = [bin, ...(needsNewerNode(cli.node) ? [installNode(print)] : [])];
    return { name, version: checkVersion(cli, path), path };
  } catch (error) {
    return { name, problem: error.message };
  }
}

function installNode(print) {
  const folder = install("node", newerNode, print);
  return join(folder, "node_modules", newerNode.package, "bin");
}

function needsNewerNode(oldest) {
  if (oldest === null) return false;
  const [own, wanted] = [process.versions.node, oldest].map((version) => version.split(".").map(Number));
  const place = own.findIndex((number, index) => number !== wanted[index]);
  return place !== -1 && own[place] < wanted[place];
}

/** A folder that is there is whole: it gets its name when everything is in it. */
function install(name, { package: packageName, version, setup }, print) {
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  for (const old of readdirSync(cache).filter((other) => other.startsWith(`${name}-`))) {
    rmSync(join(cache, old), { recursive: true, force: true });
  }
  print(`installing ${packageName} ${version} into .models`);
  installPackage(folder, packageName, version, (partial) => {
    if (setup !== undefined) runIn(join(partial, "node_modules", packageName), [process.execPath, setup]);
  });
  return folder;
}

/** The folder gets its name when everything is in it, and is not there if that failed. Throws why it failed. */
export function installPackage(folder, packageName, version, finish = () => {}) {
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, "package.json"), '{ "private": true }\n');
  // No script but the one named is run, and an older Node than it asks for is no reason not to install it.
  const flags = ["--ignore-scripts", "--engine-strict=false", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    runIn(partial, ["npm", "install", "--save-exact", ...flags, `${packageName}@${version}`]);
    finish(partial);
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function runIn(folder, argv) {
  const [program, ...words] = argv;
  execaSync(program, words, { cwd: folder, timeout: longestMs });
}

/** What it says of itself: a package for another platform installs and does not run. */
function checkVersion(cli, path) {
  const env = { PATH: [...path, dirname(process.execPath), "/usr/bin", "/bin"].join(":"), HOME: join(cache, "home") };
  mkdirSync(env.HOME, { recursive: true });
  const options = { env, extendEnv: false, timeout: 60_000, input: "", all: true };
  const { all } = execaSync(cli.program, ["--version"], options);
  if (all.includes(cli.version)) return cli.version;
  throw new Error(`${cli.program} --version did not say ${cli.version}: ${all.slice(0, 200)}`);
}
