#!/usr/bin/env node
// Packs the package, installs the tarball in an empty folder as a user would, for a project and for all, and calls it.
// Its dependencies come from npm's cache if they are there, else from the registry. `npm run build` comes first.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const checkout = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "task-phase-install-"));
const env = { ...process.env, XDG_STATE_HOME: join(folder, "state"), XDG_CONFIG_HOME: join(folder, "config") };
const npm = ["npm", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];

try {
  const packed = JSON.parse(run(["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder], checkout));
  const { filename, entryCount, size, unpackedSize } = packed[0];
  console.log(`${filename}: ${entryCount} files, ${size} bytes, ${unpackedSize} unpacked`);
  const tarball = join(folder, filename);

  const project = join(folder, "project");
  mkdirSync(project);
  run([...npm, "install", tarball], project);
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
  console.log("installed for all: each program starts");
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run([program, ...words], cwd) {
  return execFileSync(program, words, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function expect(found, wanted) {
  if (found !== wanted) throw new Error(`expected ${wanted}, found ${found}`);
}
