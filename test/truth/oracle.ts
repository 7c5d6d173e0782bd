import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import type { Oracle } from "./case.ts";
import { type PlayWorld, writeText } from "./play-world.ts";
import { runProgram } from "./run-program.ts";

export const oracleWord = "oracle: right";

/**
 * Whether the work of the brief is really in the repo: what git lists is copied elsewhere, dependencies are laid beside
 * it as they were at the start, and checks judge it that no agent has seen. The word is the last line that they print,
 * so that work which ends the process is not taken for right.
 */
export async function askOracle(world: PlayWorld, oracle: Oracle = world.base.oracle): Promise<boolean> {
  const copy = path.join(world.folder, "oracle", "copy");
  if (oracle.of !== "clone") copyListed(world.repo, copy, world.env);
  else if (!cloneCommitted(world.repo, copy, world.env)) return false;
  world.fillIgnored(copy);
  for (const [name, text] of Object.entries(oracle.files)) writeText(path.join(copy, name), text);
  const home = path.join(world.folder, "oracle-home");
  mkdirSync(home, { recursive: true });
  const env = { ...world.env, HOME: home, TMPDIR: home, XDG_CONFIG_HOME: home };
  const end = await runProgram(oracle.command, { cwd: copy, env, timeoutMs: 120_000 });
  return end.code === 0 && end.stdout.trimEnd().endsWith(oracleWord);
}

/** False where it cannot be cloned: what is not delivered is not right. */
function cloneCommitted(repo: string, copy: string, env: Readonly<Record<string, string>>): boolean {
  const words = ["-c", "protocol.file.allow=always", "clone", "--quiet", "--recurse-submodules", repo, copy];
  return spawnSync("git", words, { env, stdio: "ignore" }).status === 0;
}

function copyListed(repo: string, copy: string, env: Readonly<Record<string, string>>): void {
  mkdirSync(copy, { recursive: true });
  if (!existsSync(path.join(repo, ".git"))) return;
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const names = execFileSync("git", args, { cwd: repo, env, encoding: "utf8" }).split("\0").filter(Boolean);
  for (const name of new Set(names)) {
    const from = path.join(repo, name);
    const type = lstatSync(from, { throwIfNoEntry: false });
    if (type === undefined || name.startsWith("tasks/")) continue;
    if (type.isSymbolicLink() && !staysInside(from, repo)) continue;
    if (type.isFile() || type.isSymbolicLink()) {
      mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
      cpSync(from, path.join(copy, name), { verbatimSymlinks: true });
    }
  }
}

function staysInside(link: string, repo: string): boolean {
  return existsSync(link) && realpathSync(link).startsWith(`${realpathSync(repo)}${path.sep}`);
}
