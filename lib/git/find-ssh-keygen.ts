import { findOutside } from "../process/bwrap.ts";
import type { SshKeygen } from "./ssh-keygen.ts";
import { gitVersion } from "./start-git.ts";

export type FoundSshKeygen =
  | { readonly kind: "found"; readonly tool: SshKeygen }
  | { readonly kind: "missing"; readonly problem: string; readonly fix: string };

/** The oldest git that makes and reads ssh signatures. */
const oldestGit = [2, 34] as const;

/** The ssh-keygen of PATH outside of these folders, if git can work with it. */
export async function findSshKeygen(env: NodeJS.ProcessEnv, folders: readonly string[]): Promise<FoundSshKeygen> {
  const program = findOutside("ssh-keygen", env.PATH ?? "", folders);
  if (program === null)
    return { kind: "missing", problem: "ssh-keygen is not on PATH", fix: "apt-get install openssh-client" };
  const found = await gitVersion(env);
  const [major, minor] = found ?? oldestGit;
  if (major > oldestGit[0] || (major === oldestGit[0] && minor >= oldestGit[1]))
    return { kind: "found", tool: { program, env } };
  const problem = `git supports ssh signatures since ${oldestGit.join(".")}; this is ${major}.${minor}`;
  return { kind: "missing", problem, fix: "install a newer git" };
}
