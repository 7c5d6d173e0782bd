#!/usr/bin/env node
// Packs the package, installs the tarball in an empty folder as a user would, for a project and for all, and calls it.
// It has no dependencies. `npm run build` comes first.
import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const checkout = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "task-phase-install-"));
/** The package may not become larger unnoticed: docs/benchmarks.md says what is in it. */
const most = { packedBytes: 1_150_000, installedBytes: 4_300_000, packages: 1 };
const env = { ...process.env, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
const npm = ["npm", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];

try {
  const packed = JSON.parse(run(["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder], checkout));
  const { filename, entryCount, size, unpackedSize } = packed[0];
  console.log(`${filename}: ${entryCount} files, ${size} bytes, ${unpackedSize} unpacked`);
  bound("bytes of the tarball", size, most.packedBytes);
  const tarball = join(folder, filename);

  const project = join(folder, "project");
  mkdirSync(project);
  run([...npm, "install", tarball], project);
  const { packages } = JSON.parse(readFileSync(join(project, "node_modules", ".package-lock.json"), "utf8"));
  bound("installed packages", Object.keys(packages).length, most.packages);
  bound("installed bytes", bytesOnDisk(join(project, "node_modules")), most.installedBytes);
  expect(run(["npx", "--no-install", "task-phase", "--version"], project).trim(), version);
  run(["git", "init", "--quiet"], project);
  const made = run(["npx", "--no-install", "task-phase", "init", "Round half up"], project).trim();
  expect(made, join(project, "tasks", "T-1-round-half-up"));
  expect(JSON.parse(run(["npx", "--no-install", "task-phase", "status", "--json"], project)).exit_code, 0);
  console.log("installed in a project: version, init and status work");

  const everywhere = join(folder, "everywhere");
  run([...npm, "install", "--global", "--prefix", everywhere, tarball], folder);
  for (const name of ["task-phase", "task-phase-init", "task-phase-run", "task-phase-loop"])
    expect(run([join(everywhere, "bin", name), "--version"], folder).trim(), version);
  const played = spawnSync(join(everywhere, "bin", "task-phase"), ["demo"], {
    env: { ...env, TMPDIR: folder },
    encoding: "utf8",
  });
  expect(played.stderr.includes("they notice 2 of 2 wrong versions of it"), true);
  console.log("installed for all: each program starts, and the demo is done");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run([program, ...words], cwd) {
  return execFileSync(program, words, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function bytesOnDisk(folder) {
  const names = readdirSync(folder, { recursive: true });
  return names.reduce((sum, name) => sum + lstatSync(join(folder, name)).blocks * 512, 0);
}

function bound(what, found, wanted) {
  console.log(`${what}: ${found} of at most ${wanted}`);
  if (found > wanted) throw new Error(`${found} ${what}, at most ${wanted} are wanted`);
}

function expect(found, wanted) {
  if (found !== wanted) throw new Error(`expected ${wanted}, found ${found}`);
}
