import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** No settings of the machine, and none of its repositories. */
export const gitEnv: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
};

/** Runs git as a person or an agent would, with an identity and nothing else. */
export function git(folder: string, ...args: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...identity, "-c", "protocol.file.allow=always", ...args], {
    cwd: folder,
    env: gitEnv,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** A repository with these files committed. */
export function makeRepo(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "-q");
  write(folder, files);
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "--allow-empty", "-m", "first");
}
